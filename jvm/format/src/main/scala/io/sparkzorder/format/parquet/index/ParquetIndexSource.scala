// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import scala.collection.mutable

import io.sparkzorder.errors.{RememberedWarnings, ZOrderRuntimeException}
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.listing.{ListingCheck, PresentFiles, RestoredFiles}
import io.sparkzorder.format.parquet.log.{KeptName, LogState, RewriteLog}
import io.sparkzorder.skipping.predicate.IndexedFiles
import io.sparkzorder.skipping.scan.{IndexSource, ListedFiles}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession

/** Statistics indexes and logs of plain Parquet tables. */
object ParquetIndexSource extends IndexSource with Logging {

  private val warned = new RememberedWarnings[String]

  // Rewrites that end while a query looks for files.
  private val Attempts = 10

  override def isTable(hadoop: Configuration, folder: Path): Boolean = new TableFolder(folder, hadoop).isKept

  override def isTableAbove(hadoop: Configuration, folder: Path): Boolean =
    try {
      val table = new TableFolder(folder, hadoop)
      table.isKept && table.isOfOwner && {
        new RewriteLog(table).read()
        true
      }
    } catch {
      case e: ZOrderRuntimeException =>
        if (warned.isNew(folder.toString)) logWarning(s"$folder is not taken for the table of what lies below it", e)
        false
    }

  override def latest(session: SparkSession, tableFolder: Path): Option[IndexedFiles] =
    StatisticsIndexes.latest(session, tableFolder)

  override def fingerprint(session: SparkSession, tableFolder: Path): AnyRef =
    new RewriteLog(new TableFolder(tableFolder, session.sessionState.newHadoopConf())).read().fingerprint

  override def filesToExclude(
      session: SparkSession,
      tableFolder: Path,
      listed: ListedFiles,
      isFresh: Boolean,
      isCovered: String => Boolean): Option[Set[String]] = {
    val folder = new TableFolder(tableFolder, session.sessionState.newHadoopConf())
    val log = new RewriteLog(folder)
    @scala.annotation.tailrec
    def attempt(state: LogState, left: Int): Option[Set[String]] =
      if (state.rewrites.isEmpty) Some(Set.empty)
      else {
        val folders = mutable.Set.empty[String]
        def isNamedIn(folder: String) = state.isNamedIn(folder) && { folders += folder; true }
        // Of very many files the log names a few; kept ones may have been moved back.
        def isLooked(file: ListedFile) = state.isNamed(file.path) || KeptName.is(file.path)
        val (files, present) = (listed.in(isNamedIn).filter(isLooked).toSet, new PresentFiles(folder))
        if (!isFresh && ListingCheck.isStale(state, files, present, isCovered)) None
        else {
          val out = ListingCheck.filesToExclude(state, files, present, present.isAnother)
          // Files that were not there may have been replaced since the log was read.
          val after = if (present.wereAsked) log.read() else state
          if (after.fingerprint == state.fingerprint || left == 0) {
            // One that is not there may have been renamed.
            lazy val others =
              if (state.areNamedIn(folders)) Nil else listed.in(!state.isNamedIn(_)).toSeq
            def read = files.toSeq.filterNot(f => out(f.path)) ++ others
            RestoredFiles.warn(folder, state, read, others)
            Some(out)
          } else attempt(after, left - 1)
        }
      }
    attempt(log.read(), Attempts)
  }
}
