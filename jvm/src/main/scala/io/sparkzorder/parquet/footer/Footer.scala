package io.sparkzorder.parquet.footer

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.crypto.EncryptionPropertiesFactory
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ParquetMetadata}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.{DataType, DateType, TimestampNTZType, TimestampType}
import org.apache.spark.util.SerializableConfiguration

/**
 * What the footer of a Parquet file says of some of its columns.
 *
 * @param rowGroups
 *   how many there are
 * @param columns
 *   in the order in which they were asked for
 */
final case class Footer(rows: Long, rowGroups: Int, columns: IndexedSeq[FooterColumn])

object Footer {

  // A footer takes milliseconds, a task a few: below this many, one task per core would be all overhead.
  private val FilesPerTask = 16

  // Set by Spark in files of the hybrid calendar, whose stored days are not those that it reads.
  private val LegacyDates = "org.apache.spark.legacyDateTime"

  /**
   * Reads footers in one Spark job.
   *
   * @param locations
   *   absolute paths
   * @param columns
   *   per column its path in the file's own schema, without lists or maps on the way, and its type
   * @return
   *   one footer per location
   * @throws java.io.IOException
   *   if a file is missing or no Parquet
   */
  def read(
      session: SparkSession,
      locations: IndexedSeq[String],
      columns: IndexedSeq[(Seq[String], DataType)]): IndexedSeq[Footer] = {
    val hadoop = new SerializableConfiguration(session.sessionState.newHadoopConf())
    val tasks = math.max(1, (locations.size + FilesPerTask - 1) / FilesPerTask)
    session.sparkContext
      .parallelize(locations, tasks)
      .mapPartitions { part =>
        // Made once: reading the options out of a Hadoop configuration takes longer than a footer. Keys are a file's own.
        val isEncrypted = hadoop.value.get(EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME) != null
        lazy val shared = HadoopReadOptions.builder(hadoop.value).build()
        part.map { location =>
          val path = new Path(location)
          val options = if (isEncrypted) HadoopReadOptions.builder(hadoop.value, path).build() else shared
          val file = HadoopInputFile.fromPath(path, hadoop.value)
          of(Using.resource(file.newStream())(ParquetFileReader.readFooter(file, options, _)), columns)
        }
      }
      .collect()
      .toIndexedSeq
  }

  private def of(footer: ParquetMetadata, columns: IndexedSeq[(Seq[String], DataType)]): Footer = {
    val blocks = footer.getBlocks.asScala.toSeq
    val legacy = footer.getFileMetaData.getKeyValueMetaData.containsKey(LegacyDates)
    Footer(
      blocks.map(_.getRowCount).sum,
      blocks.size,
      columns.map { case (path, dataType) => column(blocks, path, dataType, legacy) })
  }

  private def column(
      blocks: Seq[BlockMetaData],
      path: Seq[String],
      dataType: DataType,
      legacy: Boolean): FooterColumn = {
    val chunks = blocks.flatMap(_.getColumns.asScala.find(_.getPath.toArray.sameElements(path)))
    if (chunks.size < blocks.size) FooterColumn.unknown
    else {
      val column = FooterColumn.of(chunks, dataType)
      dataType match {
        case DateType | TimestampType | TimestampNTZType if legacy => column.copy(null, null, bounded = false)
        case _ => column
      }
    }
  }
}
