// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.format.StoredValues

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.ParquetOutputTimestampType
import org.apache.spark.sql.zorder.SparkInternals

/**
 * A copy of the user's session for the time of a rewrite, without the settings that would lose rows or spoil the
 * layout. The user's own session is never changed, so that its other threads go on as they were.
 */
private[command] object RewriteSession {

  private val settings: Map[String, String] = Map(
    // A file that cannot be read must fail the rewrite; skipped, its rows would be gone with the commit.
    SQLConf.IGNORE_CORRUPT_FILES.key -> "false",
    SQLConf.IGNORE_MISSING_FILES.key -> "false",
    // Values are written as they are stored, and partitions keep their names: a CHAR(n) may be stored shorter than n.
    StoredValues.setting,
    // The calendar of LEGACY lacks ten days of 1582: their values would become those of another day.
    SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key -> "CORRECTED",
    SQLConf.PARQUET_INT96_REBASE_MODE_IN_WRITE.key -> "CORRECTED",
    // A file without field ids has not NULLs alone.
    SQLConf.IGNORE_MISSING_PARQUET_FIELD_ID.key -> "false",
    // Files end where the layout says, and a task's rows stay in the order in which it sorted them.
    SQLConf.MAX_RECORDS_PER_FILE.key -> "0",
    SQLConf.MAX_CONCURRENT_OUTPUT_FILE_WRITERS.key -> "0",
    // Each task of the shuffle is one file: adaptive execution has nothing to decide.
    SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> "false"
  ) ++ FaithfulReads.settings

  /**
   * Spark's default, INT96, has no statistics, so that neither row groups nor pages would be skipped by a timestamp; whoever
   * asks for it gets it. Milliseconds would cut values.
   */
  private def timestamps(conf: SQLConf): ParquetOutputTimestampType.Value = {
    val set = conf.parquetOutputTimestampType
    if (conf.contains(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key) && set == ParquetOutputTimestampType.INT96) set
    else ParquetOutputTimestampType.TIMESTAMP_MICROS
  }

  def run[T](session: SparkSession)(body: SparkSession => T): T = {
    val copy = SparkInternals.copy(session)
    settings.foreach { case (key, value) => copy.conf.set(key, value) }
    copy.conf.set(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key, timestamps(copy.sessionState.conf).toString)
    // For every shuffle but the one that moves rows, whose tasks are the files: the others aggregate to a row for each file
    // or partition, and without adaptive execution nothing merges Spark's 200 tasks.
    copy.conf.set(SQLConf.SHUFFLE_PARTITIONS.key, copy.sparkContext.defaultParallelism.toLong)
    copy.withActive(body(copy))
  }
}

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

  /** Makes a task of each file, whatever its size, as [[io.sparkzorder.move.GatherFiles]] wants them. */
  def whole(rewriteSession: SparkSession, fileBytes: Seq[Long]): Unit = {
    val most = math.max(1L, fileBytes.max)
    rewriteSession.conf.set(SQLConf.FILES_MAX_PARTITION_BYTES.key, most)
    // A task with a file has no room for another that is as expensive to open as the largest is to read.
    rewriteSession.conf.set(SQLConf.FILES_OPEN_COST_IN_BYTES.key, most)
    rewriteSession.conf.set(SQLConf.FILES_MAX_PARTITION_NUM.key, Int.MaxValue.toLong)
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
