// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.columnar.PlainTypes

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution._

/**
 * Finds the scan whose column batches are the rows of a plan: Spark's own, of plain columns, with nothing computed on the
 * way. It is asked of a plan that is being executed: only there it is certain that no other extension reads the scan in
 * its own way, with vectors of its own.
 */
private[move] object BatchScan {

  def of(rows: SparkPlan): Option[FileSourceScanExec] =
    if (rows.output.forall(c => PlainTypes.contain(c.dataType))) below(rows) else None

  @scala.annotation.tailrec
  private def below(plan: SparkPlan): Option[FileSourceScanExec] = plan match {
    case WholeStageCodegenExec(child) => below(child)
    case ProjectExec(columns, child) if columns.forall(_.isInstanceOf[Attribute]) => below(child)
    case ColumnarToRowExec(InputAdapter(scan: FileSourceScanExec)) => Some(scan)
    case ColumnarToRowExec(scan: FileSourceScanExec) => Some(scan)
    case _ => None
  }
}
