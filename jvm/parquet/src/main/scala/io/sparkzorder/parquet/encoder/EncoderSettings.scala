// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import java.nio.ByteOrder

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.crypto.EncryptionPropertiesFactory
import org.apache.parquet.hadoop.{CodecFactory, ParquetOutputFormat, ParquetWriter}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.metadata.CompressionCodecName._
import org.xerial.snappy.Snappy

/**
 * What a write asks of Parquet files, out of the same settings that parquet-java's `ParquetOutputFormat` reads.
 *
 * @param rowGroupBytes
 *   bytes at which a row group ends
 * @param maxPadding
 *   bytes that may be left empty to begin a row group at a block of the file system
 * @param isValidating
 *   whether parquet-java's own writers check what they are given
 */
private[sparkzorder] final case class EncoderSettings private[encoder] (
    properties: ParquetProperties,
    rowGroupBytes: Long,
    maxPadding: Int,
    isValidating: Boolean)

private[sparkzorder] object EncoderSettings {
  import ParquetOutputFormat._

  def of(conf: Configuration): EncoderSettings = {
    val builder = ParquetProperties.builder()
      .withPageSize(getPageSize(conf))
      .withDictionaryPageSize(getDictionaryPageSize(conf))
      .withDictionaryEncoding(getEnableDictionary(conf))
      .estimateRowCountForPageSizeCheck(getEstimatePageSizeCheck(conf))
      .withMinRowCountForPageSizeCheck(getMinRowCountForPageSizeCheck(conf))
      .withMaxRowCountForPageSizeCheck(getMaxRowCountForPageSizeCheck(conf))
      .withPageValueCountThreshold(getValueCountThreshold(conf))
      .withColumnIndexTruncateLength(
        conf.getInt(COLUMN_INDEX_TRUNCATE_LENGTH, ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH))
      .withStatisticsTruncateLength(
        conf.getInt(STATISTICS_TRUNCATE_LENGTH, ParquetProperties.DEFAULT_STATISTICS_TRUNCATE_LENGTH))
      .withPageRowCountLimit(conf.getInt(PAGE_ROW_COUNT_LIMIT, ParquetProperties.DEFAULT_PAGE_ROW_COUNT_LIMIT))
      .withPageWriteChecksumEnabled(getPageWriteChecksumEnabled(conf))
      .withStatisticsEnabled(getStatisticsEnabled(conf))
    ParquetJavaPages.withRowGroupRows(builder, conf)
    columnKeys(conf, ENABLE_DICTIONARY).foreach { case (column, key) =>
      builder.withDictionaryEncoding(column, conf.getBoolean(key, false))
    }
    columnKeys(conf, STATISTICS_ENABLED).foreach { case (column, key) =>
      builder.withStatisticsEnabled(column, conf.getBoolean(key, ParquetProperties.DEFAULT_STATISTICS_ENABLED))
    }
    EncoderSettings(
      builder.build(),
      getLongBlockSize(conf),
      conf.getInt(MAX_PADDING_BYTES, ParquetWriter.MAX_PADDING_SIZE_DEFAULT),
      getValidation(conf))
  }

  /**
   * Codecs whose bytes are the same however a page is handed to them. Those of Hadoop that work in blocks, LZ4 and LZO,
   * compress what each call to their stream brings by itself: parquet-java calls it once for each of the growing arrays
   * that it collects a page in, and there are none here.
   */
  private val codecs = Set(UNCOMPRESSED, SNAPPY, GZIP, ZSTD, LZ4_RAW)

  /** Why Spark's own writer must write the whole file, if so. */
  def conflict(conf: Configuration): Option[String] =
    if (!codecs.contains(getCompression(conf)))
      Some(s"the bytes of ${getCompression(conf)} depend on how its stream is called")
    else if (conf.get(EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME, "").nonEmpty)
      Some("files are encrypted")
    else if (getBloomFilterEnabled(conf) || columnKeys(conf, BLOOM_FILTER_ENABLED).exists(k =>
        conf.getBoolean(k._2, false)))
      Some("columns have Bloom filters")
    else if (getWriterVersion(conf) != ParquetProperties.WriterVersion.PARQUET_1_0)
      Some(s"the writer's version is ${getWriterVersion(conf)}")
    else if (ParquetJavaFiles.splitsByteStreams(conf)) Some("values are split into streams of bytes")
    else if (getValueCountThreshold(conf) != ParquetProperties.DEFAULT_PAGE_VALUE_COUNT_THRESHOLD)
      Some("pages end by a number of values")
    else if (ByteOrder.nativeOrder != ByteOrder.LITTLE_ENDIAN) Some("this machine has the high byte of a number first")
    else None

  /** Settings of single columns: `key#column`. */
  private def columnKeys(conf: Configuration, key: String): Seq[(String, String)] =
    conf.iterator.asScala.map(_.getKey).filter(_.startsWith(s"$key#")).map(k => (k.substring(key.length + 1), k)).toSeq
}

/** Compressors of pages: parquet-java's, but for Snappy, which here goes from array to array without Hadoop's streams. */
private[encoder] final class Codecs(conf: Configuration, pageBytes: Int) {

  private val factory = new CodecFactory(conf, pageBytes)

  def compressor(codec: CompressionCodecName): BytesInputCompressor =
    if (codec == CompressionCodecName.SNAPPY) new DirectSnappy else factory.getCompressor(codec)

  def release(): Unit = factory.release()
}

/** The same bytes as parquet-java's `SnappyCodec`. */
private final class DirectSnappy extends BytesInputCompressor {

  private var out = new Array[Byte](0)

  override def compress(bytes: BytesInput): BytesInput = {
    val in = bytes.toByteBuffer
    val most = Snappy.maxCompressedLength(in.remaining)
    // More than an array can hold.
    if (most < in.remaining) throw new OutOfMemoryError(s"A page of ${in.remaining} bytes is too large for Snappy")
    if (out.length < most) out = new Array[Byte](most)
    val size =
      if (in.hasArray) Snappy.compress(in.array, in.arrayOffset + in.position(), in.remaining, out, 0)
      else {
        val copy = bytes.toByteArray
        Snappy.compress(copy, 0, copy.length, out, 0)
      }
    BytesInput.from(out, 0, size)
  }

  override def getCodecName: CompressionCodecName = CompressionCodecName.SNAPPY

  override def release(): Unit = out = new Array[Byte](0)
}
