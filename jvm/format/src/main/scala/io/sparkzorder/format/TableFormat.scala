// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.errors.ZOrderAnalysisException

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * A format of tables: the way from a name or a folder to a table of it, with what only it knows of a scan and of the
 * order on write.
 *
 * All that a statement asks of a table is in [[ReadableTable]], [[ClusterableTable]] and [[TableSnapshot]]. `io.sparkzorder.Formats` lists
 * the formats; `docs/recipes.md` has the steps for a new one.
 */
trait TableFormat extends ScanFormat with WriteOrderFormat {

  /** As in `` name.`/path` `` and as a catalog's provider, in lower case. */
  def name: String

  /**
   * Whether its tables are files in a folder and nothing else: no log, no statistics and, without a catalog, no
   * properties. This project keeps the first two.
   */
  def isBareFiles: Boolean = false

  /** Whether a table of it is found by its folder alone, so that a name of two parts can mean one. */
  def isFoundByFolder: Boolean = true

  /**
   * The table of a resolved name.
   *
   * @param statement
   *   the name of the statement, for messages
   * @return
   *   None if the table is of another format
   * @throws ZOrderAnalysisException
   *   for a table of this format that statements cannot work on
   */
  def tableOf(session: SparkSession, table: ResolvedTable, statement: String): Option[ClusterableTable]

  /**
   * Checks a table name before Spark's catalogs report their own error.
   *
   * @param parts
   *   the name as a statement has it
   * @throws ZOrderAnalysisException
   *   for a name that selects of a table of this format what is not there
   */
  def requireNamed(session: SparkSession, parts: Seq[String]): Unit = ()

  /**
   * The table in a folder.
   *
   * @param named
   *   the table as named, with an absolute path
   * @param name
   *   the name of the table, for messages
   * @return
   *   a [[ResolvedTable]] that [[tableOf]] knows; None if the folder holds no table of this format
   */
  def atPath(session: SparkSession, named: UnresolvedPathTable, name: String): Option[LogicalPlan]

  /** What a plan of the format's own asks of OPTIMIZE; None for every other plan. */
  def optimizeCall(plan: LogicalPlan): Option[TableFormat.OptimizeCall] = None

  /** The table whose files a plan of the format's own takes over as they lie; None for every other plan. */
  def takenOver(plan: LogicalPlan): Option[TableIdentifier] = None

  /**
   * Runs `body`, which takes over the files in a folder, while no rewrite of a table in the folder is open. None begins
   * concurrently, if there has been one before.
   *
   * @param entry
   *   the catalog's, where the table has one
   * @throws ZOrderRuntimeException
   *   where another statement holds the table's lock
   */
  def betweenRewrites[T](session: SparkSession, folder: Path, entry: Option[CatalogTable])(body: => T): T = body

  /**
   * The error of a statement that has to work on a table of this format, where its library is not there. Statements that
   * only look at a table can do without.
   *
   * @param provider
   *   the short name of the table's format
   */
  def missing(table: String, provider: String): Option[ZOrderAnalysisException] = None

  /** Whether there is anything to work on tables of it with, as statements say of formats that they take. */
  def isOffered: Boolean = true

  /** What z-orders a table into files of so many bytes, as the format's own project says it; None where it has none. */
  def rewriteText(table: ResolvedTable, columns: Seq[ColumnPath], targetFileBytes: Long): Option[String] = None

  /** Rules that resolve statements of the format's own. */
  def resolutionRules: Seq[SparkSession => Rule[LogicalPlan]] = Nil

  /** Rules over plans of which every name is resolved. */
  def postHocResolutionRules: Seq[SparkSession => Rule[LogicalPlan]] = Nil

  /** Rules over analyzed plans, such as one that orders the format's own writes. */
  def normalizationRules: Seq[SparkSession => Rule[LogicalPlan]] = Nil
}

object TableFormat {

  /**
   * A statement of a format's own that lays out files anew.
   *
   * @param table
   *   a resolved table of any format, or a name or a folder for which nobody has looked yet
   * @param predicates
   *   texts of its WHERE clause, all of which must hold
   * @param columns
   *   the columns of its z-order; none where it only makes files of small ones
   */
  final case class OptimizeCall(table: LogicalPlan, predicates: Seq[String], columns: Seq[Expression])

  /**
   * How much of its table a scan reads.
   *
   * @param bytesTotal
   *   as `bytesRead`, of the columns that are read where it is known, else of whole files
   * @param note
   *   what is not known
   */
  final case class ReadVolume(
      filesTotal: Long,
      filesRead: Long,
      bytesTotal: Long,
      bytesRead: Long,
      rowsTotal: Long,
      note: String)

  /**
   * What a format knows of a scan.
   *
   * @param format
   *   the name of the format
   * @param pushesFilters
   *   whether the scan hands its filters on to the readers of the files
   * @param allFiles
   *   all files of the version of the table that the scan reads; None where the scan's file index has the answer
   */
  final class Scan(val format: String, val pushesFilters: Boolean, allFiles: => Option[Seq[FileStatus]]) {
    def files: Option[Seq[FileStatus]] = allFiles
  }
}
