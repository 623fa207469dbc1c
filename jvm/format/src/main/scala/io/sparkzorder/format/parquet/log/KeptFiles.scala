// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.core.JacksonException
import io.sparkzorder.errors.{ZOrderErrors, ZOrderRuntimeException}
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.{Json, TableFolder}
import io.sparkzorder.format.parquet.folder.access.OwnFiles
import io.sparkzorder.format.parquet.log.LogEntry.{FolderChange, Link}

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.Logging

/**
 * Files that rewrites have replaced and that are kept for a time, so that a rewrite can be taken back.
 *
 * `_zorder/replaced/<number>.<id>.json` says what a rewrite has replaced, and by what; the folder
 * `_zorder/replaced/<number>.<id>` holds these files, under their paths in the table but for their [[KeptName]]. The
 * document is written before the first file; a folder without one is left over, from a process that slept while the
 * files were deleted.
 */
private[parquet] final class KeptFiles(folder: TableFolder) extends Logging {
  import KeptFiles._

  private lazy val creation = ExclusiveCreation.of(folder)

  /** Says what comes, once the verdict on an entry has been given and new files are in; any process may repeat it. */
  def begin(entry: LogEntry, moved: Seq[FolderChange]): Unit = {
    val path = documentOf(entry.link)
    if (folder.status(path).isEmpty) {
      folder.make(folder.replaced)
      val folders = moved.filter(_.replaced.nonEmpty).map(described)
      val now = System.currentTimeMillis()
      val kept = KeptRewrite(entry.number, entry.id, now, entry.keptUntil, folders, folder.isTrusting)
      creation.create(path, Json.mapper.writeValueAsString(Document(Version, kept)).getBytes(UTF_8)): Unit
    }
  }

  private def described(f: FolderChange): KeptRewrite.Folder = {
    val added = f.added.map { a =>
      // One that is gone, or another by now, is no file that could be taken back.
      val status = folder.status(folder.resolve(a.path)).filter(_.getLen == a.bytes)
      ListedFile(a.path, status.fold(-1L)(_.getLen), status.fold(0L)(_.getModificationTime))
    }
    KeptRewrite.Folder(f.path, f.replaced, added, folder.identities(added.filter(_.bytes >= 0).map(_.path)))
  }

  /** Where an old file of a rewrite is kept, by its path in the table. */
  def path(entry: LogEntry, file: String): Path = path(entry.link, file)

  private def path(link: Link, file: String): Path = place(link, file, KeptName.nameFor(file))

  private def place(link: Link, file: String, as: String): Path = {
    folder.resolve(file)
    new Path(folderOf(link), new Path(null, null, as))
  }

  /** A replaced file as it is kept; None where it is not there, or was written since: but on stores a move leaves the time. */
  def status(rewrite: KeptRewrite, file: ListedFile): Option[FileStatus] = ofSize(rewrite, file).filter(s =>
    folder.isStore || ListedFile.isSameTime(s.getModificationTime, file.modificationTime))

  /** What lies in the place of a replaced file, and has its size. */
  def ofSize(rewrite: KeptRewrite, file: ListedFile): Option[FileStatus] =
    KeptName.both(file).reverseIterator.flatMap(as => folder.status(place(rewrite.link, file.path, as.path)))
      .find(_.getLen == file.bytes)

  /**
   * The rewrites of which files are kept, in the order of their numbers.
   *
   * @throws ZOrderRuntimeException where a document cannot be read
   */
  def rewrites(): Seq[KeptRewrite] = if (folder.isTrusted) documents() else Nil

  private def documents(): Seq[KeptRewrite] = folder.permitted {
    val listed = folder.listIfThere(folder.replaced).getOrElse(Nil)
    listed.flatMap(s => linkOf(s.getPath.getName, Ending)).flatMap(read).sortBy(_.number)
  }

  private def read(link: Link): Option[KeptRewrite] = {
    val path = documentOf(link)
    def unreadable(reason: String, cause: Throwable = null) =
      ZOrderErrors.unreadableKept(path.toString, reason, folderOf(link).toString, cause)
    folder.read(path).map { bytes =>
      val document =
        try Option(Json.mapper.readValue(bytes, classOf[Document])).getOrElse(throw unreadable("it is null"))
        catch { case e: JacksonException => throw unreadable(e.getOriginalMessage, e) }
      if (document.version > Version) throw ZOrderErrors.newerLog(folder.root.toString, document.version)
      KeptRewrite.fault(document.rewrite).foreach(reason => throw unreadable(reason))
      if (document.rewrite.link != link) throw unreadable("it is the document of another rewrite")
      document.rewrite
    }
  }

  /** The first of the folders that keep its files that this user may not look into; to them these files seem to be gone. */
  def closed(rewrite: KeptRewrite): Option[Path] = {
    val kept = rewrite.folders.flatMap(_.replaced).map(f => path(rewrite.link, f.path).getParent).distinct
    kept.flatMap(f => Iterator.iterate(f)(_.getParent).takeWhile(_ != folder.replaced)).find(folder.isClosed)
  }

  /** Deletes the files of a rewrite, then the document, which says what is left; answers what could not be deleted. */
  private def forget(link: Link, isOwn: ListedFile => Boolean): Option[Path] = {
    folder.removeAll(folderOf(link), isOwn, word = Seq(documentOf(link)))
    val left = Some(folderOf(link)).filter(folder.status(_).isDefined)
    left.orElse {
      folder.delete(documentOf(link))
      Some(documentOf(link)).filter(folder.status(_).isDefined)
    }
  }

  /**
   * The rewrites whose old files may be deleted for good. Not those that are open, as these may not all have come yet, nor
   * those of which others may have made the document up.
   *
   * @param isDue
   *   whether those of a rewrite have been kept long enough
   */
  def due(isDue: KeptRewrite => Boolean, log: RewriteLog): Seq[KeptRewrite] =
    if (folder.isThere(folder.replaced) && folder.isTrusted) mayGo(openIn(log), documents().filter(isDue)) else Nil

  private def openIn(log: RewriteLog): Set[Link] = log.written().open.map(_.entry.link).toSet

  private def mayGo(open: Set[Link], kept: Seq[KeptRewrite]): Seq[KeptRewrite] =
    kept.filter(k => !open(k.link) && (isOfTrusted(k) || isToClear(k.link)))

  private def isToClear(link: Link): Boolean = folder.isToClear(folderOf(link))

  /**
   * Deletes old files for good, as in [[due]].
   *
   * @throws ZOrderRuntimeException
   *   where something is left; the rest is deleted
   */
  def forget(
      isDue: KeptRewrite => Boolean,
      log: RewriteLog): Unit = if (folder.isThere(folder.replaced) && folder.isTrusted) {
    val open = openIn(log)
    val folders = folder.permitted(folder.list(folder.replaced)).map(_.getPath.getName)
    // Rights may change now.
    val kept = documents()
    // Listed before the documents were.
    val left = folders.flatMap(linkOf(_, "")).filter(l => OwnFiles.isId(l.id)).filterNot(kept.map(_.link).toSet)
    val due = mayGo(open, kept.filter(isDue))
    def replaced(k: KeptRewrite): ListedFile => Boolean = {
      val all = k.folders.flatMap(_.replaced).flatMap(KeptName.both).toSet
      val paths = all.map(_.path)
      // This process may have written down what somebody else had made up.
      file => !k.isOfRecovery && (all(file) || ListedFile.ofSums(file.path).exists(paths))
    }
    val notDeleted = due.flatMap(k => forget(k.link, replaced(k))) ++
      left.filterNot(open).filter(isToClear).flatMap(forget(_, _ => false))
    folder.removeIfEmpty(folder.replaced)
    if (notDeleted.nonEmpty) throw ZOrderErrors.cannotDelete(folder.root.toString, notDeleted.map(_.toString))
  }

  /** Whether nobody can have made a document up who may not delete what it is about. */
  private def isOfTrusted(kept: KeptRewrite): Boolean =
    folder.isTrusted(kept.folders.flatMap(_.replaced).map(_.path), placesOf(kept))

  private def placesOf(kept: KeptRewrite): Seq[Path] = Seq(documentOf(kept.link), folderOf(kept.link))

  /** The documents and folders of those rewrites that name files in the folders of some paths. */
  def placesOf(rewrites: Seq[KeptRewrite], paths: Seq[String]): Seq[Path] = {
    val of = paths.map(ListedFile.folderOf).toSet
    rewrites.filter(_.folders.exists(f => (f.replaced ++ f.added).exists(file => of(ListedFile.folderOf(file.path)))))
      .flatMap(placesOf)
  }

  /** Deletes for good what has been kept long enough; a document that cannot be read keeps all. */
  def forgetDue(log: RewriteLog): Unit =
    try forget(_.keptUntil <= System.currentTimeMillis(), log)
    catch {
      case e @ (_: ZOrderRuntimeException | _: IOException) =>
        logWarning(s"Replaced files in ${folder.replaced} stay", e)
    }

  private def folderOf(link: Link): Path = new Path(folder.replaced, nameOf(link))

  private def documentOf(link: Link): Path = new Path(folder.replaced, nameOf(link) + Ending)
}

private[log] object KeptFiles {

  private final case class Document(version: Int, rewrite: KeptRewrite)

  private val Version = 1
  private val Ending = ".json"

  private val Name = """([1-9]\d{0,17})\.([0-9A-Za-z_-]{1,100})""".r

  private def nameOf(link: Link): String = s"${link.number}.${link.id}"

  private def linkOf(name: String, ending: String): Option[Link] =
    if (!name.endsWith(ending)) None
    else
      name.stripSuffix(ending) match {
        case Name(number, id) => Some(Link(number.toLong, id))
        case _ => None
      }
}
