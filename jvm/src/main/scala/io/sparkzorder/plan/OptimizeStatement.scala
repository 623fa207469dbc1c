package io.sparkzorder.plan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryCommand}

/**
 * `OPTIMIZE <table> [WHERE <predicate>] ZORDER BY (...) [OPTIONS (...)] [DRY RUN]` as written.
 *
 * Its expressions are resolved by Spark's own analyzer against the columns of `child`, so nested fields, back-quotes
 * and case follow Spark's rules; then `command.ResolveStatements` makes the command of it.
 */
case class OptimizeStatement(
    child: LogicalPlan,
    predicate: Option[Expression],
    columns: Seq[Expression],
    options: Map[String, String],
    dryRun: Boolean)
    extends UnaryCommand {

  override protected def withNewChildInternal(newChild: LogicalPlan): OptimizeStatement = copy(child = newChild)
}

object OptimizeStatement {

  /** What messages call it. */
  val Name = "OPTIMIZE ... ZORDER BY"
}
