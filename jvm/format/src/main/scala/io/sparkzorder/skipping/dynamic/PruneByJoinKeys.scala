// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import java.util.Locale

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.skipping.predicate.BoundsResolver
import io.sparkzorder.skipping.scan.{BetweenKeys, FutureJoinKeys, IndexedScanExec, LateFilters, ScanFileIndex}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{ScalarSubquery => _, _}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/**
 * Dynamic file pruning: gives scans the keys of the joins above them, by which they leave out files when they run, before
 * their tasks are made. It runs nothing.
 *
 * Of a join that shuffles both sides, and of one by ranges, they are bounds, a subquery that reads the smaller side once
 * more.
 * Of a broadcast join they are a dynamic pruning subquery over the broadcast that the join has anyway, as Spark's own subqueries for
 * partitions are. Under adaptive execution a stage is planned when the broadcasts of its joins are there; without it
 * Spark's rule for equal exchanges makes two of them one.
 *
 * @param isLast
 *   whether the plan is about to run. If not, scans show by which joins they will be pruned, and no more.
 */
final class PruneByJoinKeys(
    session: SparkSession,
    indexes: ScanIndexes,
    isLast: Boolean = false)
    extends Rule[SparkPlan] {

  private val broadcasts = new BroadcastKeys(session)
  private val batchScans = new BatchScanKeys(indexes, broadcasts, isLast)

  /** For plans that are about to run, adaptive or not. */
  def inColumnarRules: ColumnarRule = new ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = new PruneByJoinKeys(session, indexes, isLast = true)
  }

  override def apply(plan: SparkPlan): SparkPlan =
    if (!ZOrderConf.dynamicSkipping(session.sessionState.conf)) plan
    else {
      // Few plans have a scan that asks.
      lazy val scans = plan.collect { case scan: FileSourceScanExec => scan }
      narrowed(plan, Nil, isRepeated(_, scans))
    }

  /**
   * Whether a scan is there more than once: its rows are shuffled once for all, as long as no bounds make them differ.
   * Plans take long to compare, and few read a table twice.
   */
  private def isRepeated(scan: FileSourceScanExec, scans: Seq[FileSourceScanExec]): Boolean = {
    val ofTable = scans.filter(_.relation.location.rootPaths.toSet == scan.relation.location.rootPaths.toSet)
    ofTable.sizeIs > 1 && ofTable.count(_.canonicalized == scan.canonicalized) > 1
  }

  private def narrowed(plan: SparkPlan, keys: Seq[JoinKey], isRepeated: FileSourceScanExec => Boolean): SparkPlan =
    plan match {
      case scan: FileSourceScanExec if keys.isEmpty && scan.dataFilters.isEmpty => scan
      case scan: FileSourceScanExec =>
        val (bounded, others) = keys.partition(_.isInstanceOf[BoundedJoinKey])
        narrowed(scan, if (bounded.nonEmpty && isRepeated(scan)) others else keys)
      case scan: BatchScanExec => batchScans.narrowed(scan, keys)
      case operator =>
        val children = operator.children.zip(JoinKeys.ofChildren(operator, keys)).map { case (c, k) =>
          narrowed(c, k, isRepeated)
        }
        if (children.corresponds(operator.children)(_ eq _)) operator else operator.withNewChildren(children)
    }

  private def narrowed(scan: FileSourceScanExec, keys: Seq[JoinKey]): FileSourceScanExec = {
    val (shown, own) = scan.dataFilters.partition(_.isInstanceOf[FutureJoinKeys])
    val useful = if (keys.isEmpty) Nil else ofColumns(scan, keys)
    val needsIndex = !scan.isInstanceOf[IndexedScanExec] && own.exists(isUnknownToFormats)
    val index = if (useful.nonEmpty || needsIndex) indexes.of(scan) else None
    val filters = index.toSeq.flatMap { of =>
      useful.collect { case k: BroadcastJoinKey => k }.flatMap(filterBy(of, _)) ++
        bounds(scan, of, useful.collect { case k: BoundedJoinKey => k })
    }
    if (index.isDefined && (filters.nonEmpty || needsIndex)) IndexedScanExec.over(scan, index.get, own ++ filters)
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

  private def filterBy(files: ScanFileIndex, joinKey: BroadcastJoinKey): Option[Expression] = {
    import joinKey._
    if (!isLast) Some(FutureJoinKeys(key)(buildKeys(index).sql))
    else broadcasts.filter(joinKey, files.tellsApart(Seq(key), mayLoad = false))
  }

  private def bounds(scan: FileSourceScanExec, index: ScanFileIndex, keys: Seq[BoundedJoinKey]): Seq[Expression] = {
    val wanted = keys.filter { k =>
      !hasBounds(scan, k.key) && (!k.keepsOthers || k.side.files.forall(indexes.isOfVersion))
    }
    // By statistics that are there by now, as they are from the second query of a table on.
    def mayPrune(of: Seq[BoundedJoinKey]) = index.tellsApart(of.map(_.key), mayLoad = false)
    val sides =
      wanted.map(_.side).distinct.map(side => side -> wanted.filter(_.side == side)).filter(s => mayPrune(s._2))
    paying(scan, sides).flatMap { case (side, of) =>
      val id = NamedExpression.newExprId
      val query = QueryExecution.prepareExecutedPlan(session.asInstanceOf[ClassicSession], side.bounds(of))
      val subquery = ScalarSubquery(BoundsQueryExec(s"joinkeys#${id.id}", query)(index, of.map(_.key)), id)
      of.zipWithIndex.map { case (key, number) => BetweenKeys(key.key, subquery, number) }
    }
  }

  /** Those sides that cost little beside the scan, all together; none where its size is not known. */
  private def paying[A](scan: FileSourceScanExec, sides: Seq[(RepeatableSide, A)]): Seq[(RepeatableSide, A)] =
    if (sides.isEmpty) Nil
    else {
      val bytes = BigInt(scan.relation.location.sizeInBytes)
      val cheapest = sides.sortBy(_._1.leastScanBytes)
      val sums = cheapest.scanLeft(BigInt(0))(_ + _._1.leastScanBytes).tail
      // That of a table of a catalog that has not been analyzed.
      if (bytes >= session.sessionState.conf.defaultSizeInBytes) Nil
      else cheapest.zip(sums).collect { case (side, sum) if sum <= bytes => side }
    }

  private def hasBounds(scan: FileSourceScanExec, key: Expression): Boolean = scan.dataFilters.exists {
    case BetweenKeys(other, _, _) => other.semanticEquals(key)
    case _ => false
  }
}
