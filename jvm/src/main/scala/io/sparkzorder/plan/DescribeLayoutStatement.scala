package io.sparkzorder.plan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryCommand}

/** `DESCRIBE LAYOUT [EXTENDED] <table> [ON (...)] [WHERE <predicate>]` as written; see [[OptimizeStatement]]. */
case class DescribeLayoutStatement(
    child: LogicalPlan,
    predicate: Option[Expression],
    columns: Seq[Expression],
    extended: Boolean)
    extends UnaryCommand {

  override protected def withNewChildInternal(newChild: LogicalPlan): DescribeLayoutStatement = copy(child = newChild)
}

object DescribeLayoutStatement {

  /** What messages call it. */
  val Name = "DESCRIBE LAYOUT"
}
