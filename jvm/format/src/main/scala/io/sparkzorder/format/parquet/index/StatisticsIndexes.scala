// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import java.util

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.errors.{RememberedWarnings, UnreadableFile}
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.folder.access.{Access, NewAccess}
import io.sparkzorder.parquet.footer.StatisticsColumn
import io.sparkzorder.skipping.predicate.IndexedFiles

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession

/** The versions of a table's statistics index: files of `_zorder/statistics`, of which the last counts. */
private[sparkzorder] object StatisticsIndexes extends Logging {

  // By folder of the index, the least recently used first.
  private val cache = new util.LinkedHashMap[String, StatisticsIndex](16, 0.75f, true)

  private val warned = new RememberedWarnings[String]

  /** A folder's index of the last version; None where there is none of a form that is known here. */
  private[parquet] def latest(session: SparkSession, folder: TableFolder): Option[StatisticsIndex] =
    if (!folder.isTrusted) None
    else versions(folder).lastOption.map { case (_, file) => cached(session, folder, file) }

  /** Whether nothing is left of other versions, as of an older build, which does not find those of this one. */
  private[parquet] def hasOneVersion(folder: TableFolder): Boolean = versions(folder).size == 1

  /** As [[latest]], for the queries of a session on a table's folder. */
  def latest(session: SparkSession, folder: Path): Option[IndexedFiles] = {
    val table = new TableFolder(folder, session.sessionState.newHadoopConf())
    latest(session, table).map(_.seenBy(session, table.state))
  }

  /** As [[latest]], but without one that cannot be read: it will be recreated. */
  private[parquet] def readable(session: SparkSession, folder: TableFolder): Option[StatisticsIndex] =
    try {
      val index = latest(session, folder)
      index.foreach(i => i.load(i.columnsFor(session)))
      index.foreach(_.clusterings)
      index
    } catch {
      case e: Exception =>
        val why = if (UnreadableFile.isDenied(e)) ": permissions close it to you" else ""
        logWarning(s"The statistics index of ${folder.root} cannot be read$why; it is recreated", e)
        None
    }

  private def cached(session: SparkSession, folder: TableFolder, file: FileStatus): StatisticsIndex = {
    val key = folder.statistics.toString
    folder.requireNoLink(file.getPath)
    val known =
      cache.synchronized(Option(cache.get(key))).filter(i => i.version == file.getPath.toString && i.canBeRead)
    known.getOrElse {
      folder.requireFile(file.getPath)
      val index = StatisticsIndex.open(session, file)
      val most = ZOrderConf.indexCacheSize(session.sessionState.conf)
      cache.synchronized {
        cache.put(key, index)
        val each = cache.entrySet.iterator
        var weight = cache.values.stream.mapToLong(_.weight).sum
        while (weight > most && each.hasNext) {
          weight -= each.next().getValue.weight
          each.remove()
        }
      }
      index
    }
  }

  /** By their numbers, ascending. */
  private def versions(folder: TableFolder): Seq[(Long, FileStatus)] = versions(folder, listed(folder))

  private def listed(folder: TableFolder): Seq[FileStatus] = folder.listIfThere(folder.statistics).getOrElse(Nil)

  private def versions(folder: TableFolder, listed: Seq[FileStatus]): Seq[(Long, FileStatus)] = {
    val found = listed.flatMap { s =>
      s.getPath.getName match {
        // Whoever may write to the table may have chosen the numbers.
        case StatisticsFile.Name(format, version, _) => format.toIntOption.zip(version.toLongOption).map {
            case (f, v) => (f, v, s)
          }
        case _ => None
      }
    }
    val (known, other) = found.partition(_._1 == StatisticsFile.Format)
    other.headOption.foreach { case (format, _, file) =>
      if (warned.isNew(folder.statistics.toString))
        logWarning(
          s"Ignoring ${file.getPath}: a statistics index of format $format, this version of spark-zorder reads format " +
            s"${StatisticsFile.Format}")
    }
    known.map(v => (v._2, v._3)).sortBy(v => (v._1, v._2.getPath.getName))
  }

  /**
   * Writes the next version. The caller holds the table's lock.
   *
   * @param access
   *   that of the data files before they were listed
   * @param ofFiles
   *   what those in the index allow, asked for when the version has been written; None where it is not known
   * @param columns
   *   columns in the order of `StatisticsFile.columns(StatisticsFile.schema(columns))`, as are those of the entries
   * @param caseSensitive
   *   see [[StatisticsFile.caseSensitive]]
   * @param fileColumns
   *   of the files in the order of their entries
   */
  private[parquet] def write(
      session: SparkSession,
      folder: TableFolder,
      access: Access,
      ofFiles: () => Option[Access],
      columns: IndexedSeq[StatisticsColumn],
      caseSensitive: Option[Boolean],
      fileColumns: FileColumns,
      entries: Iterator[StatisticsFile.Entry]): Unit = {
    folder.makeForNew(folder.statistics)
    val there = listed(folder)
    val before = versions(folder, there)
    val name = StatisticsFile.name(before.lastOption.fold(1L)(_._1 + 1), StatisticsFileIO.unique())
    val version = new Path(folder.statistics, name)
    val schema = StatisticsFile.withNotes(StatisticsFile.schema(columns), caseSensitive, fileColumns)
    // As the data files are now: more private ones may have come since they were listed.
    lazy val ofTable = access.and(folder.accessNow())
    // Somebody may have given some of them other names while all were looked at.
    lazy val allowed = ofFiles().fold(ofTable)(ofTable.and)
    val identity = new StatisticsDraft(folder, version).publish { draft =>
      val identities =
        StatisticsFileIO.write(session, folder, draft, schema, entries.map(StatisticsFile.row(_, columns)))
      folder.protectStaged(draft, NewAccess(allowed.ofFile), identities)
      identities.get(draft)
    }
    // One version at a time, so that the folder can be read as a table. A query that has not read all columns of the
    // version before keeps the files that it cannot judge.
    (before.map(_._2.getPath) ++ there.map(_.getPath).filter(StatisticsDraft.isLeft)).foreach(folder.delete)
    // What else lies there, as the index of another build, may be of files that were more private. Others may have to write
    // the next version, also where one of the files that are listed has gone, and nobody else may read this one.
    if (!folder.isStore) folder.protectFolderOf(version, identity, ofTable.ofFolder)
  }
}
