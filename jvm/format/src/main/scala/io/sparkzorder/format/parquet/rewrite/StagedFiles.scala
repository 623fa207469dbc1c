// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import io.sparkzorder.config.{Compression, ZOrderConf}
import io.sparkzorder.errors.{Interruption, UnexpectedError, ZOrderErrors}
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.listing.{TableDefinition, TableListing}
import io.sparkzorder.format.parquet.log.LeftoverFiles
import io.sparkzorder.format.parquet.upload.{StagedCommit, TaskFileSystem, UploadCommit}
import io.sparkzorder.parquet.encoder.{DelegatingFormat, EncodedFormat}
import io.sparkzorder.parquet.footer.{FileStatistics, FileStatisticsReader}

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.mapreduce.{Job, TaskAttemptContext}
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{FileFormat, OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals

/**
 * A new file that nobody sees yet.
 *
 * @param file
 *   the file by its staged path, or that of the record of its upload
 * @param path
 *   the path that it is to have, relative to the table
 * @param upload
 *   what completes its upload, where it is one
 */
private[rewrite] final case class StagedFile(
    file: TableListing.File,
    path: String,
    upload: Option[String],
    footer: FileStatistics)

/**
 * Writes the files of a rewrite, by the encoder or Spark's writer: uploads them to their places where the file system has
 * uploads, else into a folder of their own.
 *
 * @param target
 *   the folder that has the name of the rewrite's id
 * @param folders
 *   by partition the folder of its new files, relative to the table
 */
private[parquet] class StagedFiles(
    session: SparkSession,
    table: TableDefinition,
    target: Path,
    kept: KeptMetadata,
    folders: Map[InternalRow, String]) {

  private val byNumber = folders.keys.map(p => number(p) -> p).toMap
  require(byNumber.size == folders.size, "Two partitions have one number")

  private val reader = new FileStatisticsReader(session, table.folder.readSettings)

  /** Of the files that were staged; see [[io.sparkzorder.format.parquet.folder.TableFolder.identitiesOfStaged]]. */
  var identities: Map[Path, String] = Map.empty

  /** @param rows rows, sorted by the partition columns in each task */
  def write(rows: DataFrame, hold: RewriteLease): IndexedSeq[StagedFile] =
    if (!hold.uploads) stage(rows, hold)
    else
      try upload(rows)
      catch {
        case e: Exception if StagedFiles.isOfLostUpload(e) =>
          hold.loseUploads(Some(e))
          stage(rows, hold)
      }

  private def upload(rows: DataFrame): IndexedSeq[StagedFile] = {
    val of = byNumber.map { case (n, partition) => n -> folders(partition) }
    val committer =
      new UploadCommit(table.folder.root.toString, target.toString, of, reader.ofFooters(table.indexable))
    run(rows, format, committer, table.folder.root)
    committer.files.sortBy(_.path.split('/').last).map { f =>
      val status = new FileStatus(f.bytes, false, 1, 0L, 0L, table.folder.resolve(f.path))
      val file = TableListing.File(ListedFile(f.record, f.bytes, 0L), partition(f.partition, f.path), status)
      StagedFile(file, f.path, Some(f.upload), f.footer)
    }.toIndexedSeq
  }

  private def stage(rows: DataFrame, hold: RewriteLease): IndexedSeq[StagedFile] = {
    val access = table.folder.makePrivate(target)
    val committer = new StagedCommit(table.folder.root.toString, target.toString, access)
    try run(rows, new StagedFormat(format), committer, target)
    catch {
      // The folder of the tasks' files may be gone.
      case e: Exception if !Interruption.isIn(e) =>
        requireRun(hold)
        throw e
    }
    val paths = committer.files.map(w => new Path(w.path) -> w.partition).sortBy(_._1.getName)
    val found = table.folder.statuses(paths.map(_._1))
    if (paths.exists(p => !found.contains(p._1))) requireRun(hold)
    // Of one that is gone the rows are missed.
    val files = paths.flatMap { case (path, number) => found.get(path).filter(_.isFile).map(_ -> number) }.toIndexedSeq
    removeLost(paths.map(_._1))
    // Before they are looked at.
    identities = table.folder.identitiesOfStaged(target, committer.files.map(w => new Path(w.path) -> w.known).toMap)
    files.zip(reader.read(files.map(_._1.getPath.toString), table.indexable)).map { case ((status, number), footer) =>
      val path = table.folder.relative(status.getPath).get
      val of = partition(number, path)
      val name = status.getPath.getName.stripSuffix(StagedFormat.Ending)
      val to = if (folders(of).isEmpty) name else s"${folders(of)}/$name"
      StagedFile(
        TableListing.File(ListedFile(path, status.getLen, status.getModificationTime), of, status),
        to,
        None,
        footer)
    }
  }

  /** Somebody may have taken this process, which slept, for one that has ended. */
  private def requireRun(hold: RewriteLease): Unit = {
    hold.requireLock()
    if (!table.folder.isThere(target)) throw ZOrderErrors.rewriteOvertaken(table.folder.root.toString)
  }

  /** Attempts that have failed, or came second: what this process has written and nothing names any more. */
  private def removeLost(committed: Seq[Path]): Unit = if (!table.folder.isStore) {
    // As an executor names a path, the file system may name it otherwise.
    val used = committed.flatMap(Iterator.iterate(_)(_.getParent).takeWhile(_ != target)).map(_.getName).toSet
    table.folder.list(target).map(_.getPath).filterNot(p => used(p.getName)).foreach {
      table.folder.removeAll(_, LeftoverFiles(target.getName, Nil), isOurs = true)
    }
  }

  private def partition(number: Int, path: String): InternalRow =
    byNumber.getOrElse(number, throw ZOrderErrors.unplannedPartition(path))

  private def run(
      rows: DataFrame,
      format: FileFormat,
      committer: FileCommitProtocol,
      to: Path): Unit =
    SparkInternals.execute(rows, "OPTIMIZE") { plan =>
      // By the number of the folder, too, which the name of the written folder then has.
      val partitionColumns = table.groupSchema.fieldNames.toSeq
      SparkFileWriter.write(
        session,
        plan,
        format,
        committer,
        to.toString,
        partitionColumns.map(c => plan.output.find(_.name == c).get),
        writerOptions,
        TaskFileSystem.settings)
    }

  /** What the statement or the session says of compression goes before the table's own options. */
  private def writerOptions: Map[String, String] =
    if (ZOrderConf.optimizeCompression(session.sessionState.conf).isEmpty) table.rewriteOptions
    else Compression.without(table.rewriteOptions)

  private def format: FileFormat =
    if (ZOrderConf.optimizesByEncoder(session.sessionState.conf)) new EncodedFormat(kept.format) else kept.format

  private def number(partition: InternalRow): Int =
    if (table.groupSchema.isEmpty) 0 else partition.getInt(table.partitionSchema.size)
}

/** Gives files an ending more than `of` does: readers such as DuckDB take all files below a folder that end as data files. */
private final class StagedFormat(of: FileFormat) extends DelegatingFormat(of) {

  override def prepareWrite(
      session: SparkSession,
      job: Job,
      options: Map[String, String],
      dataSchema: StructType): OutputWriterFactory =
    new StagedWriterFactory(of.prepareWrite(session, job, options, dataSchema))
}

private object StagedFormat {
  val Ending = ".staged"
}

private final class StagedWriterFactory(of: OutputWriterFactory) extends OutputWriterFactory {

  override def getFileExtension(context: TaskAttemptContext): String =
    of.getFileExtension(context) + StagedFormat.Ending

  override def newInstance(path: String, dataSchema: StructType, context: TaskAttemptContext): OutputWriter =
    of.newInstance(path, dataSchema, context)
}

private object StagedFiles {

  /** As stores say it of an upload that somebody has aborted; Spark has the errors of tasks as text. */
  private def isOfLostUpload(e: Exception): Boolean =
    UnexpectedError.chain(e).exists(cause => String.valueOf(cause.getMessage).contains("NoSuchUpload"))
}
