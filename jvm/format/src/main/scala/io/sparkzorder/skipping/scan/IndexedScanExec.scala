// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import io.sparkzorder.skipping.predicate.BoundsResolver

import org.apache.spark.sql.catalyst.{InternalRow, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.{FileSourceScanExec, SQLExecution}
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals
import org.apache.spark.util.collection.BitSet

/**
 * Spark's scan of a relation with a [[ScanFileIndex]], which also reports what the index left out, and hands the keys of
 * joins to the readers of files.
 *
 * It has the constructor of its parent, by which Spark copies it; each copy has a file index, and so figures, of its
 * own. Where Spark makes a plain [[FileSourceScanExec]] of it, only the figures are lost.
 */
class IndexedScanExec(
    ofRelation: HadoopFsRelation,
    ofStream: Option[SparkDataStream],
    columns: Seq[Attribute],
    dataColumns: StructType,
    partitionPredicates: Seq[Expression],
    buckets: Option[BitSet],
    coalescedBuckets: Option[Int],
    dataPredicates: Seq[Expression],
    identifier: Option[TableIdentifier],
    withoutBuckets: Boolean)
    extends FileSourceScanExec(
      IndexedScanExec.withOwnIndex(ofRelation, dataPredicates),
      ofStream,
      columns,
      dataColumns,
      partitionPredicates,
      buckets,
      coalescedBuckets,
      dataPredicates,
      identifier,
      withoutBuckets
    ) {

  private def statistics: String = relation.location match {
    case index: ScanFileIndex => index.statistics
    case _ => IndexWarnings.OfIndex
  }

  @transient private lazy val indexMetrics: Map[String, SQLMetric] = Map(
    IndexedScanExec.FilesPruned -> SQLMetrics.createMetric(sparkContext, s"number of files pruned by $statistics"),
    IndexedScanExec.IndexTime -> SQLMetrics.createTimingMetric(sparkContext, s"$statistics time")
  ) ++ Option.when(lateKeys.nonEmpty)(
    IndexedScanExec.FilesPrunedByKeys ->
      SQLMetrics.createMetric(sparkContext, "number of files pruned by keys of joins"))

  private def lateKeys: Seq[Expression] = dataFilters.filter(LateFilters.isByKeys)

  override def metrics: Map[String, SQLMetric] = super.metrics ++ indexMetrics

  // Spark calls this when it has chosen the files, of a scan with dynamic partition pruning too.
  override protected def sendDriverMetrics(): Unit = {
    super.sendDriverMetrics()
    relation.location match {
      case index: ScanFileIndex =>
        val counts = index.pruned.count(isRead)
        indexMetrics(IndexedScanExec.FilesPruned).set(counts.byFilters)
        indexMetrics.get(IndexedScanExec.FilesPrunedByKeys).foreach(_.set(counts.byKeys))
        indexMetrics(IndexedScanExec.IndexTime).set(index.pruned.nanos / 1000000)
        val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
        SQLMetrics.postDriverMetricUpdates(sparkContext, execution, indexMetrics.values.toSeq)
      case _ =>
    }
  }

  /** Whether dynamic pruning leaves a partition in the scan; without it, all listed ones are. */
  private def isRead: InternalRow => Boolean = {
    val dynamic = partitionFilters.filter(_.exists(_.isInstanceOf[PlanExpression[_]]))
    val partitionColumns = relation.partitionSchema.flatMap(f => output.find(_.name == f.name))
    if (dynamic.isEmpty) _ => true
    else {
      val predicate = Predicate.createInterpreted(BindReferences.bindReference(dynamic.reduce(And), partitionColumns))
      predicate.eval(_)
    }
  }

  // Spark's own filters, and the keys of joins that are known by now.
  @transient override protected[skipping] lazy val pushedDownFilters: Seq[Filter] =
    SparkInternals.pushedFilters(relation, dataFilters.flatMap(LateFilters.forReaders))

  private def skippedBy: String = relation.location match {
    case index: ScanFileIndex =>
      val filters =
        dataFilters.filter(f => index.prunesByFilters || LateFilters.isOurs(f) || BoundsResolver.usesFunction(f))
      s"FilesSkippedBy: ${index.statistics} ${filters.mkString("[", ", ", "]")}"
    case _ => ""
  }

  override def simpleString(maxFields: Int): String = s"${super.simpleString(maxFields)}, $skippedBy"

  override def verboseStringWithOperatorId(): String =
    s"${super.verboseStringWithOperatorId().stripTrailing}\n$skippedBy\n"

  // Otherwise a rule that puts this scan in its parent's place would seem to have changed nothing.
  override def canEqual(other: Any): Boolean = other.isInstanceOf[IndexedScanExec]

  override def equals(other: Any): Boolean = other.isInstanceOf[IndexedScanExec] && super.equals(other)

  override def hashCode(): Int = super.hashCode()
}

object IndexedScanExec {

  val FilesPruned = "filesPrunedByIndex"
  val FilesPrunedByKeys = "filesPrunedByKeys"
  val IndexTime = "indexTime"

  /** `scan` with other filters and its files from `index`, in its place in the plan. */
  private[skipping] def over(
      scan: FileSourceScanExec,
      index: FileIndex,
      dataFilters: Seq[Expression]): IndexedScanExec = {
    val relation = scan.relation.copy(location = index)(scan.relation.sparkSession)
    val indexed = of(scan.copy(relation = relation, dataFilters = dataFilters))
    indexed.copyTagsFrom(scan)
    indexed
  }

  /** `scan` as one that reports on its index. */
  def of(scan: FileSourceScanExec): IndexedScanExec =
    new IndexedScanExec(
      scan.relation,
      scan.stream,
      scan.output,
      scan.requiredSchema,
      scan.partitionFilters,
      scan.optionalBucketSet,
      scan.optionalNumCoalescedBuckets,
      scan.dataFilters,
      scan.tableIdentifier,
      scan.disableBucketedScan
    )

  // A plan that was sent to an executor has no relation, and is copied there too.
  private def withOwnIndex(relation: HadoopFsRelation, filters: Seq[Expression]): HadoopFsRelation =
    if (relation == null) null
    else
      relation.location match {
        case index: ScanFileIndex =>
          relation.copy(location = index.forScan(filters.filter(LateFilters.isLate)))(relation.sparkSession)
        case _ => relation
      }
}
