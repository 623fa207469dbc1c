// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import scala.jdk.CollectionConverters._

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.errors.ZOrderAnalysisException
import io.sparkzorder.format.{ReadableTable, TableFormats, TableSnapshot, TableStatement}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.zorder.SparkInternals

/**
 * A table of another project's format, such as Hudi, whose rows come out of Parquet files. Iceberg's are among them on
 * Sparks for which there is no runtime of it.
 *
 * @param formats
 *   the formats that statements know
 */
private[advise] final class ForeignTable(
    found: ResolvedTable,
    formats: TableFormats,
    statement: TableStatement)
    extends ReadableTable {

  private val provider = TableFormats.provider(found)

  override val name: String =
    (found.catalog.name +: found.identifier.namespace.toSeq :+ found.identifier.name).map(quoteIfNeeded).mkString(".")

  override def schema: StructType =
    StructType(found.output.map(a => StructField(a.name, a.dataType, a.nullable, a.metadata)))

  /** None, as its files are not chosen by partitions. */
  override def partitionColumns: Seq[String] = Nil

  override def properties: Option[Map[String, String]] = Some(found.table.properties.asScala.toMap)

  /** Of a table of Spark's own catalog those by which it is partitioned. */
  def columnsNotInFiles: Seq[String] = SparkInternals.catalogTable(found.table).toSeq.flatMap(_.partitionColumnNames)

  override def snapshot(session: SparkSession): TableSnapshot = {
    val location = SparkInternals.catalogTable(found.table).flatMap(_.storage.locationUri).map(new Path(_).toString)
    val path = location.orElse(Option(found.table.properties.get("location"))).getOrElse("")
    new ForeignSnapshot(this, session, session.table(name), path)
  }

  /** The error where its rows come out of no files. */
  def unsupported: ZOrderAnalysisException = formats.unsupported(name, provider, statement)

  /** What z-orders the table into files of so many bytes, as its own project says it. */
  def rewriteText(columns: Seq[ColumnPath], targetFileBytes: Long): String =
    formats.named(provider).flatMap(_.rewriteText(found, columns, targetFileBytes)).getOrElse(
      s"-- by the means of $provider: z-order $name by (${columns.mkString(", ")})")
}
