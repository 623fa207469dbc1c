// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.explain

import io.sparkzorder.format.TableFormat

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{
  BucketingUtils,
  CatalogFileIndex,
  FileIndex,
  HadoopFsRelation,
  LogicalRelation
}

/**
 * A table as one scan of a query sees it.
 *
 * @param known
 *   the facts that its format knows of the scan
 * @param query
 *   the plan of the query, analysed and not yet optimised
 */
private[command] class ScannedTable(scan: FileSourceScanExec, known: TableFormat.Scan, query: LogicalPlan) {

  private val relation = scan.relation

  /** Its name in the catalog, or its format and folder: `` spark_catalog.default.t ``, `` delta.`/data/t` ``. */
  def name: String = scan.tableIdentifier match {
    case Some(table) => ScannedTable.nameOf(table)
    case None =>
      relation.location.rootPaths.map(p => s"${known.format}.`${p.toUri.getPath.replace("`", "``")}`").mkString(", ")
  }

  /** The files that the scan opens: those that it lists by itself while it is planned, in the buckets that it reads. */
  def filesRead: IndexedSeq[FileStatus] =
    scan.selectedPartitions.filePartitionIterator
      .flatMap(_.files)
      .map(_.fileStatus)
      .filter(f => isInBuckets(f.getPath))
      .toIndexedSeq

  private def isInBuckets(file: Path): Boolean =
    !relation.sparkSession.sessionState.conf.bucketingEnabled || scan.optionalBucketSet.forall { buckets =>
      BucketingUtils.getBucketId(file.getName).forall(buckets.get)
    }

  /** All files of the table, those that the scan reads among them. */
  def files: IndexedSeq[FileStatus] = {
    val all = known.files.getOrElse(beforePruning.listFiles(Nil, Nil).flatMap(_.files).map(_.fileStatus))
    // Tables without a log may have changed since the scan was planned.
    (all ++ filesRead).distinctBy(_.getPath).toIndexedSeq
  }

  /** The optimiser replaces the file index of a partitioned table by one over the partitions that the query names. */
  private def beforePruning: FileIndex = {
    val ofCatalog = query.collectWithSubqueries {
      case LogicalRelation(HadoopFsRelation(index: CatalogFileIndex, _, _, _, _, _), _, Some(table), _, _)
          if scan.tableIdentifier.contains(table.identifier) =>
        index
    }
    ofCatalog.headOption.getOrElse(relation.location)
  }
}

private[command] object ScannedTable {

  /** A table's name in the catalog, as statements take it. */
  def nameOf(table: TableIdentifier): String = table.nameParts.map(quoteIfNeeded).mkString(".")
}
