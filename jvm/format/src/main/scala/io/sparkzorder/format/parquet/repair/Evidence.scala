// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.repair

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.listing.{TableDefinition, TableListing}
import io.sparkzorder.format.parquet.log.{DamagedLog, DamagedRewrite, LogEntry}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** Finds out what the files of a table say of a damaged rewrite. */
private[repair] final class Evidence(
    session: SparkSession,
    table: TableDefinition,
    log: DamagedLog,
    statement: String) {
  import table.folder

  /**
   * @param all
   *   all files of the table
   * @return
   *   for each partition in which the rewrite may have changed something
   */
  def of(rewrite: DamagedRewrite, all: IndexedSeq[TableListing.File]): Seq[FolderEvidence] = {
    val isAdded = RepairPlan.isAdded(rewrite)
    val partitions = all.filter(f => isAdded(f.id.path)).map(_.partition).toSet
    val files = all.filter(f => partitions(f.partition))
    // Refuses links: whoever may link to a file from here may not be one who may read it.
    files.foreach(f => folder.resolve(f.id.path))
    if (files.isEmpty) Nil
    else {
      val shared = new SharedRows(session, table, statement, files, isAdded)
      val found = files.groupBy(_.partition).values.toSeq.map { of =>
        val (added, others) = of.partition(f => isAdded(f.id.path))
        rewrite.entry.flatMap(_.folders.find(_.path == ListedFile.folderOf(added.head.id.path))) match {
          case Some(f) => byEntry(f, added, others)
          case None => byRows(rewrite, added, others, shared)
        }
      }
      def paths(of: Seq[TableListing.File]) = of.map(_.id.path).toSet
      val isReplacedIn = shared.isIn(paths(found.flatMap(_.replaced)), paths(found.flatMap(_.added)))
      val isAddedElsewhere = shared.isIn(paths(found.flatMap(_.added)), paths(files) -- paths(found.flatMap(_.added)))
      found.map { e =>
        e.copy(replacedIsIn = isReplacedIn(e.added.head), addedIsElsewhere = isAddedElsewhere(e.added.head))
      }.sortBy(_.folder)
    }
  }

  private def byEntry(
      f: LogEntry.FolderChange,
      added: IndexedSeq[TableListing.File],
      others: IndexedSeq[TableListing.File]): FolderEvidence = {
    val known = f.replaced.map(r => r.path -> r).toMap
    val (replaced, changed) = others.filter(o => known.contains(o.id.path)).partition { o =>
      val file = known(o.id.path)
      folder.sameFile(file, f.identity(file)).isDefined
    }
    val strangers = others.filterNot(o => known.contains(o.id.path))
    FolderEvidence(
      f.path,
      added,
      replaced,
      changed,
      laterThan(added, strangers).size,
      Some(added.size >= f.added.size),
      isNamed = true,
      replacedIsIn = false,
      addedIsElsewhere = false
    )
  }

  private def byRows(
      rewrite: DamagedRewrite,
      added: IndexedSeq[TableListing.File],
      others: IndexedSeq[TableListing.File],
      shared: SharedRows): FolderEvidence = {
    val later = laterThan(added, others)
    val earlier = others.filterNot(later.toSet)
    def rows(f: TableListing.File) = shared.ofFiles(f.id.path)
    def hasOnlyIts(f: TableListing.File) = rows(f).rows > 0 && rows(f).rows == rows(f).shared
    val (replaced, rest) = earlier.partition(hasOnlyIts)
    val isAllThere = if (hasStaged(rewrite)) Some(false) else None
    FolderEvidence(
      ListedFile.folderOf(added.head.id.path),
      added,
      replaced,
      rest.filter(rows(_).shared > 0) ++ later.filter(hasOnlyIts),
      later.size,
      isAllThere,
      isNamed = false,
      replacedIsIn = false,
      addedIsElsewhere = false
    )
  }

  /** Old files were there before the first new one was written. */
  private def laterThan(added: IndexedSeq[TableListing.File], others: IndexedSeq[TableListing.File]) = {
    val first = added.map(_.id.modificationTime).min
    others.filter(_.id.modificationTime > first)
  }

  /** Whether new files are left that were never moved into the table. */
  private def hasStaged(rewrite: DamagedRewrite): Boolean = {
    def hasData(path: Path): Boolean = folder.list(path).exists { s =>
      val name = s.getPath.getName
      !TableFolder.isHidden(name) && (if (s.isDirectory) hasData(s.getPath) else true)
    }
    val aside = folder.list(log.placeOf(rewrite)).map(_.getPath).filter(_.getName.startsWith("_staging"))
    (rewrite.ids.map(new Path(folder.staging, _)) ++ aside).exists(hasData)
  }
}
