// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.log.LogEntry.{Added, Folder}

import org.apache.hadoop.fs.{FileStatus, Path}

/**
 * What takes a rewrite back: for each of its folders the files that go, and kept files of which copies come. Where a later
 * rewrite has replaced files that this one had written, that one is taken back with it.
 *
 * @param keptUntil
 *   the latest time until which any of the kept files is kept, in milliseconds since 1970
 */
private[parquet] final case class TakenBack(folders: Seq[TakenBack.FolderBefore], keptUntil: Long) {

  def replaced: Seq[ListedFile] = folders.flatMap(_.replaced)

  def copies: Seq[TakenBack.Copy] = folders.flatMap(_.copies)

  /**
   * For an entry of the log.
   *
   * @param staged
   *   path and bytes of a staged copy, by the path that it is to have in the table
   */
  def entries(staged: String => (String, Long)): Seq[Folder] = folders.map { f =>
    val added = f.copies.map { copy =>
      val (path, bytes) = staged(copy.to)
      Added(path, copy.to, bytes)
    }
    Folder(f.path, f.replaced, added)
  }
}

private[parquet] object TakenBack {

  final case class FolderBefore(path: String, replaced: Seq[ListedFile], copies: Seq[Copy])

  /**
   * @param from
   *   where the file is kept
   * @param to
   *   path that its copy is to have
   */
  final case class Copy(from: Path, to: String)

  /** Why a rewrite cannot be taken back: files that it had written and that are no longer there, files that are not kept. */
  final case class Obstacle(gone: Seq[String], notKept: Seq[String])

  /**
   * @param rewrite
   *   the rewrite to take back
   * @param rewrites
   *   all of which files are kept
   * @param listed
   *   the files of the table
   * @param kept
   *   the kept file of a path that the table had, where it is there
   * @param id
   *   an id that no rewrite had before, for names that no file had before
   */
  def of(
      rewrite: KeptRewrite,
      rewrites: Seq[KeptRewrite],
      listed: Seq[ListedFile],
      kept: (KeptRewrite, ListedFile) => Option[FileStatus],
      id: String): Either[Obstacle, TakenBack] = {
    val back = new TakingBack(rewrites, listed)
    val changes = rewrite.folders.map(f => f -> back.takeBack(rewrite, f))
    val found = changes.flatMap(_._2.come).map { case (from, file) => file.path -> kept(from, file) }.toMap
    val notKept = found.collect { case (path, None) => path }.toSeq.sorted
    if (back.gone.nonEmpty || notKept.nonEmpty) Left(Obstacle(back.gone.toSeq.sorted, notKept))
    else {
      val folders = changes.map { case (f, change) =>
        val copies = change.come.map { case (_, file) => Copy(found(file.path).get.getPath, renamed(file.path, id)) }
        FolderBefore(f.path, change.go, copies)
      }
      Right(TakenBack(folders, changes.flatMap(_._2.come).map(_._1.keptUntil).maxOption.getOrElse(0L)))
    }
  }

  private val Mark = "-restored-"
  private val Marked = s"$Mark[0-9A-Za-z-]{36}"

  // What file systems allow, in bytes of UTF-8.
  private val LongestName = 255

  /**
   * `trips.parquet` becomes `trips-restored-<id>.parquet`, also when it is restored a second time. Of a name that would
   * be too long the beginning stays.
   */
  private[log] def renamed(path: String, id: String): String = {
    val (folder, name) = path.splitAt(path.lastIndexOf('/') + 1)
    val (stem, ending) = name.replaceFirst(Marked, "").span(_ != '.')
    def bytes(text: String) = text.getBytes(UTF_8).length
    val codePoints = stem.codePoints.toArray
    // The ending, too, where all of a name is one.
    val shortEnding = ending.takeRight(MostEnding)
    val left = LongestName - bytes(Mark) - id.length - bytes(shortEnding)
    val length =
      codePoints.indices.map(_ + 1).reverse.find(n => bytes(new String(codePoints, 0, n)) <= left).getOrElse(0)
    s"$folder${new String(codePoints, 0, length)}$Mark$id$shortEnding"
  }

  private val MostEnding = 40

  /** Files of the table that go, and kept ones of rewrites that come. */
  private final case class Change(go: Seq[ListedFile], come: Seq[(KeptRewrite, ListedFile)])

  /** Takes rewrites back one after the other, on paper. */
  private final class TakingBack(rewrites: Seq[KeptRewrite], listed: Seq[ListedFile]) {

    /** Files that should be there. */
    val gone: mutable.Set[String] = mutable.LinkedHashSet.empty

    private val ofTable = listed.map(f => f.path -> f).toMap
    // Of each path, the rewrite that keeps the file; None for a file of the table.
    private val now = mutable.LinkedHashMap.from(listed.map(f => f.path -> (Option.empty[KeptRewrite], f)))

    def takeBack(rewrite: KeptRewrite, f: Folder): Change = {
      val before = now.keySet.toSet
      step(rewrite, f)
      // Not of the map: its pairs would become one.
      val come = now.iterator.collect { case (path, (Some(from), file)) if !before(path) => from -> file }.toSeq
      Change((before -- now.keySet).toSeq.sorted.flatMap(ofTable.get), come)
    }

    private def step(rewrite: KeptRewrite, f: Folder): Unit = {
      def missing = f.added.filterNot(a => now.get(a.path).exists(_._2.bytes == a.bytes)).map(_.path)
      for (path <- missing if missing.contains(path); (later, of) <- replacedBy(rewrite, path)) step(later, of)
      gone ++= missing
      if (missing.isEmpty) {
        f.added.foreach(a => now -= a.path)
        f.replaced.foreach(old => now(old.path) = (Some(rewrite), old))
      }
    }

    private def replacedBy(rewrite: KeptRewrite, path: String): Option[(KeptRewrite, Folder)] =
      rewrites.iterator.filter(_.number > rewrite.number).flatMap(r => r.folders.map(r -> _))
        .find(_._2.replaced.exists(_.path == path))
  }
}
