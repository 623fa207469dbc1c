// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * A table as a query names it, by which its scans are known.
 *
 * Where the optimiser has chosen partitions of a catalog's table, a scan has their folders alone, which may be none or
 * lie anywhere. It still has the catalog's name, which the query's own plan brings together with the table's folder.
 *
 * @param analyzed
 *   the plan of the query, before it was optimised
 * @param table
 *   the table's name, by which tables of other sources are known
 * @param folder
 *   the table's folder, if it is known
 */
private[workload] final class NamedTable(analyzed: LogicalPlan, table: String, folder: Option[Path]) {

  private val relations: Seq[LogicalRelation] = analyzed.collectWithSubqueries {
    case relation: LogicalRelation if isHere(relation) => relation
  }

  private val names: Set[TableIdentifier] = relations.flatMap(_.catalogTable).map(_.identifier).toSet

  /** Whether the query names the table at all. */
  def isThere: Boolean = relations.nonEmpty ||
    analyzed.collectWithSubqueries { case relation: DataSourceV2Relation if is(relation) => relation }.nonEmpty

  /** Whether a scan reads files of the table: of one that reads no folder there are none. */
  def isScannedBy(name: Option[TableIdentifier], folders: Seq[Path]): Boolean =
    folders.nonEmpty && (name.exists(names) || folders.exists(TableFolders.isIn(_, folder)))

  def is(relation: DataSourceV2Relation): Boolean = {
    val name = for (catalog <- relation.catalog; identifier <- relation.identifier)
      yield (catalog.name +: identifier.namespace.toSeq :+ identifier.name).map(quoteIfNeeded).mkString(".")
    name.contains(table)
  }

  private def isHere(relation: LogicalRelation): Boolean = {
    val entry = relation.catalogTable.flatMap(_.storage.locationUri).map(new Path(_))
    val read = relation.relation match {
      case files: HadoopFsRelation => files.location.rootPaths
      case _ => Nil
    }
    (entry ++ read).exists(TableFolders.isIn(_, folder))
  }
}
