// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import java.io.FileNotFoundException
import java.net.URI

import scala.util.Try

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{Clustering, DataFile, StatisticsRemedy, TableSnapshot}
import io.sparkzorder.parquet.footer.{FileStatistics, FileStatisticsReader, SchemaDetail, StatisticsColumn}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.functions.input_file_name
import org.apache.spark.sql.types.StructType

/**
 * The files out of which the rows of a table come, as the table's own reader names them, with the statistics of their
 * footers. What the format itself keeps of them is not read.
 *
 * @param path
 *   the table's folder; empty where it is not known
 */
private[advise] final class ForeignSnapshot(
    table: ForeignTable,
    session: SparkSession,
    data: DataFrame,
    override val path: String)
    extends TableSnapshot {

  private val columns: IndexedSeq[StatisticsColumn] =
    StatisticsColumn.of(table.schema).filterNot(c => table.columnsNotInFiles.contains(c.path.head))

  override def id: String = table.name

  override def schema: StructType = table.schema

  override def partitionSchema: StructType = new StructType

  override def targetFileBytes: Option[Long] = None

  override def storedNames(column: ColumnPath): Seq[String] = column.parts

  override def columnsWithStatistics: Seq[ColumnPath] = columns.map(c => ColumnPath(c.path))

  override def statisticsRemedy(column: ColumnPath): StatisticsRemedy =
    StatisticsRemedy(
      "rewrite the files with them",
      s"rewrite the files of ${table.name} with a writer that keeps statistics of the column in Parquet's footers")

  /** One job finds the names, another reads the footers. */
  override def files(predicate: Option[Expression]): IndexedSeq[DataFile] = {
    val names = data.select(input_file_name()).distinct().collect().map(_.getString(0)).sorted.toIndexedSeq
    // A source that is no file, such as a database, has no name.
    if (names.exists(_.isEmpty)) throw table.unsupported
    val hadoop = session.sessionState.newHadoopConf()
    val listed = names.map(ForeignSnapshot.status(_, hadoop))
    val footers = new FileStatisticsReader(session).readListed(listed, columns, SchemaDetail.None)
    listed.zip(footers).map { case (status, footer) => new ForeignFile(status, footer, columns) }
  }

  override def read(files: IndexedSeq[DataFile]): DataFrame = data
}

private[advise] object ForeignSnapshot {

  /**
   * The file that a reader names. Spark's own encode the names as in a URI, Iceberg's do not, and both may have a `%`.
   *
   * @throws ZOrderRuntimeException
   *   where there is no such file
   */
  def status(name: String, hadoop: Configuration): FileStatus = {
    def found(file: Path) =
      try Some(file.getFileSystem(hadoop).getFileStatus(file))
      catch { case _: FileNotFoundException => None }
    Try(new Path(new URI(name))).toOption.flatMap(found).orElse(found(new Path(name))).getOrElse {
      throw ZOrderErrors.unreadableFile(name, "there is no such file", new FileNotFoundException(name))
    }
  }
}

/** A file of a table, by its footer. */
private final class ForeignFile(status: FileStatus, footer: FileStatistics, columns: Seq[StatisticsColumn])
    extends DataFile {

  override def path: String = location

  override def location: String = status.getPath.toString

  override def partition: InternalRow = InternalRow.empty

  override def partitionName: String = ""

  override def bytes: Long = status.getLen

  override def rows: Option[Long] = Some(footer.rows)

  override def deletedRows: Long = 0L

  override def liveBytes: Long = bytes

  override def statistics(column: ColumnPath): ColumnStatistics =
    columns.find(_.path == column.parts).fold(ColumnStatistics.unknown)(footer.of)

  override def clustering: Option[Clustering] = None
}
