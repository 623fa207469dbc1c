// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.xerial.snappy.Snappy

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
