// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.footer

import java.io.{ByteArrayInputStream, EOFException}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparkzorder.column.ColumnStatistics

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.{HadoopReadOptions, ParquetReadOptions}
import org.apache.parquet.crypto.EncryptionPropertiesFactory
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.io.{DelegatingSeekableInputStream, InputFile, SeekableInputStream}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter
import org.apache.spark.util.SerializableConfiguration

/**
 * Makes statistics of footers, in a task.
 *
 * @param columns
 *   the columns whose statistics are asked for
 * @param detail
 *   how much of a file's schema is wanted
 */
private[sparkzorder] final class FooterStatistics(
    shared: Broadcast[SerializableConfiguration],
    columns: IndexedSeq[StatisticsColumn],
    same: Resolver,
    detail: SchemaDetail)
    extends Serializable {

  private[footer] def hadoop: Configuration = shared.value.value

  @transient private lazy val converter = new ParquetToSparkSchemaConverter(hadoop)
  @transient private lazy val chunks = new ChunkStatistics(columns, same)

  // Made once for all files: reading them out of a Hadoop configuration takes longer than a footer. Keys are a file's own.
  @transient private lazy val isEncrypting =
    hadoop.get(EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME) != null
  @transient private lazy val options = HadoopReadOptions.builder(hadoop).build()

  private def optionsOf(path: Path): ParquetReadOptions =
    if (isEncrypting) HadoopReadOptions.builder(hadoop, path).build() else options

  private[footer] def read(path: Path, file: InputFile): ParquetMetadata =
    Using.resource(file.newStream())(ParquetFileReader.readFooter(file, optionsOf(path), _))

  /**
   * Of a file of which only the end is at hand.
   *
   * @param length
   *   length of the file
   * @param tail
   *   its last bytes: the footer, and what comes after it
   */
  def ofTail(location: String, length: Long, tail: Array[Byte]): FileStatistics =
    of(location, read(new Path(location), new FooterStatistics.Tail(location, length, tail)))

  private[footer] def of(location: String, footer: ParquetMetadata): FileStatistics = {
    val isEncrypted = footer.getFileMetaData.getEncryptionType != EncryptionType.UNENCRYPTED
    // What somebody has encrypted must not stand in an index for all to read.
    val statistics = if (isEncrypted) Map.empty[StatisticsColumn, ColumnStatistics] else chunks.of(footer)
    FileStatistics(
      footer.getBlocks.asScala.map(_.getRowCount).sum,
      footer.getBlocks.size,
      statistics,
      schemaOf(footer, location),
      isEncrypted,
      chunks.isExact(footer))
  }

  private def schemaOf(footer: ParquetMetadata, location: String): FileSchema = detail match {
    case SchemaDetail.None => FileSchema.none
    case SchemaDetail.Columns => FileSchema.of(new Path(location), footer, converter).brief
    case SchemaDetail.All => FileSchema.of(new Path(location), footer, converter)
  }
}

private object FooterStatistics {

  /** A file whose last bytes alone can be read. */
  private final class Tail(location: String, length: Long, tail: Array[Byte]) extends InputFile {

    private val start = length - tail.length

    override def getLength: Long = length

    override def newStream(): SeekableInputStream = new Stream(new Bytes(tail))

    private final class Stream(bytes: Bytes) extends DelegatingSeekableInputStream(bytes) {

      override def getPos: Long = start + bytes.position

      override def seek(position: Long): Unit = {
        if (position < start || position > length) throw new EOFException(s"$position is not at hand")
        bytes.goTo((position - start).toInt)
      }
    }

    override def toString: String = location
  }

  private final class Bytes(content: Array[Byte]) extends ByteArrayInputStream(content) {
    def position: Int = pos
    def goTo(position: Int): Unit = pos = position
  }
}
