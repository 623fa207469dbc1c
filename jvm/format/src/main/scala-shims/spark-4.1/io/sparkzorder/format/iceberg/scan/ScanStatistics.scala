// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import java.lang.ref.SoftReference

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparkzorder.format.iceberg.listing.PlannedFile

import org.apache.iceberg.{Schema, Table}
import org.apache.iceberg.expressions.{Expression => TableExpression}
import org.apache.iceberg.types.TypeUtil
import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * The bounds of the files that a scan may read, which Iceberg does not keep with the files that it has planned: its
 * manifests are read once more, when a query runs.
 *
 * @param schema
 *   the columns as the scan reads them, with their ids
 * @param filter
 *   by which the scan was planned
 */
private[scan] final class ScanStatistics(
    table: Table,
    snapshotId: Long,
    schema: Schema,
    filter: TableExpression,
    isCaseSensitive: Boolean) {

  private case class Loaded(ids: Set[Int], files: FilesOfScan)

  // For the query for a join's bounds and the scan, whose plans many sessions keep for long.
  @volatile private var last = new SoftReference[Loaded](null)

  def tableName: String = table.name

  /** Files with the bounds of the columns in expressions. */
  def load(of: Seq[Expression]): FilesOfScan = synchronized {
    loaded(of).getOrElse {
      val ids = Option(last.get).fold(Set.empty[Int])(_.ids) ++ idsOf(of)
      val files = planned(ids)
      last = new SoftReference(Loaded(ids, files))
      files
    }
  }

  /** What [[load]] has kept; None before, too. */
  def loaded(of: Seq[Expression]): Option[FilesOfScan] =
    Option(last.get).filter(l => idsOf(of).subsetOf(l.ids)).map(_.files)

  /** Of the columns and all that is in them. */
  private def idsOf(expressions: Seq[Expression]): Set[Int] = {
    val columns = expressions.flatMap(_.references).map(_.name).distinct.flatMap(name => Option(schema.findField(name)))
    columns.flatMap(c => c.fieldId +: TypeUtil.getProjectedIds(c.`type`).asScala.toSeq.map(_.intValue)).toSet
  }

  private def planned(ids: Set[Int]): FilesOfScan = {
    val scan =
      PlannedFile.byManifests(table).newScan().useSnapshot(snapshotId).caseSensitive(isCaseSensitive).filter(filter)
    // By the names that the columns had then; of one that was not there all are kept.
    val names = ids.toSeq.map(id => Option(scan.schema.findColumnName(id)))
    val withBounds =
      if (names.forall(_.isDefined)) scan.includeColumnStats(names.flatten.asJava) else scan.includeColumnStats()
    Using.resource(withBounds.planFiles()) { tasks =>
      new FilesOfScan(schema, table.specs, tasks.asScala.map(FilesOfScan.planned).toIndexedSeq)
    }
  }
}

private[scan] object ScanStatistics {

  /** None for a scan of which a release of Iceberg does not say all that it takes. */
  def of(scan: IcebergScan.Theirs): Option[ScanStatistics] =
    for {
      table <- ScanInternals.table(scan)
      snapshotId <- ScanInternals.snapshotId(scan)
      schema <- ScanInternals.projection(scan)
      filter <- ScanInternals.filter(scan)
      isCaseSensitive <- ScanInternals.isCaseSensitive(scan)
    } yield new ScanStatistics(table, snapshotId, schema, filter, isCaseSensitive)
}
