// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import scala.util.Try

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{ClusterableTable, TableFormat, TableFormats, UnresolvedPathTable}
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.index.{KnownSchemas, StatisticsIndexes}
import io.sparkzorder.format.parquet.listing.{TableDefinition, TableListing}
import io.sparkzorder.format.parquet.rewrite.{FileSchemas, PlainParquetCheck, RewriteLease}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals
import java.util
import org.apache.spark.sql.connector.catalog.{Column, Table, TableCapability}

/** The way from Spark's catalog, or from a folder, to a plain Parquet table. */
object ParquetFormat extends TableFormat {

  override def name: String = "parquet"

  override def isBareFiles: Boolean = true

  override def tableOf(session: SparkSession, table: ResolvedTable, statement: String): Option[ClusterableTable] =
    table.table match {
      case p: ParquetPathTable =>
        Some(described(session, p.name, p.path, None, p.dataSchema, p.partitionSchema, pathOptions))
      case other =>
        val found = SparkInternals.catalogTable(other).filter(TableFormats.formatOf(_) == name)
        found.map(ofCatalog(session, table.name, _, statement))
    }

  private def described(
      session: SparkSession,
      name: String,
      root: Path,
      catalogTable: Option[CatalogTable],
      data: StructType,
      partitions: StructType,
      options: Map[String, String]): ClusterableTable = {
    val folder = new TableFolder(root, session.sessionState.newHadoopConfWithOptions(options))
    new ParquetTable(session, TableDefinition(name, folder, catalogTable, data, partitions, options))
  }

  private def ofCatalog(
      session: SparkSession,
      name: String,
      entry: CatalogTable,
      statement: String): ClusterableTable = {
    if (entry.bucketSpec.isDefined) throw ZOrderErrors.bucketedTable(name, statement)
    val data = StructType(entry.schema.filterNot(f => entry.partitionColumnNames.contains(f.name)))
    described(
      session,
      name,
      new Path(entry.location),
      Some(entry),
      data,
      entry.partitionSchema,
      entry.storage.properties)
  }

  // A reader of a folder does not know all columns unless it merges what the files say.
  private val pathOptions = Map("mergeSchema" -> "true")

  /**
   * The table in a folder. Like Spark's own reader of a folder it reads the files' footers, in a job, of all files that the
   * statistics index does not know as they now are: nothing else knows the columns.
   *
   * @throws ZOrderAnalysisException
   *   where there is no folder or no file in it, and where files do not fit together
   */
  override def atPath(session: SparkSession, table: UnresolvedPathTable, name: String): Option[LogicalPlan] = {
    val folder = new TableFolder(new Path(table.path), session.sessionState.newHadoopConf())
    val unread = TableDefinition(name, folder, None, new StructType, new StructType, pathOptions)
    if (!folder.isFolderAnywhere(folder.root)) {
      if (folder.status(folder.root).isEmpty) throw TableFormats.notFound(table, name)
      throw ZOrderErrors.pathIsAFile(name, new Path(table.path).getParent.toString, table.statement.name)
    }
    new PlainParquetCheck(unread).check()
    val listing = unread.listing(session)
    def listed = {
      val found = if (table.statement.isToRepair) listing.all() else listing.files(Nil)
      // An open rewrite may leave all out: the statement is to end it.
      (if (found.isEmpty) listing.all() else found).sortBy(_.id.path)
    }
    // What is kept of the table may be damaged where that is to be repaired.
    lazy val index = if (table.statement.isToRepair) None else StatisticsIndexes.readable(session, folder)
    val schemas = TableListing.readingAnew(folder, listed)(identity) { files =>
      if (files.isEmpty) throw ZOrderErrors.pathNotFound(name, table.statement.name)
      new KnownSchemas(session, folder, index).of(files)
    }
    val partitions = listing.partitionSchema
    val data = new FileSchemas(session, name, partitions.fieldNames.toSeq, isStrict = false).merge(None, schemas)
    Some(ResolvedTable.create(
      SparkInternals.sessionCatalog(session),
      Identifier.of(Array("parquet"), folder.root.toString),
      new ParquetPathTable(name, folder.root, data, partitions)))
  }

  override def scan(scan: FileSourceScanExec): Option[TableFormat.Scan] = scan.relation.fileFormat match {
    case _: ParquetFileFormat => Some(new TableFormat.Scan(name, pushesFilters = true, None))
    case _ => None
  }

  override def writesInOrder: Boolean = true

  /** A table of which nothing is kept has no rewrite of its own, but one of a table above may have files in it. */
  override def betweenRewrites[T](session: SparkSession, folder: Path, entry: Option[CatalogTable])(body: => T): T = {
    val (conf, none) = (session.sessionState, new StructType)
    val name = entry.fold(s"parquet.`$folder`")(_.identifier.unquotedString)
    val table = TableDefinition(name, new TableFolder(folder, conf.newHadoopConf()), entry, none, none, Map.empty)
    new PlainParquetCheck(table).requireNotRewritten()
    if (!table.folder.isThere(table.folder.own)) body
    else {
      RewriteLease.requireWritable(table)
      RewriteLease.during(session, table, ZOrderConf.lockWait(conf.conf)) { _ =>
        // The listing warns of doubled rows, as every other does.
        Try(table.listing(session).files(Nil)): Unit
        body
      }
    }
  }
}

/** A folder of Parquet files that a statement names by its path, for the analyzer to resolve columns against. */
private[parquet] final class ParquetPathTable(
    override val name: String,
    val path: Path,
    val dataSchema: StructType,
    val partitionSchema: StructType)
    extends Table {

  /** What Spark 4.0 asks for, too. */
  override def schema: StructType = StructType(dataSchema ++ partitionSchema)

  override def columns: Array[Column] = SparkInternals.columns(schema)

  override def capabilities: util.Set[TableCapability] = util.Collections.emptySet()
}
