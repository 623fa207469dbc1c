// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import io.sparkzorder.skipping.predicate.SpreadFiles
import io.sparkzorder.skipping.scan.{BetweenKeys, FutureJoinKeys}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{ScalarSubquery => _, _}
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution._

/**
 * The filters by which keys of joins leave out files of a scan, whatever reads these.
 *
 * @param isLast
 *   whether the plan is about to run. If not, scans show by which joins they will be pruned, and no more.
 */
final private[dynamic] class KeyFilters(session: SparkSession, indexes: ScanIndexes, isLast: Boolean) {

  private val broadcasts = new BroadcastKeys(session)

  /**
   * @param keys
   *   over the scan's columns
   * @param had
   *   the filters that the scan has
   * @param bytes
   *   those of its files
   */
  def of(keys: Seq[JoinKey], had: Seq[Expression], files: SpreadFiles, bytes: => BigInt): Seq[Expression] =
    keys.collect { case k: BroadcastJoinKey => k }.flatMap(ofBroadcast(files, _)) ++
      bounds(keys.collect { case k: BoundedJoinKey => k }, had, files, bytes)

  private def ofBroadcast(files: SpreadFiles, joinKey: BroadcastJoinKey): Option[Expression] = {
    import joinKey._
    if (!isLast) Some(FutureJoinKeys(key)(buildKeys(index).sql))
    else broadcasts.filter(joinKey, files.tellsApart(Seq(key), mayLoad = false))
  }

  private def bounds(
      keys: Seq[BoundedJoinKey],
      had: Seq[Expression],
      files: SpreadFiles,
      bytes: => BigInt): Seq[Expression] = {
    // Bounds of another version than that of the rows that are joined would leave out matches.
    def isSame(k: BoundedJoinKey) =
      k.side.files.forall(if (k.keepsOthers) indexes.isOfVersion else indexes.areListedOnce)
    val wanted = keys.filter(k => !hasBounds(had, k.key) && isSame(k))
    // By statistics that are there by now, as they are from the second query of a table on.
    def mayPrune(of: Seq[BoundedJoinKey]) = files.tellsApart(of.map(_.key), mayLoad = false)
    val sides =
      wanted.map(_.side).distinct.map(side => side -> wanted.filter(_.side == side)).filter(s => mayPrune(s._2))
    paying(sides, bytes).flatMap { case (side, of) =>
      val id = NamedExpression.newExprId
      val query = QueryExecution.prepareExecutedPlan(session.asInstanceOf[ClassicSession], side.bounds(of))
      val subquery = ScalarSubquery(BoundsQueryExec(s"joinkeys#${id.id}", query)(files, of.map(_.key)), id)
      of.zipWithIndex.map { case (key, number) => BetweenKeys(key.key, subquery, number) }
    }
  }

  /** Those sides that cost little beside the scan, all together; none where its size is not known. */
  private def paying[A](sides: Seq[(RepeatableSide, A)], bytes: => BigInt): Seq[(RepeatableSide, A)] =
    if (sides.isEmpty) Nil
    else {
      val cheapest = sides.sortBy(_._1.leastScanBytes)
      val sums = cheapest.scanLeft(BigInt(0))(_ + _._1.leastScanBytes).tail
      // That of a table of a catalog that has not been analyzed.
      if (bytes >= session.sessionState.conf.defaultSizeInBytes) Nil
      else cheapest.zip(sums).collect { case (side, sum) if sum <= bytes => side }
    }

  private def hasBounds(filters: Seq[Expression], key: Expression): Boolean = filters.exists {
    case BetweenKeys(other, _, _) => other.semanticEquals(key)
    case _ => false
  }
}
