package io.sparkzorder.plan

import org.apache.spark.sql.catalyst.plans.logical.{LeafCommand, LogicalPlan}

/**
 * `EXPLAIN SKIPPING <query>` as written.
 *
 * The query is no child: below a command Spark's analyzer treats a query otherwise than by itself (it inlines its common
 * table expressions, for one), and the scans would not be those of the query.
 *
 * @param query
 *   the parsed query, or the first word of what is no query
 */
case class ExplainSkippingStatement(query: Either[String, LogicalPlan]) extends LeafCommand

object ExplainSkippingStatement {

  /** What messages call it. */
  val Name = "EXPLAIN SKIPPING"
}
