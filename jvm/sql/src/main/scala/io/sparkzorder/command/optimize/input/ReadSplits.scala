// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.input

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

/**
 * The size of the tasks that read a table, such that all cores finish at about the same time. Seven equal tasks on two
 * cores take as long as eight.
 */
private[command] object ReadSplits {

  /** Sets the size in a session that exists for one rewrite only. */
  def balance(rewriteSession: SparkSession, fileBytes: Seq[Long]): Unit = {
    val conf = rewriteSession.sessionState.conf
    val (most, openCost) = (conf.filesMaxPartitionBytes, conf.filesOpenCostInBytes)
    val even = bytes(fileBytes, rewriteSession.sparkContext.defaultParallelism, most, openCost)
    rewriteSession.conf.set(SQLConf.FILES_MAX_PARTITION_BYTES.key, even)
  }

  /**
   * @param fileBytes
   *   sizes of the files to read
   * @param most
   *   greatest number of bytes of a task, by the user's or Spark's own setting
   * @param openCost
   *   number of bytes that could be read while a file is opened, as Spark counts them
   * @return
   *   at most `most`: the size that makes the number of tasks a multiple of `cores`
   */
  private[command] def bytes(fileBytes: Seq[Long], cores: Int, most: Long, openCost: Long): Long = {
    val total = fileBytes.map(_ + openCost).sum
    if (total == 0) most
    else {
      // Divided one after the other: the product of a huge `most` and the cores is no long.
      val waves = roundedUp(roundedUp(total, most), cores)
      math.min(most, roundedUp(total, waves * cores))
    }
  }

  private def roundedUp(dividend: Long, divisor: Long): Long = (dividend - 1) / divisor + 1
}
