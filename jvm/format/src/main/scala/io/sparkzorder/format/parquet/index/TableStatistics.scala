// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.format.{Clustering, ListedFile}
import io.sparkzorder.format.parquet.listing.{ParquetFile, TableListing}
import io.sparkzorder.parquet.footer.{FileStatistics, FileStatisticsReader, StatisticsColumn}
import io.sparkzorder.skipping.predicate.{FilePredicate, FilesWithStatistics}

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * The statistics of listed files: out of the statistics index where it knows the file as it now is, out of footers
 * where not.
 *
 * @param columns
 *   columns of the table, in its own spelling
 */
private[parquet] class TableStatistics(
    session: SparkSession,
    columns: IndexedSeq[StatisticsColumn],
    index: Option[StatisticsIndex],
    listed: IndexedSeq[TableListing.File],
    state: FileStatus => Option[Long]) {

  import TableStatistics.column

  private val reader = new FileStatisticsReader(session)

  private val numbers: Map[ListedFile, Int] = index.fold(Map.empty[ListedFile, Int])(_.numbersOf(listed, state))

  private lazy val indexed: Map[Seq[String], StatisticsColumn] =
    index.fold(Map.empty[Seq[String], StatisticsColumn])(_.columnsFor(session).filter(columns.contains).map(c =>
      c.path -> c).toMap)

  private val unknown: Map[String, FileStatistics] = read(listed.filterNot(f => numbers.contains(f.id)), columns)

  /** Statistics of columns that the index does not have, of files that it knows. */
  private lazy val others = columns.filterNot(c => indexed.contains(c.path))
  private lazy val rest: Map[String, FileStatistics] =
    read(listed.filter(f => numbers.contains(f.id)), others)

  private def read(
      files: IndexedSeq[TableListing.File],
      of: IndexedSeq[StatisticsColumn]): Map[String, FileStatistics] =
    files.map(_.id.path).zip(reader.readListed(files.map(_.status), of)).toMap

  val files: IndexedSeq[ParquetFile] = listed.map { f =>
    numbers.get(f.id) match {
      case Some(number) =>
        new ParquetFile(f, index.get.rows(number), fromIndex(f, number, _), clustering(number))
      case None =>
        val statistics = unknown(f.id.path)
        val clustering = index.flatMap(_.clusteringOf(f.id, statistics.rows))
        new ParquetFile(f, statistics.rows, column(columns, statistics, _), clustering)
    }
  }

  private def clustering(number: Int): Option[Clustering] = index.get.clusterings(number)

  private def fromIndex(file: TableListing.File, number: Int, path: ColumnPath): Option[ColumnStatistics] =
    indexed.get(path.parts) match {
      case Some(wanted) => Some(index.get.load(Seq(wanted)).head(number))
      case None if others.exists(_.path == path.parts) => column(others, rest(file.id.path), path)
      case None => None
    }
}

private[parquet] object TableStatistics {

  /** A column of a file whose footer has been read for `columns`. */
  def column(
      columns: IndexedSeq[StatisticsColumn],
      statistics: FileStatistics,
      path: ColumnPath): Option[ColumnStatistics] =
    columns.find(_.path == path.parts).map(statistics.of)
}

/** Files of a snapshot, to be chosen as a query would choose them. */
private[parquet] class SnapshotFileFilter(files: IndexedSeq[ParquetFile], dataSchema: StructType)
    extends FilesWithStatistics {

  override def size: Int = files.size

  override def rows(file: Int): Long = files(file).rows.get

  override def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles] = {
    val column = ColumnPath(path)
    if (!column.isIn(dataSchema) || column.dataType(dataSchema) != dataType) None
    else Some(ColumnStatistics.ofFiles(files.map(_.statistics(column))))
  }

  /** Those in which rows may satisfy all of the filters. */
  def matching(filters: Seq[Expression]): IndexedSeq[ParquetFile] =
    FilePredicate(filters, this) match {
      case Some(predicate) => files.zipWithIndex.collect { case (file, i) if predicate.mayMatch(i) => file }
      case None => files
    }
}
