// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import scala.util.Try

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{
  BatchedRun,
  Clustering,
  ClusteringOf,
  CommitOutcome,
  DataFile,
  ListedFile,
  Rewrite,
  WriterTask
}
import io.sparkzorder.format.parquet.index.{IndexRefresh, TableStatistics, WrittenFile}
import io.sparkzorder.format.parquet.listing.{FolderGroups, ParquetFile, ParquetRows, TableDefinition, TableListing}
import io.sparkzorder.format.parquet.log.{KeptFiles, LogEntry, LogState}
import io.sparkzorder.format.parquet.log.LogEntry.{Added, FolderChange}
import io.sparkzorder.move.RowCounts
import io.sparkzorder.parquet.footer.{FileStatistics, FileStatisticsReader, SchemaDetail}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.zorder.SparkInternals

/**
 * One OPTIMIZE of a Parquet table: new files are staged under `_zorder`, or uploaded to their places, the log says so,
 * files are moved or uploads completed, a verdict ends it.
 *
 * @param hold
 *   the statement's hold on the table; None for a dry run
 * @param files
 *   the files to replace
 * @param since
 *   the state of the log before the files were listed
 */
private[parquet] class ParquetRewrite(
    session: SparkSession,
    table: TableDefinition,
    hold: Option[RewriteLease],
    files: IndexedSeq[ParquetFile],
    since: LogState)
    extends Rewrite {
  import table.folder

  /** @throws IllegalStateException for a dry run, which has nothing to write */
  private lazy val held = hold.getOrElse(throw new IllegalStateException("A rewrite of a table that is not held"))

  private lazy val id = held.begin()

  private lazy val reader = new FileStatisticsReader(session, settings)

  private var written = IndexedSeq.empty[ParquetRewrite.Staged]
  private var identitiesOfNew = Map.empty[Path, String]

  /** The table's columns, and after them those that only its files have: no column is lost with a rewrite. */
  private lazy val dataSchema: StructType = {
    footers.zip(files).find(_._1.isEncrypted).foreach { case (_, f) =>
      throw ZOrderErrors.encryptedFile(table.name, f.path)
    }
    // Its metadata may lie anywhere.
    footers.zip(files).find(_._1.schema.keyValues.contains(KeptMetadata.OfIceberg)).foreach { case (_, f) =>
      throw ZOrderErrors.fileOfIceberg(table.name, f.path)
    }
    requireNoPartitionColumns()
    val merged = FileSchemas.mergedWith(session, table, footers, files.map(_.path))
    (merged ++ table.partitionSchema).find(f =>
      table.groupSchema.nonEmpty && f.name.equalsIgnoreCase(FolderGroups.Column)).foreach { f =>
      throw ZOrderErrors.reservedColumn(table.name, f.name)
    }
    merged
  }

  /** For readers of the table the folders' values count; readers of single files would lose the column. */
  private def requireNoPartitionColumns(): Unit = {
    val same = session.sessionState.conf.resolver
    for {
      (footer, file) <- footers.zip(files)
      field <- footer.schema.columns.find(f => table.partitionSchema.exists(p => same(p.name, f.name)))
    } throw ZOrderErrors.partitionColumnInFile(field.name, table.name, file.path)
  }

  // Before anything is read.
  private lazy val identities: Map[String, String] = folder.identities(files.map(_.path))

  private lazy val settings = folder.readSettings(identities)

  private lazy val footers = reader.readListed(files.map(_.listed.status), NarrowColumns.of(table), SchemaDetail.All)

  /** The metadata of new files that Spark's writer would leave out. */
  private lazy val kept: KeptMetadata =
    KeptMetadata.of(session, table.name, dataSchema, footers.map(_.schema).zip(files), settings)

  override lazy val input: DataFrame = {
    // Whoever may link to a file from here may not be one who may read it.
    files.find(f => folder.hasLink(f.path)).foreach { f =>
      throw ZOrderErrors.pathOutsideTable(f.path, folder.root.toString)
    }
    // Refuses whatever could get lost.
    kept
    Nanoseconds.requireNone(session, table.name, files, footers, settings)
    NarrowColumns.requireFit(session, table, files, footers)
    ParquetRows.read(session, table, files.map(_.listed), dataSchema, settings)
  }

  override def write(
      rows: DataFrame,
      clusteringOf: ClusteringOf): IndexedSeq[DataFile] = {
    val of = files.map(_.partition).distinct.map(p => p -> targetOf(p)).toMap
    val staging = new StagedFiles(session, table, new Path(folder.staging, id), kept, of)
    written = staging.write(rows, held).map { staged =>
      ParquetRewrite.Staged(staged, clusteringOf(WriterTask.inName(staged.path), staged.file.partition))
    }
    identitiesOfNew = staging.identities
    requireAllRows()
    written.map(w => data(w, w.file))
  }

  /** Footers count rows before any reader can leave some out, or take some for those of another partition. */
  private def requireAllRows(): Unit = {
    val before = files.zip(footers).groupMapReduce(_._1.partition)(_._2.rows)(_ + _)
    val after = written.groupMapReduce(_.file.partition)(_.footer.rows)(_ + _)
    (before.keySet ++ after.keySet).foreach { partition =>
      val (old, now) = (before.getOrElse(partition, 0L), after.getOrElse(partition, 0L))
      if (old != now) throw ZOrderErrors.rowCountMismatch(table.name, old, now)
    }
  }

  private def data(w: ParquetRewrite.Staged, as: TableListing.File): ParquetFile =
    new ParquetFile(as, w.footer.rows, TableStatistics.column(table.indexable, w.footer, _), w.clustering)

  /** Out of the footers, which readers count by: uploaded files cannot be read before the commit. */
  override def output: DataFrame = {
    val schema = table.groupSchema
    val counts = written.map(w => InternalRow.fromSeq(w.file.partition.toSeq(schema) :+ w.footer.rows))
    val columns = DataTypeUtils.toAttributes(schema.add(RowCounts.Rows, LongType))
    SparkInternals.dataFrame(session, LocalRelation(columns, counts))
  }

  override def commit(columns: Seq[ColumnPath], mark: Option[BatchedRun.Mark]): CommitOutcome = {
    val wanted = folders
    val replacement = new FileReplacement(table, held, id, since)
    val keptUntil = ZOrderConf.keepOld(session.sessionState.conf).fold(LogEntry.NotKept)(System.currentTimeMillis() + _)
    val (done, remaining) = replacement.run(wanted, keptUntil, identitiesOfNew)
    val added = newFiles(done.flatMap(_.added))
    new IndexRefresh(session, table).runOrWarn(
      columns.flatMap(c => table.indexable.find(_.path == c.parts)),
      asWritten(added).map { case (w, file) => WrittenFile(file.id, w.footer, w.clustering) })
    held.changed()
    new KeptFiles(folder).forgetDue(table.rewriteLog)
    if (remaining.nonEmpty) throw ZOrderErrors.cannotDelete(folder.root.toString, remaining)
    // What somebody has overwritten since, or moved away with a folder, is not what it was when the verdict was given.
    val there = added.map(_._2.id.path).toSet
    val whole = done.filter(_.added.forall(a => there(a.path)))
    val left = wanted.map(_.path).toSet -- whole.map(_.path)
    mark.map(m => m.copy(finished = m.finished && left.isEmpty)).foreach(new RunRecord(folder).write)
    CommitOutcome(added.map { case (w, file) => data(w, file) }, conflict(wanted.filter(f => left(f.path))))
  }

  /**
   * The files to delete and the files to move in, per folder: new files lie where their rows did.
   */
  private def folders: Seq[FolderChange] = {
    val newOnes = written.groupBy(_.file.partition)
    files.groupBy(_.partition).toSeq.map { case (partition, old) =>
      val added = newOnes.getOrElse(partition, IndexedSeq.empty).map { w =>
        Added(w.file.id.path, w.staged.path, w.file.id.bytes, w.staged.upload)
      }
      FolderChange(
        targetOf(partition),
        old.map(_.listed.id),
        added,
        old.flatMap(f => identities.get(f.path).map(f.path -> _)).toMap)
    }.sortBy(_.path)
  }

  /**
   * Those of the new files that nobody has written anew since they were moved in. A file keeps its time then, but not on every
   * file system: the footer of one with another time shows it. A store reports sizes alone.
   */
  private def asWritten(added: IndexedSeq[NewFile]): IndexedSeq[NewFile] = {
    val ofSize = added.filter { case (w, file) => file.id.bytes == w.file.id.bytes }
    val (sure, others) = ofSize.partition { case (w, file) =>
      folder.isStore || file.id.modificationTime == w.file.id.modificationTime
    }
    def now =
      new FileStatisticsReader(session, folder.readSettings).readListed(others.map(_._2.status), table.indexable)
    def same = others.zip(now).collect { case (f, footer) if footer.tellsAs(f._1.footer) => f }
    // One that is gone by now is none of these either.
    if (others.isEmpty) sure else sure ++ Try(same).getOrElse(Nil)
  }

  private def newFiles(added: Seq[Added]): IndexedSeq[NewFile] = {
    val byName = written.map(w => w.file.id.path -> w).toMap
    val there = folder.statuses(added.map(a => folder.resolve(a.path)))
    added.toIndexedSeq.flatMap { a =>
      val w = byName(a.staged)
      there.get(folder.resolve(a.path)).map { status =>
        w -> TableListing.File(ListedFile(a.path, status.getLen, status.getModificationTime), w.file.partition, status)
      }
    }
  }

  private def conflict(left: Seq[FolderChange]): Option[CommitOutcome.Conflict] =
    if (left.isEmpty) None
    else {
      val paths = left.map(_.path).toSet
      val partitions = files.map(_.partition).filter(p => paths(targetOf(p))).toSet
      // Nothing of these was changed by anybody: it was their uploads that could not be completed.
      val areLost = left.exists(f => f.added.exists(_.upload.nonEmpty) && folder.areUnchanged(f.replacedWithIdentities))
      if (areLost) held.loseUploads()
      val cause = FileReplacement.changed(table, paths.toSeq.sorted)
      Some(CommitOutcome.Conflict(partitions, cause, isFinal = !areLost))
    }

  private type NewFile = (ParquetRewrite.Staged, TableListing.File)

  private lazy val targetOf: Map[InternalRow, String] =
    files.map(f => f.partition -> f.folder).toMap
}

private[parquet] object ParquetRewrite {

  private final case class Staged(staged: StagedFile, clustering: Option[Clustering]) {
    def file: TableListing.File = staged.file
    def footer: FileStatistics = staged.footer
  }
}
