// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import scala.collection.mutable

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.log.{KeptName, KeptRewrite, LogState, RewriteLog}

import org.apache.hadoop.fs.FileStatus

/**
 * The files of a table that are there now, by their paths in the table: their sizes, and which they are. A folder is listed
 * once, when first asked.
 */
private[parquet] class PresentFiles(folder: TableFolder) extends (String => Option[Long]) {

  private val there = mutable.Map.empty[String, Map[String, FileStatus]]

  private var isAsked = false

  /** Whether anything was looked for. */
  def wereAsked: Boolean = isAsked

  override def apply(file: String): Option[Long] = status(file).map(_.getLen)

  /** See [[TableFolder.isAnother]]. Nobody can set times of a store: whatever has them is the same. */
  def isAnother(file: ListedFile, identity: Option[String]): Boolean =
    identity.exists(known => !folder.isStore && !isVery(file.path, known) && !folder.hasLink(file.path)) &&
      folder.isAnother(file, identity)(status(file.path))

  /** Mostly it is: each query in a rewrite asks for all of its old files. */
  private def isVery(path: String, identity: String): Boolean = {
    isAsked = true
    folder.isLocallyVery(path, identity)
  }

  private def status(file: String): Option[FileStatus] = {
    isAsked = true
    val parent = ListedFile.folderOf(file)
    val files = there.getOrElseUpdate(
      parent, {
        val path = if (parent.isEmpty) folder.root else folder.resolve(parent)
        folder.list(path).map(s => s.getPath.getName -> s).toMap
      })
    files.get(ListedFile.nameOf(file))
  }
}

private[parquet] object PresentFiles {

  /**
   * Files that rewrites had replaced and that are there again, beside files that came in their place, by names and sizes:
   * their rows are doubled.
   *
   * @param rewrites
   *   all of which files are kept
   * @param in
   *   the one whose folders are looked at
   */
  def doubled(folder: TableFolder, rewrites: Seq[KeptRewrite], in: KeptRewrite): Seq[String] = {
    val bytes = new PresentFiles(folder)
    def isThere(file: ListedFile) = bytes(file.path).contains(file.bytes)
    val of = in.folders.map(_.path).toSet
    val folders = rewrites.flatMap(_.folders).filter(f => of(f.path))
    val replacedIn = (for (f <- folders; file <- f.replaced) yield file.path -> f).groupMap(_._1)(_._2)
    @scala.annotation.tailrec
    def since(added: Seq[ListedFile], found: Set[ListedFile]): Set[ListedFile] = {
      val now = added.filterNot(found)
      if (now.isEmpty) found
      else since(now.flatMap(file => replacedIn.getOrElse(file.path, Nil)).flatMap(_.added), found ++ now)
    }
    folders.flatMap { f =>
      val again = f.replaced.flatMap(KeptName.both).filter(isThere)
      if (again.nonEmpty && since(f.added, Set.empty).exists(isThere)) again.map(_.path) else Nil
    }.distinct
  }

  // A rewrite that ends while files are listed makes the list void.
  private val Attempts = 10

  /**
   * The files that rewrites had written and that are in the table as they were, for readers of the log: not those that a
   * rewrite has just moved in or is about to take away.
   */
  def ofRewrites(
      folder: TableFolder,
      rewrites: Seq[KeptRewrite],
      log: RewriteLog): (KeptRewrite, ListedFile) => Boolean = {
    val added = for (r <- rewrites; f <- r.folders; file <- f.added if file.bytes >= 0) yield (r, f, file)
    @scala.annotation.tailrec
    def attempt(before: LogState, left: Int): Set[(KeptRewrite, ListedFile)] = {
      val there = added.flatMap { case (r, f, file) => folder.sameFile(file, f.identity(file)).map((r, file, _)) }
      val after = log.read()
      if (before.fingerprint == after.fingerprint) {
        // They are the very files.
        def bytes(path: String) = folder.status(folder.resolve(path)).map(_.getLen)
        val out = ListingCheck.filesToExclude(after, there.map(_._3), bytes, (_, _) => false)
        there.collect { case (r, file, _) if !out(file.path) => r -> file }.toSet
      } else if (left == 0) throw ZOrderErrors.listingOvertaken(folder.root.toString)
      else attempt(after, left - 1)
    }
    val found = attempt(log.read(), Attempts)
    (rewrite, file) => found(rewrite -> file)
  }
}
