// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import java.util.Locale

import io.sparkzorder.command.QueryScans
import io.sparkzorder.skipping.scan.ScanNotes

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, PlanExpression}
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.{FileSourceScanExec, QueryExecution}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}

/**
 * The tables that a query reads, whether it has run or is only planned, and its scans of them.
 *
 * Where the optimiser has chosen partitions of a catalog's table, a scan has their folders alone, which may be none or
 * lie anywhere. It still has the catalog's name, which the query's own plan brings together with the table's folder.
 */
private[workload] final class QueriedTables(execution: QueryExecution) {

  private val relations: Seq[LogicalRelation] =
    execution.analyzed.collectWithSubqueries { case relation: LogicalRelation => relation }

  private val sources: Seq[DataSourceV2Relation] =
    execution.analyzed.collectWithSubqueries { case relation: DataSourceV2Relation => relation }

  private val columns: Set[String] = (relations ++ sources).flatMap(_.output).map(lowerCase).toSet

  /** Whether the query names a table at all. */
  def has(table: AdvisedTable): Boolean =
    relations.exists(folders(_).exists(table.holds)) || sources.exists(nameOf(_).contains(table.name))

  /**
   * The scans of files, but for those of which no partition is left, and of sources of other kinds.
   *
   * @param isAsked
   *   which scans of files are asked for
   */
  def scans(isAsked: FileSourceScanExec => Boolean = _ => true): Seq[TableScan] =
    ofFiles(isAsked) ++ ofSources(execution.optimizedPlan)

  private def ofFiles(isAsked: FileSourceScanExec => Boolean): Seq[TableScan] =
    QueryScans.of(execution.executedPlan).collect {
      case scan: FileSourceScanExec if scan.relation.location.rootPaths.nonEmpty && isAsked(scan) =>
        val ofTable = scan.tableIdentifier.toSeq.flatMap(foldersOf.getOrElse(_, Nil))
        val filters = scan.partitionFilters ++ scan.dataFilters
        TableScan(ofTable ++ scan.relation.location.rootPaths, None, filters.filter(isUsable))
    }

  /** By the filters above each scan. */
  private def ofSources(plan: LogicalPlan): Seq[TableScan] = {
    val own = plan match {
      case PhysicalOperation(_, filters, scan: DataSourceV2ScanRelation) =>
        nameOf(scan.relation).map(name => TableScan(Nil, Some(name), filters.filter(isUsable))).toSeq
      case other => other.children.flatMap(ofSources)
    }
    own ++ plan.subqueries.flatMap(ofSources)
  }

  /**
   * What needs no other query's result and is a filter of rows, not a note for the scan. A column that no table of the
   * query has is of the format's own making.
   */
  private def isUsable(filter: Expression): Boolean =
    filter.deterministic && !filter.exists(_.isInstanceOf[PlanExpression[_]]) && !ScanNotes.isNote(filter) &&
      filter.references.forall(a => columns(lowerCase(a)))

  private lazy val foldersOf: Map[TableIdentifier, Seq[Path]] =
    relations.flatMap(r => r.catalogTable.map(_.identifier -> folders(r))).groupMapReduce(_._1)(_._2)(_ ++ _)

  private def folders(relation: LogicalRelation): Seq[Path] = {
    val entry = relation.catalogTable.flatMap(_.storage.locationUri).map(new Path(_))
    val read = relation.relation match {
      case files: HadoopFsRelation => files.location.rootPaths
      case _ => Nil
    }
    entry.toSeq ++ read
  }

  private def nameOf(relation: DataSourceV2Relation): Option[String] =
    for (catalog <- relation.catalog; identifier <- relation.identifier)
      yield (catalog.name +: identifier.namespace.toSeq :+ identifier.name).map(quoteIfNeeded).mkString(".")

  private def lowerCase(column: Attribute): String = column.name.toLowerCase(Locale.ROOT)
}

/**
 * A scan of a table, with the filters that Spark pushes to it.
 *
 * @param folders
 *   by which a table of files is known, its own folder first if it is known
 * @param source
 *   the name by which a table of another source is known
 */
private[workload] final case class TableScan(folders: Seq[Path], source: Option[String], filters: Seq[Expression]) {

  def isOf(table: AdvisedTable): Boolean = source.contains(table.name) || folders.exists(table.holds)
}

/**
 * The table of which a workload is asked.
 *
 * @param folder
 *   the table's folder, if it is known
 */
private[advise] final case class AdvisedTable(name: String, folder: Option[Path]) {

  /** Whether `path` is the folder of the table or lies in it, as far as both say on which file system they are. */
  def holds(path: Path): Boolean = folder.exists { own =>
    def differ(a: String, b: String) = a != null && b != null && !a.equalsIgnoreCase(b)
    val (inner, outer) = (path.toUri, own.toUri)
    !differ(inner.getScheme, outer.getScheme) && !differ(inner.getAuthority, outer.getAuthority) &&
    s"${inner.getPath.stripSuffix("/")}/".startsWith(s"${outer.getPath.stripSuffix("/")}/")
  }
}
