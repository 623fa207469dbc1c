// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.util.UUID

import scala.util.control.NonFatal

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{DoubledRows, ListedFile, RestorableTable}
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.folder.access.Access
import io.sparkzorder.format.parquet.folder.opened.CopiedFile
import io.sparkzorder.format.parquet.index.IndexRefresh
import io.sparkzorder.format.parquet.listing.{PresentFiles, TableDefinition}
import io.sparkzorder.format.parquet.log.{KeptFiles, KeptRewrite, LogState, TakenBack}
import io.sparkzorder.parquet.footer.FileStatisticsReader

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration

/**
 * Takes a rewrite of a Parquet table back: copies of the files that it had replaced come in the place of those that it
 * had written, as a rewrite of its own, which can be taken back in turn. Rows that others have added since stay.
 *
 * What the catalog or the table's listing says does not matter: the files that the rewrite had written are asked for.
 */
private[parquet] final class ParquetRestore(session: SparkSession, table: TableDefinition, held: RewriteLease) {
  import ParquetRestore._
  import table.folder

  private val kept = new KeptFiles(folder)
  private val id = held.begin()

  /**
   * @param number
   *   the number of the rewrite
   * @throws ZOrderAnalysisException
   *   where its old files are not kept, or not all of its new ones are there as it wrote them
   */
  def run(number: Long): RestorableTable.Restored = {
    held.requireConditionalWrites()
    // Before any file is looked at.
    val since = table.rewriteLog.read()
    val rewrites = kept.rewrites()
    val rewrite = rewrites.filter(_.number == number).maxByOption(_.replacedAt).getOrElse {
      throw ZOrderErrors.noSuchRewrite(table.name, number, rewrites.map(_.number.toString))
    }
    kept.closed(rewrite).foreach(f => throw ZOrderErrors.accessDenied("RESTORE TABLE", s"$f is closed", null))
    val doubled = PresentFiles.doubled(folder, rewrites, rewrite)
    if (doubled.nonEmpty) {
      val rows = DoubledRows(doubled)
      throw ZOrderErrors.doubledRows(table.name, rows.named, rows.advice)
    }
    val plan = planned(rewrite, rewrites)
    val sources = plan.copies.flatMap(copy => folder.relative(copy.from))
    val places = kept.placesOf(rewrites, plan.paths) ++ plan.copies.map(_.from.getParent).distinct
    def requireWord() = folder.requireWordOf(plan.paths ++ sources, places)
    requireWord()
    folder.requireReplaceable(table.name, plan.paths)
    plan.paths.map(ListedFile.folderOf).distinct.filter(_.nonEmpty).foreach(folder.requireOpenWhenMade(table.name, _))
    // Before their rows are counted: whoever replaces one of them from here on is noticed.
    val identities = folder.identities(plan.replaced.map(_.path))
    val copies =
      try copied(plan.copies.map(c => c.from.toString -> c.to))
      catch {
        case NonFatal(e) =>
          // Kept files may have been deleted since they were found: that error says more.
          planned(rewrite, rewrites)
          throw e
      }
    // Another folder may have been there when they were looked at.
    requireWord()
    requireSameRows(plan.replaced, identities, copies.staged.values.toSeq)
    replace(plan, identities, copies, since)
    RestorableTable.Restored(folder.root.toString, number, plan.copies.size, plan.replaced.size)
  }

  private def planned(rewrite: KeptRewrite, rewrites: Seq[KeptRewrite]): TakenBack =
    TakenBack
      .of(rewrite, rewrites, PresentFiles.ofRewrites(folder, rewrites, table.rewriteLog), kept.status, id)
      .fold(o => throw ZOrderErrors.cannotRestore(table.name, rewrite.number, o.gone, o.notKept), identity)

  /** Copies kept files, each to be put at a path. Tasks that are repeated write files of their own, by other names. */
  private def copied(files: Seq[(String, String)]): Copies = {
    val target = new Path(folder.staging, id)
    val access = folder.makePrivate(target)
    val (root, into, run) = (folder.root.toString, target.toString, id)
    val conf = new SerializableConfiguration(session.sessionState.newHadoopConfWithOptions(table.options))
    val context = session.sparkContext
    context.setJobDescription(s"RESTORE ${table.name}: copy ${files.size} files")
    val made =
      try context.parallelize(files, math.max(1, files.size)).map { case (from, to) =>
          val copy = new Path(into, s"$run-${UUID.randomUUID}")
          val folder = new TableFolder(new Path(root), conf.value)
          (from, to, copy.toString, folder.copy(new Path(from), copy, access.inTask))
        }.collect().toSeq
      finally context.setJobDescription(null)
    val ofOwn = folder.accessOf(folder.own)
    Copies(
      made.map { case (_, to, copy, _) => to -> new Path(copy) }.toMap,
      folder.identitiesOfStaged(target, made.map { case (_, _, copy, copied) => new Path(copy) -> copied.known }.toMap),
      made.flatMap { case (from, to, _, copied) =>
        // On another machine users and groups may have other names.
        val source = copied.known.here.flatMap(_ => copied.source)
          .orElse(folder.accessOf(new Path(from)).map(CopiedFile.Source(_, None)))
        source.map(file => to -> reached(new Path(from), file, ofOwn))
      }.toMap
    )
  }

  /**
   * Access to a kept file as its folders close it: rows that were private once are kept in folders that are never opened.
   * Where `_zorder` is as closed, by another partition of today, they are by that one. Where another file is there by now,
   * folders may have been exchanged for more open ones: then nobody else may read the copy.
   */
  private def reached(kept: Path, file: CopiedFile.Source, ofOwn: Option[Access]): Access =
    if (ofOwn.exists(file.access.reachedBy(_) != file.access)) file.access
    else folder.accessFrom(TableFolder.Name, folder.relative(kept).get, file.identity)
      .fold(Access.ofMe)(file.access.and)

  private def requireSameRows(
      replaced: Seq[ListedFile],
      identities: Map[String, String],
      copies: Seq[Path]): Unit = {
    def rows(files: Seq[Path], settings: Map[String, String]) =
      new FileStatisticsReader(session, settings).read(files.map(_.toString).toIndexedSeq, IndexedSeq.empty)
        .map(_.rows).sum
    val before = rows(replaced.map(f => folder.resolve(f.path)), folder.readSettings(identities))
    val after = rows(copies, folder.readSettings)
    if (before != after) throw ZOrderErrors.rowCountMismatch(table.name, before, after)
  }

  private def replace(
      plan: TakenBack,
      identities: Map[String, String],
      copies: Copies,
      since: LogState): Unit = {
    // One that was there and is gone by now is being overwritten: on HDFS what Spark then renames to it would come into it.
    val there = plan.replaced.map(f => ListedFile.folderOf(f.path)).toSet
    val wanted = plan.entries { to =>
      val copy = copies.staged(to)
      if (!there(ListedFile.folderOf(to))) folder.makeDataFolder(folder.resolve(to).getParent)
      (folder.relative(copy).get, folder.status(copy).fold(0L)(_.getLen))
    }.map(f => f.copy(identities = f.replaced.flatMap(r => identities.get(r.path).map(r.path -> _)).toMap))
    val (done, remaining) =
      new FileReplacement(table, held, id, since).run(wanted, plan.keptUntil, copies.identities, copies.sources)
    new IndexRefresh(session, table).runOrWarn()
    held.changed()
    if (remaining.nonEmpty) throw ZOrderErrors.cannotDelete(folder.root.toString, remaining)
    val left = wanted.map(_.path).toSet -- done.map(_.path)
    if (left.nonEmpty) throw FileReplacement.changed(table, left.toSeq.sorted)
  }
}

private object ParquetRestore {

  /**
   * Copies of kept files, which are staged.
   *
   * @param staged
   *   where they are, by the paths that they are to have in the table
   * @param identities
   *   of them and their sums; see [[io.sparkzorder.format.parquet.folder.TableFolder.identitiesOfStaged]]
   * @param sources
   *   access to the kept files, by those paths
   */
  private final case class Copies(
      staged: Map[String, Path],
      identities: Map[Path, String],
      sources: Map[String, Access])
}
