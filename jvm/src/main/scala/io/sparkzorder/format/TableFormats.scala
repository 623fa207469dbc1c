package io.sparkzorder.format

import java.util.Locale

import io.sparkzorder.compat.Versions
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.delta.{DeltaFormat, DeltaScan}
import io.sparkzorder.format.parquet.ParquetFormat
import io.sparkzorder.plan.UnresolvedPathTable

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FileFormat, FileIndex}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.zorder.SparkInternals

/** Finds the format of a table. Delta's classes are touched only where Delta Lake is on the class path. */
object TableFormats {

  private val Delta = "delta"
  private val Parquet = "parquet"

  /** What a user without Delta Lake is told to add. */
  private lazy val deltaPackage: String =
    s"io.delta:delta-spark_${Versions("spark.minor")}_${Versions("scala.binary")}:${Versions("delta")}"

  /** Whether Delta Lake is on the class path. */
  lazy val hasDelta: Boolean =
    try {
      Class.forName("org.apache.spark.sql.delta.DeltaLog", false, getClass.getClassLoader)
      true
    } catch { case _: ClassNotFoundException => false }

  /**
   * The table that a catalog or [[resolvePath]] found.
   *
   * @throws ZOrderAnalysisException for a format other than Delta and Parquet, and for Delta without its library
   */
  def of(session: SparkSession, table: ResolvedTable, statement: String): ClusterableTable =
    (if (hasDelta) DeltaFormat.of(table) else None).orElse(ParquetFormat.of(session, table, statement)).getOrElse {
      provider(table) match {
        case Delta => throw ZOrderErrors.deltaNotOnClassPath(table.name, deltaPackage)
        case other => throw ZOrderErrors.unsupportedFormat(table.name, other, statement)
      }
    }

  private def provider(table: ResolvedTable): String =
    SparkInternals
      .v1Provider(table.table)
      .orElse(Option(table.table.properties.get(TableCatalog.PROP_PROVIDER)))
      .getOrElse(table.table.getClass.getSimpleName)
      .toLowerCase(Locale.ROOT)

  private def hasDeltaLog(session: SparkSession, table: UnresolvedPathTable): Boolean = {
    val log = new Path(table.path, "_delta_log")
    log.getFileSystem(session.sessionState.newHadoopConf()).exists(log)
  }

  private def delta(session: SparkSession, table: UnresolvedPathTable): Option[LogicalPlan] =
    if (hasDelta) DeltaFormat.atPath(session, new Path(table.path)) else None

  /** Whether Spark reads a folder by the name `` format.`path` `` where no table is called so. */
  def readsFolders(session: SparkSession, format: String): Boolean =
    session.sessionState.conf.runSQLonFile && Set(Delta, Parquet)(format.toLowerCase(Locale.ROOT))

  /** Resolves a table that is named by its folder. */
  def resolvePath(session: SparkSession, named: UnresolvedPathTable): LogicalPlan = {
    val table = named.copy(path = absolute(session, named))
    val name = table.format.fold(s"'${table.path}'")(f => s"$f.`${table.path}`")
    table.format.map(_.toLowerCase(Locale.ROOT)) match {
      case Some(Delta) if !hasDelta => throw ZOrderErrors.deltaNotOnClassPath(name, deltaPackage)
      case Some(Delta) => delta(session, table).getOrElse(throw ZOrderErrors.pathNotFound(name, table.statement))
      case Some(Parquet) => ParquetFormat.atPath(session, table, name)
      // The folder itself tells.
      case None if !hasDelta && hasDeltaLog(session, table) =>
        throw ZOrderErrors.deltaNotOnClassPath(name, deltaPackage)
      case None => delta(session, table).getOrElse(ParquetFormat.atPath(session, table, name))
      case Some(other) => throw ZOrderErrors.unsupportedFormat(name, other, table.statement)
    }
  }

  /** A relative path is, as for all of Spark, relative to the working folder of its file system. */
  private def absolute(session: SparkSession, table: UnresolvedPathTable): String =
    if (table.path.trim.isEmpty) throw ZOrderErrors.pathNotFound(s"'${table.path}'", table.statement)
    else {
      val path = new Path(table.path)
      if (path.isAbsolute) table.path
      else path.getFileSystem(session.sessionState.newHadoopConf()).makeQualified(path).toString
    }

  // Scans

  /** Whether the format keeps its rows in Parquet files: plain ones, or Delta's, whose format extends Spark's. */
  def isParquet(format: FileFormat): Boolean = format.isInstanceOf[ParquetFileFormat]

  /** The format of a scan as in `` delta.`/path` ``. */
  def name(format: FileFormat): String = if (hasDelta && DeltaScan.isDelta(format)) Delta else Parquet

  /** Whether the scan of Parquet files hands its filters on to their readers. */
  def pushesFilters(scan: FileSourceScanExec): Boolean =
    !hasDelta || !DeltaScan.isDelta(scan.relation.fileFormat) || DeltaScan.pushesFilters(scan)

  /** All files of the table behind a file index, where its format has a better answer than the index. */
  def allFiles(session: SparkSession, index: FileIndex): Option[Seq[FileStatus]] =
    if (hasDelta) DeltaScan.allFiles(session, index) else None
}
