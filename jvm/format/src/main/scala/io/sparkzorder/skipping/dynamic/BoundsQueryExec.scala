// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import io.sparkzorder.skipping.predicate.SpreadFiles

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.{BaseSubqueryExec, SparkPlan, UnaryExecNode}

/**
 * The query for the bounds of a join's keys: a subquery, run by the thread that needs its row.
 *
 * Spark's own node runs its query in a pool of threads. There the subqueries wait that have this one below, and would all
 * wait for ever if they took up the whole pool.
 *
 * @param files
 *   the files of the scan that the bounds are for: without statistics of them, or where these do not distinguish them,
 *   no bounds are asked for
 * @param keys
 *   the keys, over that scan's columns
 */
final private[sparkzorder] case class BoundsQueryExec(name: String, child: SparkPlan)(
    @transient files: SpreadFiles,
    @transient keys: Seq[Expression])
    extends BaseSubqueryExec
    with UnaryExecNode {

  @transient private lazy val rows: Array[InternalRow] =
    if (files.tellsApart(keys, mayLoad = true)) child.executeCollect() else Array.empty

  override def executeCollect(): Array[InternalRow] = rows

  override protected def doExecute(): RDD[InternalRow] =
    throw new UnsupportedOperationException("The bounds of keys are collected")

  // Whatever its name.
  override protected def doCanonicalize(): SparkPlan = BoundsQueryExec("Subquery", child.canonicalized)(files, keys)

  override protected def otherCopyArgs: Seq[AnyRef] = files :: keys :: Nil

  override protected def withNewChildInternal(newChild: SparkPlan): BoundsQueryExec =
    copy(child = newChild)(files, keys)
}
