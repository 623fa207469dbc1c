// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.{BaseSubqueryExec, SparkPlan, UnaryExecNode}

/**
 * The query for the bounds of a join's keys: a subquery, run by the thread that needs its row.
 *
 * Spark's own node runs its query in a pool of threads. There the subqueries wait that have this one below, and would all
 * wait for ever if they took up the whole pool.
 */
final private[dynamic] case class BoundsQueryExec(name: String, child: SparkPlan)
    extends BaseSubqueryExec
    with UnaryExecNode {

  @transient private lazy val rows: Array[InternalRow] = child.executeCollect()

  override def executeCollect(): Array[InternalRow] = rows

  override protected def doExecute(): RDD[InternalRow] =
    throw new UnsupportedOperationException("The bounds of keys are collected")

  // Whatever its name.
  override protected def doCanonicalize(): SparkPlan = BoundsQueryExec("Subquery", child.canonicalized)

  override protected def withNewChildInternal(newChild: SparkPlan): BoundsQueryExec = copy(child = newChild)
}
