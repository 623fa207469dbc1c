package io.sparkzorder.skipping

import io.sparkzorder.config.ZOrderConf
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetUtils}

/**
 * Puts a [[ZOrderFileIndex]] in front of the files of plain Parquet relations. It reads no file.
 *
 * To be injected as a rule before cost-based optimization: that is behind Spark's pruning of catalog partitions, which
 * wants to see its own file index, and before all planner strategies. A strategy of our own would come too late where an
 * extension that is listed before ours has one: Delta's takes the scans of all files, and hands them to Spark's. What
 * looks a plan up among the cached ones has done so before.
 *
 * `spark.sql.zorder.skipping.enabled` is read here. Off, listings still go through our file index, which then leaves
 * nothing out.
 */
final class SkippingRelations(session: SparkSession, source: IndexSource) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform { case scanned: LogicalRelation =>
    indexed(scanned)
  }

  /** The relation over our index, if it is a plain Parquet one. */
  private def indexed(scanned: LogicalRelation): LogicalRelation = scanned.relation match {
    case fs: HadoopFsRelation if !scanned.isStreaming && scanned.stream.isEmpty && isPlainParquet(fs) =>
      val folders = TableFolders.of(scanned.catalogTable, fs.location.rootPaths)
      val conf = session.sessionState.conf
      // Columns that are found by their ids may have other names in the files.
      val byName = !(conf.parquetFieldIdReadEnabled && ParquetUtils.hasFieldIds(fs.schema))
      val index = new ZOrderFileIndex(session, fs.location, folders, source, byName && ZOrderConf.skipping(conf))
      scanned.copy(relation = fs.copy(location = index)(fs.sparkSession))
    case _ => scanned
  }

  // The classes themselves: Delta and others extend them with statistics and listings of their own. Bucketed scans look
  // at the listing while they are planned.
  private def isPlainParquet(relation: HadoopFsRelation): Boolean =
    relation.bucketSpec.isEmpty && relation.fileFormat.getClass == classOf[ParquetFileFormat] &&
      (relation.location.getClass == classOf[InMemoryFileIndex] || relation.location.getClass == classOf[
        CatalogFileIndex])
}
