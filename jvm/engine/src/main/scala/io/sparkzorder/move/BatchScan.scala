// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.columnar.PlainTypes

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/**
 * Finds the scan whose column batches are the rows of a plan: Spark's own, of files or of a connector, of plain columns,
 * with nothing computed on the way. It is asked of a plan that is being executed: only there it is certain that no other
 * extension reads the scan in its own way, with vectors of its own.
 */
private[move] object BatchScan {

  def of(rows: SparkPlan): Option[SparkPlan] =
    if (rows.output.forall(c => PlainTypes.contain(c.dataType))) below(rows) else None

  @scala.annotation.tailrec
  private def below(plan: SparkPlan): Option[SparkPlan] = plan match {
    case WholeStageCodegenExec(child) => below(child)
    case ProjectExec(columns, child) if columns.forall(_.isInstanceOf[Attribute]) => below(child)
    case ColumnarToRowExec(InputAdapter(scan)) if isScan(scan) => Some(scan)
    case ColumnarToRowExec(scan) if isScan(scan) => Some(scan)
    case _ => None
  }

  private def isScan(plan: SparkPlan): Boolean = plan match {
    case _: FileSourceScanExec | _: BatchScanExec => true
    case _ => false
  }
}
