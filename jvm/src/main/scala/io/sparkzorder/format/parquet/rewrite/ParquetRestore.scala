// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.util.UUID

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{ListedFile, RestorableTable}
import io.sparkzorder.format.parquet.index.IndexRefresh
import io.sparkzorder.format.parquet.listing.{TableDefinition, TableListing}
import io.sparkzorder.format.parquet.log.{KeptFiles, LogState, TakenBack}
import io.sparkzorder.parquet.footer.FileStatisticsReader

import org.apache.hadoop.fs.{FileUtil, Path}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration

/**
 * Takes a rewrite of a Parquet table back: copies of the files that it had replaced come in the place of those that it
 * had written, as a rewrite of its own, which can be taken back in turn. Rows that others have added since stay.
 *
 * The files get names that were never used before: a process that slept since it was about to delete an old file goes by
 * its name.
 */
private[parquet] final class ParquetRestore(session: SparkSession, table: TableDefinition, held: TableHold)
    extends Logging {
  import table.folder

  private val kept = new KeptFiles(folder)
  private val id = held.begin()
  private val reader = new FileStatisticsReader(session)

  /**
   * @param number
   *   the number of the rewrite
   * @throws ZOrderAnalysisException
   *   where its old files are not kept, or not all of its new ones are there as it wrote them
   */
  def run(number: Long): RestorableTable.Restored = {
    // Before the files are listed.
    val since = table.rewriteLog.read()
    val rewrites = kept.rewrites()
    val rewrite = rewrites.find(_.number == number).getOrElse {
      throw ZOrderErrors.noSuchRewrite(table.name, number, rewrites.map(_.number.toString))
    }
    val listing = table.listing(session)
    val listed = listing.files(Nil)
    if (listing.doubledFiles.nonEmpty) throw ZOrderErrors.doubledRows(table.name, listing.doubledFiles)
    val plan = TakenBack.of(rewrite, rewrites, listed.map(_.id), kept.status, id) match {
      case Right(plan) => plan
      case Left(obstacle) => throw ZOrderErrors.cannotRestore(table.name, number, obstacle.gone, obstacle.notKept)
    }
    val staged = copied(plan.copies.map(c => c.from.toString -> c.to))
    requireSameRows(staged.values.toSeq, plan.replaced, listed)
    replace(plan, staged, since)
    RestorableTable.Restored(folder.root.toString, number, plan.copies.size, plan.replaced.size)
  }

  /** Staged copies, by their paths in the table. Tasks that are repeated write files of their own. */
  private def copied(files: Seq[(String, String)]): Map[String, Path] = {
    val target = new Path(folder.staging, id)
    folder.make(folder.staging)
    folder.makePrivate(target)
    val (into, conf) =
      (target.toString, new SerializableConfiguration(session.sessionState.newHadoopConfWithOptions(table.options)))
    val context = session.sparkContext
    context.setJobDescription(s"RESTORE ${table.name}: copy ${files.size} files")
    val made =
      try context.parallelize(files, math.max(1, files.size)).map { case (from, to) =>
          val source = new Path(from)
          val copy = new Path(new Path(into, UUID.randomUUID.toString), source.getName)
          val fs = source.getFileSystem(conf.value)
          if (!FileUtil.copy(fs, source, fs, copy, false, false, conf.value))
            throw new java.io.IOException(s"$source could not be copied to $copy")
          to -> copy.toString
        }.collect()
      finally context.setJobDescription(null)
    made.map { case (to, copy) => to -> new Path(copy) }.toMap
  }

  private def requireSameRows(copies: Seq[Path], replaced: Seq[ListedFile], listed: Seq[TableListing.File]): Unit = {
    val locations = listed.map(f => f.id.path -> f.status.getPath.toString).toMap
    def rows(files: IndexedSeq[String]) = reader.read(files, IndexedSeq.empty).map(_.rows).sum
    val (before, after) =
      (rows(replaced.map(f => locations(f.path)).toIndexedSeq), rows(copies.map(_.toString).toIndexedSeq))
    if (before != after) throw ZOrderErrors.rowCountMismatch(table.name, before, after)
  }

  private def replace(plan: TakenBack, staged: Map[String, Path], since: LogState): Unit = {
    val identities = folder.identities(plan.replaced.map(_.path))
    val wanted = plan.entries { to =>
      val copy = staged(to)
      (folder.relative(copy).get, folder.status(copy).fold(0L)(_.getLen))
    }.map(f => f.copy(identities = f.replaced.flatMap(r => identities.get(r.path).map(r.path -> _)).toMap))
    val (done, remaining) = new FileReplacement(table, held, id, since).run(wanted, plan.keptUntil)
    refresh()
    held.changed()
    if (remaining.nonEmpty) throw ZOrderErrors.cannotDelete(folder.root.toString, remaining)
    val left = wanted.map(_.path).toSet -- done.map(_.path)
    if (left.nonEmpty) throw ZOrderErrors.filesChanged(table.name, left.toSeq.sorted)
  }

  /** The table is restored whether or not this succeeds. */
  private def refresh(): Unit =
    try new IndexRefresh(session, table).run(None, Nil, refuseEncrypted = false, Nil): Unit
    catch {
      case e: Exception => logWarning(s"Could not bring the statistics index of ${table.name} up to date", e)
    }
}
