// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparkzorder.TestedSpark

import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{DataFrame, DataFrameWriter, QueryTest, Row}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.functions.col

/** Tables of many small pages, and comparisons of `EXPLAIN SKIPPING` with the scans of the query that ran. */
trait SkippingChecks { self: QueryTest =>

  protected val PageRows = 100L
  protected val FileRows = 1200L

  /** No setting of parquet-java 1.15, which Spark 4.0 has, ends a row group by its rows: there a file is one. */
  protected val GroupRows: Long = if (TestedSpark.isAtLeast("4.1")) 300L else FileRows

  protected def groupsOf(files: Int): Long = files * FileRows / GroupRows

  /** `files` files of 1,200 rows in the order of `a`, the row's number: row groups of [[GroupRows]], 12 pages of 100. */
  protected def points(files: Int): DataFrame = spark
    .range(0, files * FileRows, 1, files)
    .selectExpr(
      "id AS a",
      "cast(id % 7 as int) AS b",
      "printf('v-%06d', id) AS s",
      "if(id % 1200 < 600, NULL, id / 4.0D) AS n",
      "named_struct('x', id, 'y', cast(id as string)) AS st",
      "timestamp_seconds(id * 3600) AS ts",
      "date_add(DATE'1990-01-01', cast(id as int)) AS d",
      "cast(id / 100.0 as decimal(10, 2)) AS dec",
      "cast(id as decimal(30, 2)) AS big",
      "array(id, id + 1) AS arr"
    )

  /** What makes a writer cut pages and row groups by the number of rows alone. */
  protected val smallPages: Map[String, String] = Map(
    "parquet.page.row.count.limit" -> PageRows.toString,
    "parquet.block.row.count.limit" -> GroupRows.toString,
    "parquet.page.size.row.check.min" -> "1",
    "parquet.block.size.row.check.min" -> "1"
  )

  protected def small(data: DataFrame): DataFrameWriter[Row] = data.write.options(smallPages)

  protected def explain(query: String): Seq[Row] = spark.sql(s"EXPLAIN SKIPPING $query").collect().toSeq

  /** The one row of a query with one scan. */
  protected def explainOne(query: String): Row = explain(query) match {
    case Seq(row) => row
    case other => fail(s"$query: ${other.mkString("\n")}")
  }

  protected def longs(row: Row, names: String*): Seq[Long] = names.map(n => row.getAs[Long](n))

  protected def files(row: Row): Seq[Long] = longs(row, "files_total", "files_read")
  protected def groups(row: Row): Seq[Long] = longs(row, "row_groups_total", "row_groups_read")
  protected def pages(row: Row): Seq[Long] = longs(row, "pages_total", "pages_read")
  protected def bytes(row: Row): Seq[Long] = longs(row, "bytes_total", "bytes_read")

  /** The scans of a query after it ran. */
  protected def ran(query: String): Seq[FileSourceScanExec] = {
    val data = spark.sql(query)
    data.collect()
    QueryScans.of(data.queryExecution.executedPlan).collect { case scan: FileSourceScanExec => scan }
  }

  /**
   * The row for a query with one scan, which is what the scan then reads: as many files, and the rows of as many pages.
   *
   * @param leaves
   *   columns of the files that the query reads; their pages have [[PageRows]] rows each
   */
  protected def requireAgreement(query: String, leaves: Int): Row = {
    val row = explainOne(query)
    val scan = ran(query).head
    assert(row.getAs[Long]("files_read") === scan.metrics("numFiles").value, query)
    val rows = scan.metrics("numOutputRows").value
    assert(row.getAs[Long]("pages_read") * PageRows === rows * leaves, s"$query: $row, $rows rows")
    val (total, read) = (pages(row).head, pages(row)(1))
    assert(row.getAs[Long]("rows_total") * leaves === total * PageRows, query)
    assert(read <= total && groups(row)(1) <= groups(row).head && bytes(row)(1) <= bytes(row).head, query)
    assert((read == 0) === (bytes(row)(1) == 0) && (read == 0) === (groups(row)(1) == 0), query)
    row
  }

  private def inFiles[T](table: DataFrame)(body: ParquetFileReader => T): Seq[T] =
    table.select("_metadata.file_path").distinct().collect().toSeq.map { file =>
      val path = new Path(new java.net.URI(file.getString(0)))
      Using.resource(ParquetFileReader.open(HadoopInputFile.fromPath(path, spark.sessionState.newHadoopConf())))(body)
    }

  protected def footers(table: DataFrame): Seq[ParquetMetadata] = inFiles(table)(_.getFooter)

  /** The compressed bytes of a column's data pages, by row group. */
  protected def pageBytes(table: DataFrame, column: String): Seq[Seq[Long]] = inFiles(table) { reader =>
    reader.getRowGroups.asScala.toSeq.map { group =>
      val index = reader.readOffsetIndex(group.getColumns.asScala.find(_.getPath.toDotString == column).get)
      (0 until index.getPageCount).map(index.getCompressedPageSize(_).toLong)
    }
  }.flatten

  /** The compressed bytes of some columns, by the footers of all files. */
  protected def bytesOf(table: DataFrame, columns: String*): Long = footers(table)
    .flatMap(_.getBlocks.asScala)
    .flatMap(_.getColumns.asScala)
    .filter(c => columns.contains(c.getPath.toDotString))
    .map(_.getTotalSize)
    .sum

  /** How many runs of `size` rows of a file have a value of `column` from `low` to `high` between their bounds. */
  protected def overlapping(table: DataFrame, column: String, low: Long, high: Long, size: Long): Long = table
    .select(col("_metadata.file_path"), col("_metadata.row_index"), col(column).cast("long"))
    .collect()
    .groupBy(r => (r.getString(0), r.getLong(1) / size))
    .values
    .map(_.map(_.getLong(2)))
    .count(values => values.min <= high && values.max >= low)
    .toLong
}
