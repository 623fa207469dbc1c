// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{Clustering, ListedFile}
import io.sparkzorder.format.parquet.folder.access.Access
import io.sparkzorder.format.parquet.listing.{TableDefinition, TableListing}
import io.sparkzorder.parquet.footer.{FileStatistics, FileStatisticsReader, StatisticsColumn}

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession

/** Brings the statistics index of a table up to date. The caller holds the table's lock. */
private[parquet] class IndexRefresh(session: SparkSession, table: TableDefinition) extends Logging {
  import IndexRefresh._
  import table.{folder, indexable => available}

  /**
   * Writes a new version of the index, unless the present one is equal. No other way opens an index to more readers: one
   * that has been there may have bounds of files that were more private, and are gone.
   *
   * @param asked
   *   the columns that the index is to have; None leaves them as they are, and takes all for a new index
   * @param added
   *   further columns that the index is to have
   * @param refuseEncrypted
   *   whether an encrypted file is an error; if not, the index has no statistics of it
   * @param written
   *   files that a rewrite has just written, whose footers have been read
   */
  def run(
      asked: Option[IndexedSeq[StatisticsColumn]],
      added: Seq[StatisticsColumn],
      refuseEncrypted: Boolean,
      written: Seq[WrittenFile]): Outcome = {
    val fresh = written.map(w => w.id -> w).toMap
    val before = StatisticsIndexes.readable(session, folder)
    val columns = chosen(before, asked, added)
    val found = filesFound(before, columns, fresh)
    found.footers.find(f => refuseEncrypted && f._2.isEncrypted).foreach { case (file, _) =>
      throw ZOrderErrors.encryptedFile(table.name, file.path)
    }
    val isSame = found.footers.isEmpty && written.isEmpty &&
      before.exists { b =>
        b.columns == columns && b.size == found.files.size && isAsOpen(b.path, found.access.ofFile) &&
        StatisticsFile.isNamedSo(b.path.getName) && StatisticsIndexes.hasOneVersion(folder)
      }
    if (!isSame) write(before, columns, fresh, found)
    Outcome(found.files.size, found.footers.size, columns.map(_.path))
  }

  /** Lists the files and reads the footers that neither the index nor a rewrite knows. */
  private def filesFound(
      before: Option[StatisticsIndex],
      columns: IndexedSeq[StatisticsColumn],
      fresh: Map[ListedFile, WrittenFile]): FilesFound = {
    // A column that is new, or has changed its type, is to be had from the footers only.
    val isUsable = before.exists(index => columns.forall(index.columnsFor(session).contains))
    def listed = {
      // Before they are listed: one that goes is in the index.
      val access = folder.accessNow()
      // What a link leads to may be what not everybody may read who may read the index.
      val files = table.listing(session).files(Nil).filterNot(f => folder.hasLink(f.id.path)).sortBy(_.id.path)
      // Before the files are read.
      val states = files.map(f => f.id -> folder.state(f.status)).toMap
      val numbers = before.fold(Map.empty[ListedFile, Int])(_.numbersOf(files, s => folder.state(s)))
      FilesFound(access, files, states, numbers, Map.empty)
    }
    TableListing.readingAnew(folder, listed)(_.files) { found =>
      val unknown = found.files.filterNot(f => (isUsable && found.numbers.contains(f.id)) || fresh.contains(f.id))
      val identities =
        if (folder.isPlain) folder.identities(unknown.map(_.id.path)) else Map.empty[String, String]
      val reader = new FileStatisticsReader(session, folder.readSettings(identities))
      val footers = reader.readListed(unknown.map(_.status), columns)
      // Of the files that were read: their folders may have been exchanged, and back.
      val states = unknown.map(f => f.id -> folder.stateOf(f.status, identities.get(f.id.path))).toMap
      found.copy(footers = unknown.map(_.id).zip(footers).toMap, states = found.states ++ states)
    }
  }

  private def write(
      before: Option[StatisticsIndex],
      columns: IndexedSeq[StatisticsColumn],
      fresh: Map[ListedFile, WrittenFile],
      found: FilesFound): Unit = {
    import found.{files, footers, numbers, states}
    val entries = files.iterator.map { f =>
      fresh.get(f.id) match {
        case Some(w) => entry(f.id, w.statistics, columns, w.clustering, states(f.id))
        case None if footers.contains(f.id) =>
          val footer = footers(f.id)
          entry(f.id, footer, columns, before.flatMap(_.clusteringOf(f.id, footer.rows)), states(f.id))
        case None => narrowed(before.get, numbers(f.id), columns)
      }
    }
    val hasOld = files.exists(f => !fresh.contains(f.id) && !footers.contains(f.id))
    val kept = if (hasOld) before.flatMap(_.caseSensitive) else None
    val isExact = kept.isEmpty && (footers.values ++ fresh.values.map(_.statistics)).forall(_.isExact)
    val caseSensitive = if (isExact) None else Some(session.sessionState.conf.caseSensitiveAnalysis)
    val known = before.flatMap(_.fileColumns).filter(_.settings == settings)
    val fileColumns = FileColumns.of(
      settings,
      files.iterator.map { f =>
        fresh.get(f.id).map(_.statistics).orElse(footers.get(f.id)) match {
          case Some(footer) => FileColumns.known(footer)
          case None => known.flatMap(k => k.schemaOf(numbers(f.id)).map(k.schemas))
        }
      }
    )
    def ofFiles() = folder.accessOfListed(files.map(f => f.id.path -> states(f.id)))
    StatisticsIndexes.write(session, folder, found.access, ofFiles _, columns, caseSensitive, fileColumns, entries)
  }

  /** As [[run]], after a change of the table, which has succeeded whether or not this does. */
  def runOrWarn(added: Seq[StatisticsColumn] = Nil, written: Seq[WrittenFile] = Nil): Unit =
    try run(None, added, refuseEncrypted = false, written): Unit
    catch {
      case e: Exception => logWarning(s"Could not bring the statistics index of ${table.name} up to date", e)
    }

  /** Whether it need not be written anew: only its owner may open it, or close it, and few may give it to another. */
  private def isAsOpen(index: Path, access: Access): Boolean =
    !folder.isLessOpen(index, access) && !folder.isOpenOfAnother(index, access) && !folder.isToGiveAway(index, access)

  private def chosen(
      before: Option[StatisticsIndex],
      asked: Option[IndexedSeq[StatisticsColumn]],
      added: Seq[StatisticsColumn]): IndexedSeq[StatisticsColumn] = {
    val base = asked.getOrElse(before.fold(available)(_.columns.flatMap(c => available.find(_.path == c.path))))
    val all = base ++ added.filter(a => available.contains(a) && !base.contains(a))
    // In the order in which the file has them.
    StatisticsFile.columns(StatisticsFile.schema(all.distinct))
  }

  private def settings: String = FileStatisticsReader.schemaSettings(session)

  private def entry(
      file: ListedFile,
      statistics: FileStatistics,
      columns: IndexedSeq[StatisticsColumn],
      clustering: Option[Clustering],
      state: Option[Long]): StatisticsFile.Entry =
    StatisticsFile.Entry(file, statistics.rows, columns.map(statistics.of), clustering, state)

  private def narrowed(
      index: StatisticsIndex,
      number: Int,
      columns: IndexedSeq[StatisticsColumn]): StatisticsFile.Entry = {
    val all = index.entry(number)
    all.copy(columns = columns.map(c => all.columns(index.columns.indexOf(c))))
  }
}

/** A file that a rewrite has moved into the table, with the statistics of its footer. */
private[parquet] final case class WrittenFile(
    id: ListedFile,
    statistics: FileStatistics,
    clustering: Option[Clustering])

private[parquet] object IndexRefresh {

  /**
   * @param states
   *   what the file system says of each file beside its size and time, if anything
   * @param numbers
   *   the numbers of the files that the index knows
   * @param footers
   *   of the files that had to be read
   */
  private final case class FilesFound(
      access: Access,
      files: IndexedSeq[TableListing.File],
      states: Map[ListedFile, Option[Long]],
      numbers: Map[ListedFile, Int],
      footers: Map[ListedFile, FileStatistics])

  /**
   * @param files
   *   number of files in the index
   * @param read
   *   number of files whose footers were read
   */
  final case class Outcome(files: Int, read: Int, columns: IndexedSeq[Seq[String]])
}
