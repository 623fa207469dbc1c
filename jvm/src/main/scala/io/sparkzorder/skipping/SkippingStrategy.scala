package io.sparkzorder.skipping

import io.sparkzorder.config.ZOrderConf
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetUtils}

/**
 * Plans scans of plain Parquet relations over a [[ZOrderFileIndex]]. It reads no file.
 *
 * This is planning and no optimizer rule, since the only point behind Spark's pruning of catalog partitions, which
 * wants to see its own file index, is here. The logical plan, its statistics and cached plans stay as Spark has them.
 *
 * `spark.sql.zorder.skipping.enabled` is read here. Off, listings still go through our file index, which then leaves
 * nothing out.
 */
final class SkippingStrategy(session: SparkSession, source: IndexSource) extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case ScanOperation(_, _, _, scanned: LogicalRelation) =>
      indexed(scanned) match {
        case Some(relation) =>
          FileSourceStrategy(withRelation(plan, scanned, relation)).map(reporting)
        case None => Nil
      }
    case _ => Nil
  }

  /** The relation over our index, or None where it is not a plain Parquet one. */
  private def indexed(scanned: LogicalRelation): Option[LogicalRelation] = scanned.relation match {
    case fs: HadoopFsRelation if !scanned.isStreaming && scanned.stream.isEmpty && isPlainParquet(fs) =>
      val folders = TableFolders.of(scanned.catalogTable, fs.location.rootPaths)
      val conf = session.sessionState.conf
      // Columns that are found by their ids may have other names in the files.
      val byName = !(conf.parquetFieldIdReadEnabled && ParquetUtils.hasFieldIds(fs.schema))
      val index = new ZOrderFileIndex(session, fs.location, folders, source, byName && ZOrderConf.skipping(conf))
      Some(scanned.copy(relation = fs.copy(location = index)(fs.sparkSession)))
    case _ => None
  }

  // The classes themselves: Delta and others extend them with statistics and listings of their own. Bucketed scans look
  // at the listing while they are planned.
  private def isPlainParquet(relation: HadoopFsRelation): Boolean =
    relation.bucketSpec.isEmpty && relation.fileFormat.getClass == classOf[ParquetFileFormat] &&
      (relation.location.getClass == classOf[InMemoryFileIndex] || relation.location.getClass == classOf[
        CatalogFileIndex])

  private def withRelation(plan: LogicalPlan, from: LogicalRelation, to: LogicalRelation): LogicalPlan =
    plan.transformUp { case relation if relation eq from => to }

  private def reporting(planned: SparkPlan): SparkPlan = planned.transformUp {
    case scan: FileSourceScanExec if scan.dataFilters.nonEmpty && isSkipping(scan.relation) => IndexedScanExec.of(scan)
  }

  private def isSkipping(relation: HadoopFsRelation): Boolean = relation.location match {
    case index: ZOrderFileIndex => index.skipping
    case _ => false
  }
}
