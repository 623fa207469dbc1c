// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import scala.collection.mutable

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.log.LogEntry.{Added, FolderChange}

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

  /** Of the files that go, and those that come, in the table. */
  def paths: Seq[String] = replaced.map(_.path) ++ copies.map(_.to)

  /**
   * For an entry of the log.
   *
   * @param staged
   *   path and bytes of a staged copy, by the path that it is to have in the table
   */
  def entries(staged: String => (String, Long)): Seq[FolderChange] = folders.map { f =>
    val added = f.copies.map { copy =>
      val (path, bytes) = staged(copy.to)
      Added(path, copy.to, bytes)
    }
    FolderChange(f.path, f.replaced, added)
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
   * @param isThere
   *   whether a file that a rewrite had written is in the table as it was
   * @param kept
   *   the kept file of a path that the table had, where it is there
   * @param id
   *   an id that no rewrite had before, for names that no file had before
   */
  def of(
      rewrite: KeptRewrite,
      rewrites: Seq[KeptRewrite],
      isThere: (KeptRewrite, ListedFile) => Boolean,
      kept: (KeptRewrite, ListedFile) => Option[FileStatus],
      id: String): Either[Obstacle, TakenBack] = {
    val back = new TakingBack(rewrites, isThere)
    val changes = rewrite.folders.map(f => f -> back.takeBack(rewrite, f))
    val found = changes.flatMap(_._2.come).map { case old @ (from, file) => old -> kept(from, file) }
    val notKept = found.collect { case ((_, file), None) => file.path }.sorted
    if (back.gone.nonEmpty || notKept.nonEmpty) Left(Obstacle(back.gone.toSeq.sorted, notKept))
    else {
      val names = RestoredNames.of(found.map(_._1._2.path), id)
      val places = found.zip(names).map { case ((old, status), name) => old -> Copy(status.get.getPath, name) }.toMap
      val folders = changes.map { case (f, change) => FolderBefore(f.path, change.go, change.come.map(places)) }
      Right(TakenBack(folders, changes.flatMap(_._2.come).map(_._1.keptUntil).maxOption.getOrElse(0L)))
    }
  }

  private type Old = (KeptRewrite, ListedFile)

  /** Files of the table that go, and kept ones of rewrites that come. */
  private final case class Change(go: Seq[ListedFile], come: Seq[Old])

  /** Takes rewrites back one after the other, on paper. */
  private final class TakingBack(rewrites: Seq[KeptRewrite], isThere: (KeptRewrite, ListedFile) => Boolean) {

    /** Files that should be there. */
    val gone: mutable.Set[String] = mutable.LinkedHashSet.empty

    // What takes the place of a file that a rewrite had written: the rewrite that replaced it in turn.
    private lazy val replacedBy: Map[String, (KeptRewrite, KeptRewrite.Folder)] =
      (for (r <- rewrites; f <- r.folders; file <- f.replaced) yield file.path -> (r -> f)).toMap

    private var (go, come) = (mutable.LinkedHashMap.empty[String, ListedFile], mutable.LinkedHashMap.empty[Old, Unit])
    private val done = mutable.Set.empty[(KeptRewrite, String)]

    def takeBack(rewrite: KeptRewrite, f: KeptRewrite.Folder): Change = {
      go = mutable.LinkedHashMap.empty
      come = mutable.LinkedHashMap.empty
      step(rewrite, f)
      Change(go.values.toSeq, come.keys.toSeq)
    }

    private def step(rewrite: KeptRewrite, f: KeptRewrite.Folder): Unit = if (done.add(rewrite -> f.path)) {
      f.added.foreach { file =>
        def later = replacedBy.get(file.path).filter(_._1.number > rewrite.number)
        if (isThere(rewrite, file)) go(file.path) = file
        else
          later match {
            case Some((by, folder)) =>
              step(by, folder)
              // It would come only to go.
              val back = come.keys.find(old => old._1 == by && old._2.path == file.path)
              if (back.isEmpty) gone += file.path else come --= back
            case None => gone += file.path
          }
      }
      f.replaced.foreach(old => come((rewrite, old)) = ())
    }
  }
}
