// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.config

import java.util.Locale

import org.apache.spark.sql.internal.SQLConf

/**
 * How the pages of Parquet files are compressed.
 *
 * @param codec
 *   one of [[Compression.codecs]]
 * @param level
 *   1 (quick) to 22 (small), of zstd alone; None for the codec's own default
 */
final case class Compression(codec: String, level: Option[Int]) {

  /** The session's settings for it. Whatever Spark's settings hold reaches the writer's configuration. */
  def settings: Map[String, String] =
    Map(SQLConf.PARQUET_COMPRESSION.key -> codec) ++ level.map(l => Compression.ZstdLevel -> l.toString)

  override def toString: String = codec + level.fold("")(l => s"($l)")
}

object Compression {

  /** Those that Spark's reader and parquet-java have everywhere, without libraries of their own. */
  val codecs: Seq[String] = Seq("snappy", "zstd", "gzip", "lz4_raw", "uncompressed")

  val Allowed: String = codecs.mkString("'", "', '", "'") + ", or zstd with a level from 1 to 22, such as 'zstd(3)'"

  private val ZstdLevel = "parquet.compression.codec.zstd.level"
  private val Keys = Set("compression", "parquet.compression", ZstdLevel)
  private val WithLevel = """zstd\s*\(\s*(\d{1,2})\s*\)""".r

  /** A table's options or properties that say nothing of compression. */
  def without(options: Map[String, String]): Map[String, String] =
    options.filterNot(option => Keys(option._1.toLowerCase(Locale.ROOT)))

  /** @return None for a text that names no compression */
  def parse(text: String): Option[Compression] = text.trim.toLowerCase(Locale.ROOT) match {
    case WithLevel(level) if (1 to 22).contains(level.toInt) => Some(Compression("zstd", Some(level.toInt)))
    case codec if codecs.contains(codec) => Some(Compression(codec, None))
    case _ => None
  }
}
