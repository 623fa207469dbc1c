// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.footer

import java.nio.charset.StandardCharsets

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.column.ColumnStatistics
import io.sparkzorder.errors.ZOrderErrors

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.{HadoopReadOptions, ParquetReadOptions}
import org.apache.parquet.crypto.EncryptionPropertiesFactory
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.util.SerializableConfiguration

/**
 * Reads the footers of Parquet files, in one Spark job. The files may come from any writer: nothing is taken for
 * granted.
 */
private[sparkzorder] class FileStatisticsReader(session: SparkSession) {
  import FileStatisticsReader._

  /**
   * @param locations
   *   absolute paths of the files
   * @param forRewrite
   *   whether the whole [[FileSchema]] is wanted
   * @return
   *   the statistics of the file at each location
   * @throws ZOrderRuntimeException
   *   for a file that is missing or damaged
   * @throws ZOrderAnalysisException
   *   for a file of another format
   */
  def read(
      locations: IndexedSeq[String],
      columns: IndexedSeq[StatisticsColumn],
      forRewrite: Boolean = false): IndexedSeq[FileStatistics] =
    if (locations.isEmpty) IndexedSeq.empty
    else {
      val hadoop = new SerializableConfiguration(settings())
      val same = session.sessionState.conf.resolver
      val tasks = math.max(1, (locations.size + FilesPerTask - 1) / FilesPerTask)
      session.sparkContext
        .parallelize(locations, tasks)
        .mapPartitions { part =>
          val reader = new ParquetToSparkSchemaConverter(hadoop.value)
          val chunks = new ChunkStatistics(columns, same)
          val options = new ReadOptions(hadoop.value)
          val each = part.map(location => of(location, footer(new Path(location), hadoop, options), reader, chunks))
          if (forRewrite) each else each.map(_.map(s => s.copy(schema = s.schema.brief)))
        }
        .collect()
        .toIndexedSeq
        .map(_.fold(unreadable, identity))
    }

  private def unreadable(failed: FileStatisticsReader.Failure): Nothing =
    throw failed.format match {
      case Some(format) => ZOrderErrors.notParquet(failed.location, format)
      case None => ZOrderErrors.unreadableFile(failed.location, failed.reason, null)
    }

  /** What decides which Spark types the files' types are, whether or not the session has set it. */
  private def settings(): Configuration = {
    val conf = session.sessionState.conf
    val hadoop = session.sessionState.newHadoopConf()
    val entries = Seq(
      SQLConf.PARQUET_BINARY_AS_STRING,
      SQLConf.PARQUET_INT96_AS_TIMESTAMP,
      SQLConf.CASE_SENSITIVE,
      SQLConf.PARQUET_INFER_TIMESTAMP_NTZ_ENABLED,
      SQLConf.LEGACY_PARQUET_NANOS_AS_LONG
    )
    entries.foreach(e => hadoop.setBoolean(e.key, conf.getConf(e)))
    hadoop
  }
}

private[sparkzorder] object FileStatisticsReader {

  // A footer takes milliseconds, a task a few.
  private val FilesPerTask = 64

  /** @param format what the file is instead of Parquet, by its first bytes */
  private final case class Failure(location: String, reason: String, format: Option[String])

  /**
   * Made once for all files: reading them out of a Hadoop configuration takes longer than a footer. Keys are a file's
   * own.
   */
  private final class ReadOptions(hadoop: Configuration) {
    private val isEncrypted = hadoop.get(EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME) != null
    private lazy val shared = HadoopReadOptions.builder(hadoop).build()

    def of(path: Path): ParquetReadOptions =
      if (isEncrypted) HadoopReadOptions.builder(hadoop, path).build() else shared
  }

  private def footer(
      path: Path,
      hadoop: SerializableConfiguration,
      options: ReadOptions): Either[Failure, ParquetMetadata] =
    try {
      val file = HadoopInputFile.fromPath(path, hadoop.value)
      Right(Using.resource(file.newStream())(ParquetFileReader.readFooter(file, options.of(path), _)))
    } catch {
      case e: Exception =>
        val reason = Option(e.getMessage).getOrElse(e.getClass.getName).linesIterator.nextOption().getOrElse("")
        Left(Failure(path.toString, reason.stripSuffix("."), Try(otherFormat(path, hadoop)).toOption.flatten))
    }

  private def otherFormat(path: Path, hadoop: SerializableConfiguration): Option[String] = {
    val start = Using.resource(path.getFileSystem(hadoop.value).open(path))(_.readNBytes(4))
    new String(start, StandardCharsets.ISO_8859_1) match {
      case "PAR1" | "PARE" | "" => None
      case text if text.startsWith("ORC") => Some("ORC")
      case text if text.startsWith("Obj") => Some("AVRO")
      case text if text.startsWith("{") || text.startsWith("[") => Some("JSON")
      case text if text.forall(c => c >= ' ' || c == '\t' || c == '\r' || c == '\n') => Some("CSV or other text")
      case _ => None
    }
  }

  private def of(
      location: String,
      footer: Either[Failure, ParquetMetadata],
      converter: ParquetToSparkSchemaConverter,
      chunks: ChunkStatistics): Either[Failure, FileStatistics] = footer match {
    case Left(failure) => Left(failure)
    case Right(read) =>
      val meta = read.getFileMetaData
      val schema = FileSchema.of(new Path(location), read, converter)
      val isEncrypted = meta.getEncryptionType != EncryptionType.UNENCRYPTED
      // What somebody has encrypted must not stand in an index for all to read.
      val columns = if (isEncrypted) Map.empty[StatisticsColumn, ColumnStatistics] else chunks.of(read)
      Right(FileStatistics(
        read.getBlocks.asScala.map(_.getRowCount).sum,
        read.getBlocks.size,
        columns,
        schema,
        isEncrypted,
        chunks.isExact(read)))
  }
}
