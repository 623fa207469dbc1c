// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.footer

import java.nio.charset.StandardCharsets

import scala.util.{Try, Using}

import io.sparkzorder.errors.{UnreadableFile, ZOrderErrors}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{EtagSource, FileStatus, Path}
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.util.SerializableConfiguration

/**
 * Reads the footers of Parquet files, in one Spark job. The files may come from any writer: nothing is taken for
 * granted.
 *
 * @param settings
 *   further settings of Hadoop
 */
private[sparkzorder] class FileStatisticsReader(session: SparkSession, settings: Map[String, String] = Map.empty) {
  import FileStatisticsReader._

  /**
   * @param locations
   *   absolute paths of the files
   * @param detail
   *   how much of a file's schema is wanted: it travels to the driver once for each file
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
      detail: SchemaDetail = SchemaDetail.Columns): IndexedSeq[FileStatistics] =
    readAt(locations.map(Location(_, None)), columns, detail)

  /** As [[read]], of files that were listed: a store is not asked for what the listing has shown. */
  def readListed(
      files: IndexedSeq[FileStatus],
      columns: IndexedSeq[StatisticsColumn],
      detail: SchemaDetail = SchemaDetail.Columns): IndexedSeq[FileStatistics] =
    readAt(files.map(s => Location(s.getPath.toString, Some(s).filter(_.isInstanceOf[EtagSource]))), columns, detail)

  private def readAt(
      locations: IndexedSeq[Location],
      columns: IndexedSeq[StatisticsColumn],
      detail: SchemaDetail): IndexedSeq[FileStatistics] =
    if (locations.isEmpty) IndexedSeq.empty
    else {
      val statistics = ofFooters(columns, detail)
      val read = session.sparkContext
        .parallelize(locations, tasks(locations.size, session.sparkContext.defaultParallelism))
        .mapPartitions(_.map(at => footer(at, statistics).map(statistics.of(at.path, _))))
      UnreadableFile.named(read.collect()).toIndexedSeq.map {
        case Right(statistics) => statistics
        case Left(other) => throw ZOrderErrors.notParquet(other.location, other.format)
      }
    }

  /** For tasks that have the footers of files at hand. */
  def ofFooters(
      columns: IndexedSeq[StatisticsColumn],
      detail: SchemaDetail = SchemaDetail.Columns): FooterStatistics = {
    // In a task's closure itself it would be serialized three times a job and read again by each task.
    val shared = session.sparkContext.broadcast(new SerializableConfiguration(hadoop()))
    new FooterStatistics(shared, columns, session.sessionState.conf.resolver, detail)
  }

  /** What decides which Spark types the files' types are, whether or not the session has set it. */
  private def hadoop(): Configuration = {
    val conf = session.sessionState.conf
    val hadoop = session.sessionState.newHadoopConf()
    TypeSettings.foreach(e => hadoop.setBoolean(e.key, conf.getConf(e)))
    settings.foreach { case (key, value) => hadoop.set(key, value) }
    hadoop
  }
}

private[sparkzorder] object FileStatisticsReader {

  private val TypeSettings = Seq(
    SQLConf.PARQUET_BINARY_AS_STRING,
    SQLConf.PARQUET_INT96_AS_TIMESTAMP,
    SQLConf.CASE_SENSITIVE,
    SQLConf.PARQUET_INFER_TIMESTAMP_NTZ_ENABLED,
    SQLConf.LEGACY_PARQUET_NANOS_AS_LONG
  )

  // Spark's converter has them from elsewhere; not every Spark has all of them.
  private val FurtherTypeSettings = Seq(
    "spark.sql.parquet.fieldId.read.enabled",
    "spark.sql.parquet.ignoreVariantAnnotation",
    "spark.sql.parquet.reader.respectUnknownTypeAnnotation.enabled"
  )

  /** All that decides which columns are found in a file, this version of Spark included: equal where they are the same. */
  def schemaSettings(session: SparkSession): String = {
    val conf = session.sessionState.conf
    val ofFooters = TypeSettings.map(e => s"${e.key}=${conf.getConf(e)}")
    val set = conf.getAllConfs
    val further = FurtherTypeSettings.flatMap(key => set.get(key).map(value => s"$key=$value"))
    (session.version +: (ofFooters ++ further)).mkString(" ")
  }

  // A footer takes milliseconds, a task a few: as long as there are cores, a task has few files.
  private val FewFiles = 16
  private val ManyFiles = 64

  private def tasks(files: Int, cores: Int): Int = {
    def of(filesPerTask: Int) = (files + filesPerTask - 1) / filesPerTask
    math.max(math.max(1, of(ManyFiles)), math.min(of(FewFiles), cores))
  }

  /** @param format what the file is instead of Parquet, by its first bytes */
  private final case class OtherFormat(location: String, format: String)

  /** @param listed what a listing of a store has shown: with the ETag, by which its client keeps what it has read */
  private final case class Location(path: String, listed: Option[FileStatus])

  private def footer(at: Location, statistics: FooterStatistics): Either[OtherFormat, ParquetMetadata] = {
    val path = new Path(at.path)
    def now = statistics.read(path, HadoopInputFile.fromPath(path, statistics.hadoop))
    def asListed(status: FileStatus) =
      statistics.read(path, HadoopInputFile.fromStatus(status, statistics.hadoop))
    // A file that was replaced since may have another size.
    try Right(at.listed.flatMap(status => Try(asListed(status)).toOption).getOrElse(now))
    catch {
      case e: Exception =>
        // A call that failed may succeed in the task's next attempt; a file of another format will not.
        val other = Try(otherFormat(path, statistics.hadoop)).toOption.flatten
        Left(OtherFormat(
          path.toString,
          other.getOrElse(throw ZOrderErrors.unreadableFile(path.toString, UnreadableFile.reason(e), e))))
    }
  }

  private def otherFormat(path: Path, hadoop: Configuration): Option[String] = {
    val start = Using.resource(path.getFileSystem(hadoop).open(path))(_.readNBytes(4))
    new String(start, StandardCharsets.ISO_8859_1) match {
      case "PAR1" | "PARE" | "" => None
      case text if text.startsWith("ORC") => Some("ORC")
      case text if text.startsWith("Obj") => Some("AVRO")
      case text if text.startsWith("{") || text.startsWith("[") => Some("JSON")
      case text if text.forall(c => c >= ' ' || c == '\t' || c == '\r' || c == '\n') => Some("CSV or other text")
      case _ => None
    }
  }
}

/** How much of a file's schema is read out of its footer. */
private[sparkzorder] sealed trait SchemaDetail

private[sparkzorder] object SchemaDetail {

  /** Nothing. */
  case object None extends SchemaDetail

  /** The columns. */
  case object Columns extends SchemaDetail

  /** All that a [[FileSchema]] can hold. */
  case object All extends SchemaDetail
}
