// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import java.util.Locale

import io.sparkzorder.column.TableOrder
import io.sparkzorder.errors.{ZOrderAnalysisException, ZOrderErrors}
import io.sparkzorder.skipping.predicate.{ListedStatistics, ReaderScan}

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, TableCatalog}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{DataSource, FileIndex}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.zorder.SparkInternals

/**
 * Finds the format of a table, a folder or a scan.
 *
 * @param formats
 *   the formats in the order in which they are asked; the last takes any folder that no other knows
 */
final class TableFormats(formats: Seq[TableFormat]) {

  /**
   * The table that a catalog or [[resolvePath]] found.
   *
   * @throws ZOrderAnalysisException for a table of no format in the list
   */
  def tableOf(session: SparkSession, table: ResolvedTable, statement: TableStatement): ClusterableTable =
    find(session, table, statement).getOrElse {
      val provider = TableFormats.provider(table)
      throw first(_.missing(table.name, provider)).getOrElse(unsupported(table.name, provider, statement))
    }

  /** The error of a statement on a table of no format in the list. */
  def unsupported(table: String, format: String, statement: TableStatement): ZOrderAnalysisException = {
    val taken = formats.filter(f => f.isOffered && (f.isBareFiles || !statement.isForOwnRecords))
    ZOrderErrors.unsupportedFormat(table, format, statement.name, taken.map(_.name.capitalize))
  }

  /**
   * As [[tableOf]]; None for a table of no format in the list.
   *
   * @throws ZOrderAnalysisException for a table of a format in the list that statements cannot work on
   */
  def find(session: SparkSession, table: ResolvedTable, statement: TableStatement): Option[ClusterableTable] =
    first(_.tableOf(session, table, statement.name))

  /** @throws ZOrderAnalysisException for a name that selects of a table what is not there */
  def requireNamed(session: SparkSession, parts: Seq[String]): Unit = formats.foreach(_.requireNamed(session, parts))

  /** Whether to set the properties can make the order of a table, change it or undo it. */
  def touchOrder(properties: Map[String, String]): Boolean =
    TableOrder.PropertyNames.exists(properties.contains) || formats.exists(_.undoesOrder(properties).isDefined)

  /** Whether Spark reads a folder by the name `` format.`path` `` where no table is called so. */
  def readsFolders(session: SparkSession, format: String): Boolean =
    session.sessionState.conf.runSQLonFile && named(format).exists(_.isFoundByFolder)

  /**
   * Resolves a table that is named by its folder.
   *
   * @throws ZOrderAnalysisException where there is no such table
   */
  def resolvePath(session: SparkSession, table: UnresolvedPathTable): LogicalPlan = {
    val absolute = table.copy(path = TableFormats.absolute(session, table))
    val name = absolute.format.fold(s"'${absolute.path}'")(f => s"$f.`${absolute.path}`")
    val found = absolute.format match {
      case None => first(_.atPath(session, absolute, name))
      case Some(f) =>
        val format = named(f).getOrElse {
          throw unsupported(name, f.toLowerCase(Locale.ROOT), table.statement)
        }
        format.atPath(session, absolute, name).orElse(refuseOther(session, absolute, name, format))
    }
    found.getOrElse(throw TableFormats.notFound(absolute, name))
  }

  /** Nothing where no other format has a table in the folder either. */
  private def refuseOther(
      session: SparkSession,
      table: UnresolvedPathTable,
      name: String,
      format: TableFormat): Option[LogicalPlan] = {
    for (other <- formats if other != format) {
      val otherName = s"${other.name}.`${table.path}`"
      val found =
        try other.atPath(session, table.copy(format = Some(other.name)), otherName)
        // Nor is it a table of this format, or not one that can be read.
        catch { case _: SparkThrowable => None }
      if (found.isDefined) throw ZOrderErrors.otherFormatAtPath(name, format.name, otherName, table.statement.name)
    }
    None
  }

  /** What its format knows of a scan; None if the scan is not of Parquet files. */
  def scan(scan: FileSourceScanExec): Option[TableFormat.Scan] = first(_.scan(scan))

  /** How much a scan by a format's own reader reads; None where nothing is known of it. */
  def readVolume(scan: BatchScanExec): Option[TableFormat.ReadVolume] = first(_.readVolume(scan))

  /** A scan by a format's own reader as one that leaves out files when it runs; None where its format cannot. */
  def prunable(scan: BatchScanExec): Option[ReaderScan] = first(_.prunable(scan))

  /** Bytes of the files of a scan by a format's own reader, if it has the same rows whenever it runs. */
  def bytesOfVersion(scan: Scan): Option[BigInt] = first(_.bytesOfVersion(scan))

  /** The statistics of the files that a scan's file index lists, of formats that keep them in a log of their own. */
  def statistics(session: SparkSession, location: FileIndex): Option[ListedStatistics] =
    first(_.statistics(session, location))

  /** What a plan of a format's own asks of OPTIMIZE; None for every other plan. */
  def optimizeCall(plan: LogicalPlan): Option[TableFormat.OptimizeCall] = first(_.optimizeCall(plan))

  /** The table whose files a plan of a format's own takes over as they lie; None for every other plan. */
  def takenOver(plan: LogicalPlan): Option[TableIdentifier] = first(_.takenOver(plan))

  /** Runs what takes over the files in a folder while no rewrite of any table there is open, and none begins. */
  def betweenRewrites[T](session: SparkSession, folder: Path, entry: Option[CatalogTable])(body: => T): T =
    formats.foldRight(() => body)((format, inner) => () => format.betweenRewrites(session, folder, entry)(inner()))()

  def resolutionRules: Seq[SparkSession => Rule[LogicalPlan]] = formats.flatMap(_.resolutionRules)

  def postHocResolutionRules: Seq[SparkSession => Rule[LogicalPlan]] = formats.flatMap(_.postHocResolutionRules)

  def normalizationRules: Seq[SparkSession => Rule[LogicalPlan]] = formats.flatMap(_.normalizationRules)

  /** The format of tables that a catalog makes where a statement names none; None for a catalog of no format's own. */
  def defaultOf(catalog: CatalogPlugin): Option[TableFormat] = formats.find(_.isDefaultOf(catalog))

  /** The format of a name, in whatever case. */
  def named(format: String): Option[TableFormat] = formats.find(_.name == format.toLowerCase(Locale.ROOT))

  private def first[T](ask: TableFormat => Option[T]): Option[T] = formats.iterator.flatMap(ask(_)).nextOption()
}

object TableFormats {

  /** The format of a table as a catalog has it, by its short name. */
  def provider(table: ResolvedTable): String =
    shortName(
      SparkInternals
        .v1Provider(table.table)
        .orElse(Option(table.table.properties.get(TableCatalog.PROP_PROVIDER)))
        .getOrElse(table.table.getClass.getSimpleName))

  /**
   * The name of a format in lower case. USING also takes a class or its package, `org.apache.spark.sql.parquet` for one:
   * these are asked for the short name.
   */
  def shortName(format: String): String = {
    val name =
      if (!format.contains('.')) format
      else
        try
          DataSource.lookupDataSource(format, SQLConf.get).getConstructor().newInstance() match {
            case source: DataSourceRegister => source.shortName()
            case _ => format
          }
        // No class of a format, or one that is not here: the name itself is all that is known.
        catch { case _: SparkThrowable | _: ReflectiveOperationException | _: LinkageError => format }
    name.toLowerCase(Locale.ROOT)
  }

  /** The short name of the format of a table of Spark's session catalog; of a table of Hive's that of its files. */
  def formatOf(table: CatalogTable): String = {
    val provider = shortName(table.provider.getOrElse("hive"))
    val isHivesParquet =
      provider == "hive" && table.storage.serde.exists(_.toLowerCase(Locale.ROOT).contains("parquet"))
    if (isHivesParquet) "parquet" else provider
  }

  /** There is no table in the folder that `table` names; `name` is that of the whole in messages. */
  def notFound(table: UnresolvedPathTable, name: String): ZOrderAnalysisException = {
    val folders = table.path.split("/", -1).takeWhile(!_.exists("*?[{".contains(_))).mkString("/")
    if (folders == table.path) ZOrderErrors.pathNotFound(name, table.statement.name)
    else ZOrderErrors.pathWithWildcard(name, if (folders.isEmpty) "/" else folders, table.statement.name)
  }

  /** A relative path is, as for all of Spark, relative to the working folder of its file system. */
  private def absolute(session: SparkSession, table: UnresolvedPathTable): String =
    if (table.path.trim.isEmpty) throw ZOrderErrors.pathNotFound(s"'${table.path}'", table.statement.name)
    else {
      val path = new Path(table.path)
      if (path.isAbsolute) table.path
      else path.getFileSystem(session.sessionState.newHadoopConf()).makeQualified(path).toString
    }
}
