// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import io.sparkzorder.skipping.predicate.BoundsResolver
import io.sparkzorder.skipping.scan.FutureJoinKeys

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, DynamicPruningExpression, Expression}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.InSubqueryExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/**
 * Gives scans by a format's own reader the keys of broadcast joins above them, as Spark gives such scans those of
 * partitions. Spark hands over values of columns alone, not of functions of them.
 *
 * @param isLast
 *   whether the plan is about to run. If not, scans show by which joins they will be pruned, and no more.
 */
final private[dynamic] class BatchScanKeys(indexes: ScanIndexes, broadcasts: BroadcastKeys, isLast: Boolean) {

  def narrowed(scan: BatchScanExec, keys: Seq[JoinKey]): BatchScanExec = {
    val (shown, own) = scan.runtimeFilters.partition(_.isInstanceOf[FutureJoinKeys])
    val bare = if (shown.isEmpty) scan else copied(scan.copy(runtimeFilters = own), scan)
    val useful = ofColumns(bare, keys)
    if (useful.isEmpty) bare else byColumns(bare, useful)
  }

  private def byColumns(scan: BatchScanExec, keys: Seq[BroadcastJoinKey]): BatchScanExec = {
    def columns(of: Seq[BroadcastJoinKey]) = of.map(_.key.asInstanceOf[Attribute]).distinct
    if (!isLast) {
      val notes = keys.map(k => FutureJoinKeys(k.key)(k.buildKeys(k.index).sql))
      indexes.pruned(scan, columns(keys)).fold(scan)(_ => narrowed(scan, scan.scan, notes))
    } else {
      val filters = keys.flatMap(k => broadcasts.filter(k, tellApart = true).map(k -> _))
      val pruned = if (filters.isEmpty) None else indexes.pruned(scan, columns(filters.map(_._1)))
      pruned.fold(scan)(narrowed(scan, _, filters.map(_._2)))
    }
  }

  private def narrowed(node: BatchScanExec, scan: Scan, more: Seq[Expression]): BatchScanExec =
    copied(node.copy(scan = scan, runtimeFilters = node.runtimeFilters ++ more), node)

  private def copied(copy: BatchScanExec, scan: BatchScanExec): BatchScanExec = {
    copy.copyTagsFrom(scan)
    copy
  }

  /** The keys that are columns of the scan by which Spark does not prune it. */
  private def ofColumns(scan: BatchScanExec, keys: Seq[JoinKey]): Seq[BroadcastJoinKey] = {
    val pruning = scan.runtimeFilters.collect { case DynamicPruningExpression(in: InSubqueryExec) => in.child }
    keys.collect { case k: BroadcastJoinKey => k }.flatMap { joinKey =>
      val column = joinKey.key match {
        case a: AttributeReference => scan.output.find(_.exprId == a.exprId)
        case _ => None
      }
      column.filter(c => BoundsResolver.isBounded(c) && !pruning.exists(_.semanticEquals(c))).map(c =>
        joinKey.copy(key = c))
    }
  }
}
