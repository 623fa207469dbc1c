// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import java.util.Locale

import io.sparkzorder.skipping.predicate.{BoundsResolver, PrunesFiles, ReaderScan}
import io.sparkzorder.skipping.scan.{FutureJoinKeys, IndexedScanExec, LateFilters}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/**
 * Dynamic file pruning: gives scans the keys of the joins above them, by which they leave out files when they run, before
 * their tasks are made. It runs nothing.
 *
 * A shuffled or range join gives bounds, from a subquery over its smaller side, which is read once more. A broadcast
 * join gives a dynamic pruning subquery over its broadcast, as Spark's own subqueries for partitions are. Under
 * adaptive execution a stage is planned when the broadcasts of its joins are there; without it Spark's rule for equal
 * exchanges makes two of them one.
 *
 * @param isLast
 *   whether the plan is about to run. If not, scans show by which joins they will be pruned, and no more.
 */
final class PruneByJoinKeys(
    session: SparkSession,
    indexes: ScanIndexes,
    isLast: Boolean = false)
    extends PruningRule(session) {

  private val filters = new KeyFilters(session, indexes, isLast)
  private val sides = new RepeatableSides(indexes)

  override protected def ofLastPlan: Rule[SparkPlan] = new PruneByJoinKeys(session, indexes, isLast = true)

  override protected def pruned(plan: SparkPlan): SparkPlan = {
    // Few plans have a scan that asks.
    lazy val scans = plan.collect { case scan @ (_: FileSourceScanExec | _: BatchScanExec) => scan }
    narrowed(plan, Nil, isRepeated(_, scans), new NumberedRows(plan), isNumbered = false)
  }

  /**
   * Whether a scan is there more than once: its rows are shuffled once for all, as long as no bounds make them differ.
   * Plans take long to compare, and few read a table twice.
   */
  private def isRepeated(scan: SparkPlan, scans: Seq[SparkPlan]): Boolean = {
    val mayBe = scans.filter(isOfTableOf(scan))
    mayBe.sizeIs > 1 && mayBe.count(_.canonicalized == scan.canonicalized) > 1
  }

  private def isOfTableOf(scan: SparkPlan)(other: SparkPlan): Boolean = (scan, other) match {
    case (a: FileSourceScanExec, b: FileSourceScanExec) =>
      a.relation.location.rootPaths.toSet == b.relation.location.rootPaths.toSet
    case (_: BatchScanExec, _: BatchScanExec) => true
    case _ => false
  }

  /**
   * @param isNumbered
   *   whether rows that come out of the plan get numbers, or a sample is taken of them, by their places: then none has a
   *   key, as what a query reads twice is to have the same numbers twice, and the first copy may be planned when less is
   *   known of the files
   */
  private def narrowed(
      plan: SparkPlan,
      keys: Seq[JoinKey],
      isRepeated: SparkPlan => Boolean,
      numbers: NumberedRows,
      isNumbered: Boolean): SparkPlan = plan match {
    case scan @ (_: FileSourceScanExec | _: BatchScanExec) =>
      if (isNumbered) NumberedRows.markBelow(scan)
      narrowed(scan, if (NumberedRows.isMarked(scan)) Nil else ofOne(scan, keys, isRepeated))
    case operator =>
      val numbered = (isNumbered && !NumberedRows.areOfValues(operator)) || numbers.areCounted(operator)
      val ofChildren =
        if (numbered) operator.children.map(_ => Nil) else JoinKeys.ofChildren(operator, keys, sides, numbers)
      val children =
        operator.children.zip(ofChildren).map { case (c, k) => narrowed(c, k, isRepeated, numbers, numbered) }
      if (children.corresponds(operator.children)(_ eq _)) operator else operator.withNewChildren(children)
  }

  private def ofOne(scan: SparkPlan, keys: Seq[JoinKey], isRepeated: SparkPlan => Boolean): Seq[JoinKey] = {
    val (bounded, others) = keys.partition(_.isInstanceOf[BoundedJoinKey])
    if (bounded.nonEmpty && isRepeated(scan)) others else keys
  }

  private def narrowed(plan: SparkPlan, keys: Seq[JoinKey]): SparkPlan = plan match {
    case scan: FileSourceScanExec if keys.nonEmpty || scan.dataFilters.nonEmpty => narrowed(scan, keys)
    case scan: BatchScanExec if keys.nonEmpty || PrunesFiles.among(scan.runtimeFilters)._1.nonEmpty =>
      indexes.of(scan).fold(scan)(narrowed(scan, _, keys))
    case scan => scan
  }

  private def narrowed(scan: BatchScanExec, files: ReaderScan, keys: Seq[JoinKey]): BatchScanExec = {
    val (shown, own) = files.filters.partition(_.isInstanceOf[FutureJoinKeys])
    val named = TableNames.of(scan)
    val useful = keys.map(k => k.over(named(k.key))).filter(k => BoundsResolver.isBounded(k.key))
    val more = filters.of(useful, own, files, files.bytes)
    if (more.isEmpty && shown.isEmpty) scan else files.withFilters(own ++ more)
  }

  private def narrowed(scan: FileSourceScanExec, keys: Seq[JoinKey]): FileSourceScanExec = {
    val (shown, own) = scan.dataFilters.partition(_.isInstanceOf[FutureJoinKeys])
    val useful = if (keys.isEmpty) Nil else ofColumns(scan, keys)
    val needsIndex = !scan.isInstanceOf[IndexedScanExec] && own.exists(isUnknownToFormats)
    val index = if (useful.nonEmpty || needsIndex) indexes.of(scan) else None
    val more = index.toSeq.flatMap(filters.of(useful, scan.dataFilters, _, BigInt(scan.relation.location.sizeInBytes)))
    if (index.isDefined && (more.nonEmpty || needsIndex)) IndexedScanExec.over(scan, index.get, own ++ more)
    else if (shown.nonEmpty) IndexedScanExec.over(scan, scan.relation.location, own)
    else scan
  }

  /** The keys that files have bounds of, by the names that the table has for its columns. */
  private def ofColumns(scan: FileSourceScanExec, keys: Seq[JoinKey]): Seq[JoinKey] = {
    val named = TableNames.of(scan)
    val partitions = scan.relation.partitionSchema.fieldNames.map(_.toLowerCase(Locale.ROOT)).toSet
    def isOfFiles(key: Expression) = !key.references.exists(a => partitions(a.name.toLowerCase(Locale.ROOT)))
    keys.filter(k => BoundsResolver.isBounded(k.key)).map(k => k.over(named(k.key))).filter(k => isOfFiles(k.key))
  }

  /** What the format's own index cannot skip by: functions, and values that the query has only when it runs. */
  private def isUnknownToFormats(filter: Expression): Boolean =
    BoundsResolver.usesFunction(filter) || LateFilters.isLate(filter)
}
