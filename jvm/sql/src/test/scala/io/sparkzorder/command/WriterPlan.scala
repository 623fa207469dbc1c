// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import org.apache.spark.sql.delta.files.DeltaFileFormatWriter
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

/** The plan that Delta's writer ran last, which it remembers for tests. */
object WriterPlan {

  def last: SparkPlan = {
    val field = DeltaFileFormatWriter.getClass.getDeclaredFields.find(_.getName.endsWith("executedPlan")).get
    field.setAccessible(true)
    field.get(DeltaFileFormatWriter).asInstanceOf[Option[SparkPlan]].get
  }

  def shuffles: Seq[ShuffleExchangeExec] = last.collect { case e: ShuffleExchangeExec => e }

  def shuffleTasks: Int = shuffles.map(_.outputPartitioning.numPartitions).sum
}
