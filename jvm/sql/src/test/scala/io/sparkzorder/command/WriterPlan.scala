// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import io.sparkzorder.move.ClusterRowsExec

import org.apache.spark.sql.delta.files.DeltaFileFormatWriter
import org.apache.spark.sql.execution.{SortExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.exchange.Exchange

/** The plan that Delta's writer ran last, which it remembers for tests. */
object WriterPlan {

  def last: SparkPlan = {
    val field = DeltaFileFormatWriter.getClass.getDeclaredFields.find(_.getName.endsWith("executedPlan")).get
    field.setAccessible(true)
    field.get(DeltaFileFormatWriter).asInstanceOf[Option[SparkPlan]].get
  }

  /** The only shuffle and the only sort of the plan. */
  def clustered: ClusterRowsExec = {
    val others = last.collect { case other @ (_: Exchange | _: SortExec | _: AdaptiveSparkPlanExec) => other }
    assert(others.isEmpty, last)
    last.collect { case c: ClusterRowsExec => c } match {
      case Seq(one) => one
      case other => throw new AssertionError(s"${other.size} in $last")
    }
  }

  def shuffleTasks: Int = clustered.metrics("numTasks").value.toInt
}
