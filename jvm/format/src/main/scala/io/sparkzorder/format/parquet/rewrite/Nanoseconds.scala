// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.nio.ByteOrder

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.listing.ParquetFile
import io.sparkzorder.parquet.footer.{FileStatistics, ParquetReaders}

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.impl.ColumnReadStoreImpl
import org.apache.parquet.example.DummyRecordConverter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration

/**
 * Looks for timestamps with parts of a microsecond, which Spark does not write.
 *
 * Of INT96 columns Spark's reader leaves them out without a word, and nothing but the values themselves shows them.
 * Files that Spark has written have none, and are not looked through; of other files these columns alone are read,
 * which is little beside their rewrite. Other types show it; a setting makes plain numbers of them, which they would be
 * from then on.
 */
private[parquet] object Nanoseconds {

  // Of a value: nanoseconds of the day, and after them the day.
  private val NanosPerMicro = 1000L

  /**
   * @param footers
   *   the footer of each file
   * @param settings
   *   of Hadoop, by which the files are read
   * @throws ZOrderAnalysisException
   *   which names a column that would lose something
   */
  def requireNone(
      session: SparkSession,
      table: String,
      files: IndexedSeq[ParquetFile],
      footers: IndexedSeq[FileStatistics],
      settings: Map[String, String]): Unit = {
    for ((file, s) <- files.zip(footers); column <- s.schema.nanos)
      throw ZOrderErrors.nanoseconds(ColumnPath(column).toString, table, file.path)
    val suspects = files.zip(footers).collect { case (f, s) if s.schema.int96.nonEmpty => (f, s.schema.int96) }
    if (suspects.nonEmpty) {
      val conf = session.sessionState.newHadoopConfWithOptions(settings)
      val hadoop = session.sparkContext.broadcast(new SerializableConfiguration(conf))
      val finest = session.sparkContext
        .parallelize(suspects.map { case (f, columns) => (f.path, f.location, columns) }, suspects.size)
        .flatMap { case (path, location, columns) => finer(location, columns, hadoop.value.value).map(path -> _) }
        .collect()
      finest.headOption.foreach { case (path, column) =>
        throw ZOrderErrors.nanoseconds(ColumnPath(column).toString, table, path)
      }
    }
  }

  /** The first of some columns that has a value between two microseconds. */
  private def finer(location: String, columns: Seq[Seq[String]], hadoop: Configuration): Option[Seq[String]] =
    Using.resource(ParquetReaders.open(location, hadoop)) { file =>
      val meta = file.getFooter.getFileMetaData
      columns.find { column =>
        file.setRequestedSchema(only(meta.getSchema, column))
        isFiner(file, meta.getSchema, column, meta.getCreatedBy)
      }
    }

  private def isFiner(
      file: ParquetFileReader,
      schema: MessageType,
      column: Seq[String],
      createdBy: String): Boolean = {
    val wanted = only(schema, column)
    // Some writers make one of no rows, which Parquet's reader refuses.
    val groups = file.getRowGroups.asScala.zipWithIndex.collect { case (group, i) if group.getRowCount > 0 => i }
    groups.exists { group =>
      val pages = file.readRowGroup(group)
      val store = new ColumnReadStoreImpl(pages, new DummyRecordConverter(wanted).getRootConverter, wanted, createdBy)
      val reader = store.getColumnReader(wanted.getColumns.get(0))
      val filled = reader.getDescriptor.getMaxDefinitionLevel
      var left = pages.getPageReader(reader.getDescriptor).getTotalValueCount
      var found = false
      while (left > 0 && !found) {
        if (reader.getCurrentDefinitionLevel == filled) {
          val nanos = reader.getBinary.toByteBuffer.order(ByteOrder.LITTLE_ENDIAN)
          found = nanos.getLong(nanos.position()) % NanosPerMicro != 0
        }
        reader.consume()
        left -= 1
      }
      found
    }
  }

  /** A schema of one column. */
  private def only(schema: MessageType, column: Seq[String]): MessageType = {
    import org.apache.parquet.schema.{GroupType, Type}
    def narrowed(t: Type, rest: Seq[String]): Type =
      if (rest.isEmpty) t
      else {
        val group = t.asGroupType
        group.withNewFields(narrowed(group.getType(rest.head), rest.tail)): GroupType
      }
    new MessageType(schema.getName, narrowed(schema.getType(Seq(column.head): _*), column.tail))
  }
}
