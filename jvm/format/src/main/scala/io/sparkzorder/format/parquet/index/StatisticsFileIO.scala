// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import java.io.OutputStream
import java.util.UUID

import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.folder.access.Access
import io.sparkzorder.format.parquet.folder.opened.{CreatedFile, KnownFiles}
import io.sparkzorder.format.parquet.upload.{TaskFileSystem, TaskFiles}

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.mapreduce.{Job, TaskAttemptID}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.{Footer, ParquetFileReader}
import org.apache.parquet.hadoop.util.HadoopInputFile

import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetToSparkSchemaConverter}
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.types.StructType

/** Reads and writes a file of the statistics index on the driver, without a job: planning a query must not run one. */
private[parquet] object StatisticsFileIO {

  private val parquet = new ParquetFileFormat

  /** The fields that a file has. */
  def schema(session: SparkSession, file: FileStatus): StructType = {
    val hadoop = session.sessionState.newHadoopConf()
    val path = file.getPath
    val input = HadoopInputFile.fromStatus(file, hadoop)
    val stream = input.newStream()
    val footer =
      try ParquetFileReader.readFooter(input, HadoopReadOptions.builder(hadoop, path).build(), stream)
      finally stream.close()
    ParquetFileFormat.readSchemaFromFooter(new Footer(path, footer), new ParquetToSparkSchemaConverter(new SQLConf()))
  }

  /** The rows of a file. Each is valid until the next one is asked for. */
  def read(session: SparkSession, file: FileStatus, wanted: StructType): Iterator[InternalRow] = {
    val options = Map(FileFormat.OPTION_RETURNING_BATCH -> "false")
    val reader = parquet.buildReaderWithPartitionValues(
      session,
      wanted,
      new StructType(),
      wanted,
      Nil,
      options,
      session.sessionState.newHadoopConf())
    val path = SparkPath.fromFileStatus(file)
    reader(PartitionedFile(InternalRow.empty, path, 0, file.getLen, Array.empty, file.getModificationTime, file.getLen))
  }

  /** Reads the rows of a file, each with its number. */
  def foreach(session: SparkSession, file: FileStatus, wanted: StructType)(each: (InternalRow, Int) => Unit): Unit =
    read(session, file, wanted).zipWithIndex.foreach { case (row, number) => each(row, number) }

  /**
   * Writes rows of `schema`, one of [[StatisticsFile]], to a new file in a folder for it alone, on a local disk.
   *
   * @return
   *   what distinguishes it, and its sums, from what somebody may put in their places
   */
  def write(
      session: SparkSession,
      folder: TableFolder,
      path: Path,
      schema: StructType,
      rows: Iterator[InternalRow]): Map[Path, String] =
    if (folder.isPlain) {
      val draft = new Draft(folder, path)
      draft.use(to => write(session, to, schema, rows))
      folder.identitiesOfStaged(path.getParent, Map(path -> draft.known))
    } else {
      write(session, path.toString, schema, rows)
      folder.identitiesOfStaged(path.getParent, Seq(path))
    }

  /** Parquet's writer would follow a link that somebody has put in the place of the folder, or of the sums. */
  private final class Draft(folder: TableFolder, path: Path) extends TaskFiles[Path] {
    private var created = Option.empty[CreatedFile]

    override protected def create(file: Path): OutputStream = {
      created = Some(folder.created(file, Access.ofMe))
      created.get
    }

    def use(write: String => Unit): Unit =
      try write(open(path, path.getName))
      finally end()

    def known: KnownFiles = created.fold(KnownFiles.none)(_.known)
  }

  private def write(session: SparkSession, path: String, schema: StructType, rows: Iterator[InternalRow]): Unit = {
    val job = Job.getInstance(session.sessionState.newHadoopConf())
    val settings = job.getConfiguration
    TaskFileSystem.settings.foreach { case (key, value) => settings.set(key, value) }
    settings.set(
      SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key,
      SQLConf.ParquetOutputTimestampType.TIMESTAMP_MICROS.toString)
    settings.set(SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key, "false")
    val factory = parquet.prepareWrite(session, job, Map.empty, schema)
    // Whatever the user has set for data: bounds must come back as they are.
    val conf = session.sessionState.conf.clone()
    conf.setConfString(SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key, LegacyBehaviorPolicy.CORRECTED.toString)
    SQLConf.withExistingConf(conf) {
      val writer = factory.newInstance(path, schema, new TaskAttemptContextImpl(settings, new TaskAttemptID))
      try rows.foreach(writer.write)
      finally writer.close()
    }
  }

  def unique(): String = UUID.randomUUID.toString
}
