// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.scan

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.{HadoopReadOptions, ParquetReadOptions}
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.parquet.filter2.predicate.FilterApi
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnPath, FileMetaData, ParquetMetadata}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.internal.filter2.columnindex.{ColumnIndexFilter, RowRanges}
import org.apache.parquet.schema.MessageType
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFilters, ParquetReadSupport}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

/**
 * Measures how much of a Parquet file a scan reads, by asking parquet-hadoop's own reader with the scan's own schema
 * and filter what it keeps; no data page is read.
 *
 * @param hadoop
 *   the scan's Hadoop configuration
 * @param schema
 *   the columns that the scan asks files for, by the names in the files
 * @param vectorized
 *   whether the scan has Spark's vectorized reader, which asks for columns a little otherwise
 */
private[sparkzorder] class FileVolume(
    hadoop: Broadcast[SerializableConfiguration],
    schema: StructType,
    vectorized: Boolean,
    pushDown: FilterPushDown)
    extends Serializable {

  private def conf: Configuration = hadoop.value.value

  /**
   * @param isRead
   *   whether the scan opens the file
   * @throws java.io.IOException
   *   if the file is missing or no Parquet
   */
  def of(location: String, isRead: Boolean): ScanVolume = {
    val path = new Path(location)
    val input = HadoopInputFile.fromPath(path, conf)
    Using.resource(ParquetFileReader.open(input, HadoopReadOptions.builder(conf, path).build())) { reader =>
      val schemaOfFile = reader.getFooter.getFileMetaData.getSchema
      val requested = ParquetReadSupport.getRequestedSchema(schemaOfFile, schema, conf, vectorized)
      val columns = requested.getColumns.asScala.map(c => ColumnPath.get(c.getPath: _*)).toSet
      val groups = reader.getRowGroups.asScala.toIndexedSeq.map(rowGroup(reader, _, columns))
      val kept = if (isRead) read(input, reader.getFooter, requested, columns, groups) else Nil
      (groups.map(_.total) ++ kept).foldLeft(ScanVolume.none)(_ + _)
    }
  }

  private def read(
      input: HadoopInputFile,
      footer: ParquetMetadata,
      requested: MessageType,
      columns: Set[ColumnPath],
      groups: IndexedSeq[RowGroupPages]): Seq[ScanVolume] =
    pushDown.of(footer.getFileMetaData) match {
      case None => groups.map(_.whole)
      case Some(filter) =>
        val options = HadoopReadOptions.builder(conf, input.getPath).withRecordFilter(filter).build()
        // Its constructor drops row groups by statistics, dictionaries and Bloom filters, as the options say.
        Using.resource(FileReaders.of(input, footer, options)) { reader =>
          reader.setRequestedSchema(requested)
          kept(groups, reader, filter, options, columns)
        }
    }

  private def rowGroup(reader: ParquetFileReader, block: BlockMetaData, columns: Set[ColumnPath]): RowGroupPages =
    new RowGroupPages(
      block,
      block.getColumns.asScala.toSeq.filter(c => columns(c.getPath)).map(ChunkPages.of(reader, _)))

  private def kept(
      groups: IndexedSeq[RowGroupPages],
      reader: ParquetFileReader,
      filter: FilterCompat.Filter,
      options: ParquetReadOptions,
      columns: Set[ColumnPath]): Seq[ScanVolume] =
    reader.getRowGroups.asScala.toSeq.zipWithIndex.map { case (block, i) =>
      val group = groups.find(_.block eq block).get
      if (!options.useColumnIndexFilter || block.getRowCount == 0) group.whole
      else group.holding(rows(reader, i, filter, columns))
    }

  /** The rows that the reader takes of its row group `i`: what the reader does itself, but keeps private. */
  private def rows(
      reader: ParquetFileReader,
      i: Int,
      filter: FilterCompat.Filter,
      columns: Set[ColumnPath]): RowRanges =
    ColumnIndexFilter.calculateRowRanges(
      filter,
      reader.getColumnIndexStore(i),
      columns.asJava,
      reader.getRowGroups.get(i).getRowCount)
}

/**
 * Turns a scan's filters into the one by which a file's reader skips row groups and pages, as Spark's private code in
 * `ParquetFileFormat` does.
 *
 * @param filters
 *   filters by the names in the files
 * @param conf
 *   settings of the session: what kinds of predicates are pushed down, and whether names are compared by case
 * @param rebaseMode
 *   rebase mode of dates in files that do not say by which calendar they were written
 */
private[sparkzorder] class FilterPushDown(filters: Seq[Filter], conf: SQLConf, rebaseMode: String)
    extends Serializable {

  private val enabled = conf.parquetFilterPushDown
  private val date = conf.parquetFilterPushDownDate
  private val timestamp = conf.parquetFilterPushDownTimestamp
  private val decimal = conf.parquetFilterPushDownDecimal
  private val string = conf.parquetFilterPushDownStringPredicate
  private val inThreshold = conf.parquetFilterPushDownInFilterThreshold
  private val caseSensitive = conf.caseSensitiveAnalysis

  /** None where the file's reader gets no filter, and so reads everything. */
  def of(file: FileMetaData): Option[FilterCompat.Filter] =
    if (!enabled) None
    else {
      val rebase = DataSourceUtils.datetimeRebaseSpec(file.getKeyValueMetaData.get(_), rebaseMode)
      val parquet = new ParquetFilters(
        file.getSchema,
        date,
        timestamp,
        decimal,
        string,
        inThreshold,
        caseSensitive,
        rebase)
      filters.flatMap(parquet.createFilter(_)).reduceOption(FilterApi.and).map(FilterCompat.get)
    }
}
