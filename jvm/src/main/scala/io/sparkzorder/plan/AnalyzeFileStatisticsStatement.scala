package io.sparkzorder.plan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryCommand}

/**
 * `ANALYZE TABLE <table> COMPUTE FILE STATISTICS [FOR COLUMNS ... | FOR ALL COLUMNS]` as written; see
 * [[OptimizeStatement]].
 *
 * @param columns
 *   those named; none where the statement does not say FOR COLUMNS
 * @param allColumns
 *   whether it says FOR ALL COLUMNS
 */
case class AnalyzeFileStatisticsStatement(child: LogicalPlan, columns: Seq[Expression], allColumns: Boolean)
    extends UnaryCommand {

  override protected def withNewChildInternal(newChild: LogicalPlan): AnalyzeFileStatisticsStatement =
    copy(child = newChild)
}

object AnalyzeFileStatisticsStatement {

  /** What messages call it. */
  val Name = "ANALYZE TABLE ... COMPUTE FILE STATISTICS"
}
