// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.FileNotFoundException
import java.nio.file.{AccessDeniedException, NoSuchFileException}

import scala.util.{Failure, Try}

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.access.{Access, LocalAccess, NewAccess, OwnFiles, StagedAccess}
import io.sparkzorder.format.parquet.folder.access.LocalAccess.Me
import io.sparkzorder.format.parquet.folder.opened.{KnownFiles, LocalIdentity, OpenedFolder}

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.security.AccessControlException
import org.apache.hadoop.util.Shell.ExitCodeException

/** Makes folders below a table's, and sees to it that nobody reads there who may not read the table. */
private[folder] trait FolderProtection { table: TableFolder =>
  import FolderProtection._

  /** For what is kept of the table: no more open than the most private of its data files is now. */
  def accessNow(): Access = allowed(files.accessOfKept())

  /**
   * As [[accessNow]], of some files, whatever other names somebody has given them in between.
   *
   * @param listed
   *   paths relative to the table, each with what [[TableFolder.state]] said of it; where another file is there by now,
   *   nobody else may read what is kept of it
   * @return
   *   None where the file system is asked for paths alone
   */
  def accessOfListed(listed: Iterable[(String, Option[Long])]): Option[Access] =
    files.accessOfListed(listed).map(allowed)

  private def allowed(ofFiles: Seq[Access]): Access = {
    val shown = files.accessOf(root).getOrElse(Access.ofMe)
    val ofRoot = if (files.isGroupKeptOut) shown.closedToGroup else shown
    val found = Access.common(ofFiles).getOrElse(ofRoot).within(ofRoot, isJudged = scheme == "file")
    found.ownedBy(user => ofRoot.owner.contains(user) || files.mayOwnKept(user, found.group))
  }

  protected lazy val access: Access = accessNow()

  /** Access to a file, where the file system shows it. */
  def accessOf(path: Path): Option[Access] = files.accessOf(path)

  /**
   * Access to a data file as it needs it in another folder, where the folders that it lies in do not close it.
   *
   * @param to
   *   the other folder, relative to the table, as is `file`
   * @param identity
   *   see [[TableFolder.identities]]; None where it is not known
   * @return
   *   None where a local file is another one
   */
  def accessFrom(to: String, file: String, identity: Option[String]): Option[Access] =
    accessesFrom(to, file, identity).map(_.opened)

  /** As [[accessFrom]], and on a local disk also as all its folders in the table close it. */
  def accessesFrom(to: String, file: String, identity: Option[String]): Option[NewAccess] = {
    val folders = Iterator.iterate(ListedFile.folderOf(file))(ListedFile.folderOf).takeWhile(_.nonEmpty).toList
    val left = folders.takeWhile(f => !s"$to/".startsWith(s"$f/")).size
    val asked = if (scheme == "file") folders.size else left
    files.accessesTo(resolve(file), asked, identity).map(NewAccess.of(_, left))
  }

  /**
   * Gives no more than this access to the folder of a file that was written, as far as this user may, and if it has that file,
   * its sums, and nothing else. Where folders can be opened it is looked at when it is open: somebody may have put another in
   * its place.
   *
   * @param identity
   *   of the file; see [[TableFolder.identities]]. None where it is not known: then any file of its name counts
   */
  def protectFolderOf(file: Path, identity: Option[String], access: Access): Unit =
    files.protectFolderOf(file, identity, access)

  /** Whether a user may read what is there, as far as is known. */
  def mayBeReadBy(path: Path, user: String): Boolean = files.mayBeReadBy(path, user)

  /** Access to one of the table's folders. */
  def accessOfFolder(relative: String): Option[Access] = accessOf(if (relative.isEmpty) root else resolve(relative))

  /**
   * What distinguishes files that a statement has written, and their sums, from what somebody may put in their places, where
   * those who have made them do not know: to be asked for when they are written, before they are looked at.
   *
   * @param in
   *   the folder that was made for them, in which they may have folders
   * @throws ZOrderRuntimeException
   *   where one was there before, as somebody's who would have it opened to others
   */
  def identitiesOfStaged(in: Path, written: Seq[Path]): Map[Path, String] =
    if (scheme != "file") Map.empty
    else {
      val all = written.flatMap(f => Seq(f, sumOf(f))).filter(status(_).isDefined)
      files.olderThan(in, all).foreach(f => throw ZOrderErrors.pathOutsideTable(f.toString, root.toString))
      files.identities(all.map(f => f -> f))
    }

  /**
   * As above, of files of which those who have made them may know it.
   *
   * @param written
   *   each with what they know
   */
  def identitiesOfStaged(in: Path, written: Map[Path, KnownFiles]): Map[Path, String] = {
    val known = written.toSeq.flatMap { case (file, known) =>
      known.here.map(_.map { case (name, identity) => beside(file, name) -> identity })
    }
    if (isPlain && known.size == written.size) known.flatten.toMap else identitiesOfStaged(in, written.keys.toSeq)
  }

  /**
   * Gives files, known by their identities as they were written, no more than this access: and none beyond `closed` while the
   * folder that a statement has made for them is not as closed, as somebody may have put there one of theirs.
   */
  def protectStaged(file: Path, access: NewAccess, identities: Map[Path, String]): Unit =
    if (scheme != "file") files.protect(file, access.opened)
    else files.protectStaged(file, access) { (name, now) =>
      val written = identities.get(beside(file, name))
      written.exists(LocalIdentity.areOfOneFile(_, now))
    }

  private def sumOf(file: Path): Path =
    beside(file, OpenedFolder.sumOf(OpenedFolder.named(file.getName)).toString)

  private def beside(file: Path, name: String) = new Path(file.getParent, new Path(null, null, name))

  /** Creates one of the own folders, and those above it, for files that are created in it: a store needs none. */
  def makeForNew(folder: Path): Unit = if (!files.isStore) make(folder)

  /** Creates one of the own folders, and those above it. */
  def make(folder: Path): Unit = retrying {
    val all = fromOwn(folder)
    all.take(OwnLevels).filter(files.isThere).foreach(removeIfClosed)
    all.filterNot(files.isThere).foreach(files.makeFolder(_, access.ofFolder))
  }

  /** For a new one in its place. It is not opened itself: somebody may have moved there what is theirs no more than its name. */
  private def removeIfClosed(folder: Path): Unit = Try {
    // Files may be closed while a statement waits for the lock, in a folder that it has made.
    if (scheme == "file" && list(folder).isEmpty && accessOf(folder).exists(_.isOpenedBy(accessNow().ofFolder)))
      files.deleteEmpty(folder)
  }: Unit

  /**
   * Makes a change once more where a folder that it needs was gone: a statement that ends deletes own folders that are
   * empty, also those that another one has just made.
   */
  def retrying[T](change: => T): T = {
    val attempts = Iterator.continually(Try(change)).take(Attempts)
    attempts.dropWhile {
      // The last is of Hadoop's local files, which call `chmod`.
      case Failure(_: FileNotFoundException | _: NoSuchFileException | _: ExitCodeException) => attempts.hasNext
      case _ => false
    }.next().get
  }

  /** The folders from the own folder down to one of those in it. The table's own may be written with a slash at its end. */
  private def fromOwn(folder: Path): List[Path] =
    if (folder == own) List(own) else fromOwn(folder.getParent) :+ folder

  /** Creates a folder for data files, and those above it in the table, where they are gone. */
  def makeDataFolder(folder: Path): Unit = if (relative(folder).isDefined && status(folder).isEmpty) {
    makeDataFolder(folder.getParent)
    files.makeFolder(folder, accessNow().ofFolder)
  }

  /**
   * Creates one of the own folders for files with rows of the table, which their writer leaves more open. They may be closed
   * while this process sleeps: so nobody enters it but who may have to finish the rewrite.
   *
   * @return
   *   the access of files in it, whoever makes them
   */
  def makePrivate(folder: Path): StagedAccess = retrying {
    make(folder.getParent)
    val now = accessNow()
    files.makeFolder(folder, now.ofFolder.ofWriters)
    // A task may be the superuser's. It is sent to tasks, as no list can be: local files have none.
    StagedAccess(now.ofFile.copy(owner = Some(now.newOwner.getOrElse(Me)), preferred = None, acl = Nil), Me)
  }

  /**
   * Creates a folder below such a one, and those above it, as open as that: to who may have to finish the rewrite. Not where
   * there is no such one, as on another disk.
   */
  def makeBelow(top: Path, folder: Path): Unit = if (folder != top && !files.isStore && !files.isThere(folder)) {
    makeBelow(top, folder.getParent)
    accessOf(top) match {
      case Some(ofTop) => files.makeFolder(folder, ofTop)
      // A writer would make it anew, for all to enter, when the rewrite has ended and cleared it.
      case None =>
        requireOpen(top)
        if (accessOf(root).isDefined) throw new FileNotFoundException(s"$top has been deleted")
    }
  }

  /**
   * Access for new files that a writer would create in a folder, which may give them its group.
   *
   * @param folder
   *   relative to the table
   */
  def asCreatedIn(folder: String, access: Access): Access =
    if (access.group.isDefined) access
    else access.copy(group = files.groupOfNew(if (folder.isEmpty) root else resolve(folder)))

  /**
   * Requires that this user may write into the own folder, and into some of those in it, where these are there.
   *
   * @throws ZOrderRuntimeException
   *   where one is closed to them
   */
  def requireOwnWritable(folders: Seq[Path]): Unit = if (!files.isStore) {
    def require(found: FileStatus): Unit =
      try if (found.isDirectory && !files.hasLink(found.getPath)) files.requireWritable(found.getPath)
      catch {
        case e: AccessControlException =>
          throw ZOrderErrors.ownFolderClosed(found.getPath.toString, found.getOwner, root.toString, e)
      }
    status(own).foreach(require)
    list(own).filter(s => folders.contains(s.getPath)).foreach(require)
  }

  /**
   * Requires that this user may replace data files, and write into their folders; those that are gone do not count.
   *
   * @param paths
   *   relative to the table
   */
  def requireReplaceable(table: String, paths: Seq[String]): Unit = if (!files.isStore) {
    files.notDeletable(paths.map(path => new Path(root, new Path(null, null, path)))).foreach { file =>
      val cause = new AccessControlException("the folder has the sticky bit, and the file is another user's")
      throw ZOrderErrors.noWritePermission(table, file.toString, cause)
    }
    requireNoMountInOwn(table)
    for (name <- paths.map(ListedFile.folderOf).distinct if name.nonEmpty) {
      val folder = new Path(root, new Path(null, null, name))
      requireNoMount(table, folder)
      requireOpenToOwner(table, name)
      try if (!files.hasLink(folder) && files.isThere(folder)) files.requireWritable(folder)
      catch {
        case e: AccessControlException => throw ZOrderErrors.noWritePermission(table, folder.toString, e)
        case _: FileNotFoundException => ()
      }
    }
  }

  /**
   * Requires that the owner of the table's folder may look into a data folder, where this process is the superuser's and that
   * owner another user: who could give its name to another folder at each moment, to be given what is made of its files.
   *
   * @param name
   *   relative to the table; one that is gone does not count
   */
  def requireOpenToOwner(table: String, name: String): Unit = if (name.nonEmpty) ownerBelowSuperuser.foreach { owner =>
    val way = files.accessesTo(resolve(name), name.count(_ == '/'), None)
    if (way.exists(!_.forall(_.isEnteredBy(owner)))) throw ZOrderErrors.closedToOwner(table, name, owner)
  }

  /** Likewise of one that [[makeDataFolder]] makes where it is gone. */
  def requireOpenWhenMade(table: String, name: String): Unit = ownerBelowSuperuser.foreach { owner =>
    def made = accessNow().ofFolder
    if (status(resolve(name)).isEmpty && !made.newOwner.contains(owner) && !made.isEnteredBy(owner))
      throw ZOrderErrors.closedToOwner(table, name, owner)
  }

  /** Likewise of the folders of a file that is replaced, as they were when it was looked at in them. */
  def requireOpenToOwner(table: String, file: ListedFile, access: NewAccess): Unit = ownerBelowSuperuser.foreach {
    owner =>
      if (!access.areFoldersOpenTo(owner))
        throw ZOrderErrors.closedToOwner(table, ListedFile.folderOf(file.path), owner)
  }

  private lazy val ownerBelowSuperuser = files.ownerBelowSuperuser

  /** @throws ZOrderRuntimeException where no file can be moved from the table to an own folder, which is on another disk */
  def requireNoMountInOwn(table: String): Unit =
    Seq(own, staging, replaced, setAside).filter(files.isThere).foreach(requireNoMount(table, _))

  private def requireNoMount(table: String, folder: Path): Unit =
    files.mountOf(folder).foreach(mount => throw ZOrderErrors.otherMount(table, folder.toString, mount))

  /** @throws ZOrderRuntimeException where this user may not look into a local folder, or into one above it in the table */
  def requireOpen(folder: Path): Unit =
    if (Iterator.iterate(folder)(_.getParent).takeWhile(relative(_).isDefined).exists(files.isClosed))
      throw ZOrderErrors.noReadPermission(folder.toString, root.toString, null)

  /** Whether a local folder is there and this user may not look into it. */
  def isClosed(folder: Path): Boolean = files.isClosed(folder)

  /** As [[makePrivate]], for files that nobody else may read for as long as they are written. */
  def makeClosed(folder: Path): Unit = retrying {
    make(folder.getParent)
    files.makeFolder(folder, Access.ofMe.ofFolder)
  }

  /** Takes from a file or a folder what goes beyond an access; see [[protectOwn]]. */
  def narrow(path: Path, access: Access): Unit = files.narrow(path, access)

  /** Whether somebody may not read one of the own files who may read what has this access. */
  def isLessOpen(path: Path, access: Access): Boolean =
    accessFrom(TableFolder.Name, relative(path).get, None).exists(!_.isReadByAllOf(access))

  /**
   * Gives `_zorder` the access of today's data files. Folders that hold values of rows are closed and never opened, as
   * their data files may be gone. Unknown files are not opened either: somebody may have moved there what they may not
   * read.
   */
  def protectOwn(): Unit = {
    lazy val ofTable = files.accessOf(root).flatMap(_.owner)
    // Whose documents are is whose word counts: only this process's own may become the table's owner's.
    def opened(now: Option[Access]): Access = {
      val isGiven = access.newOwner.exists(ofTable.contains) && now.exists(_.owner.contains(Me))
      if (isGiven) access.copy(owner = None, preferred = access.newOwner) else access.copy(preferred = None)
    }
    def each(path: Path, isReached: Boolean): Unit = status(path).foreach { s =>
      if (s.isDirectory) {
        val inside = list(path).map(_.getPath).filterNot(files.hasLink)
        val isTheirs = path != own && !holdsRows(path) && !isOwnName(path)
        if (holdsRows(path) || !inside.forall(isOwnName)) narrow(path, access.ofFolder)
        else files.protectOwn(path, access.ofFolder)
        val reached = isReached && isOpenOfAnother(path, access.ofFolder)
        // Closed to others with the folder. What somebody has moved there may be of others still.
        if (path != staging && (reached || !isTheirs)) inside.foreach(p => ifOpen(each(p, reached)))
      } else if (path.getParent == statistics) narrow(path, access.ofFile)
      // Files that the table had stay as open as they were then, in folders that close them.
      else if (holdsRows(path.getParent)) { if (isReached) close(path) }
      else {
        val now = accessOf(path)
        val wanted = opened(now).ofFile
        if (now.exists(_.isOpenedBy(wanted))) {
          if (!isOwnName(path) || !files.isOpened(path, wanted)(isDocument(path, _))) narrow(path, access.ofFile)
        } else if (now.exists(n => scheme != "file" || LocalAccess.isToOpen(n, wanted))) narrow(path, access.ofFile)
      }
    }
    if (!files.isStore) ifOpen(each(own, isReached = true))
  }

  /** See [[OwnFiles.isDocument]]. */
  private def isDocument(path: Path, content: Array[Byte]): Boolean = {
    val folder = path.getParent
    def names = list(folder).map(_.getPath.getName)
    OwnFiles.isDocument(folder.getName, path.getName, content, names, name => read(new Path(folder, name)))
  }

  /** For a file in folders of others, who alone can close them. */
  private def close(file: Path): Unit = {
    narrow(file, access.ofFile)
    if (isOpenOfAnother(file, access.ofFile))
      logWarning(s"$file is open to some who may not read the data files, and another user's: let that one run ANALYZE")
  }

  /** Whether a file or a folder on a local disk is more open than an access, and another user's, who alone may close it. */
  def isOpenOfAnother(path: Path, access: Access): Boolean =
    scheme == "file" && accessOf(path).exists { now =>
      // Some mounts show all files as to be executed, and none can be otherwise.
      val shown = if (status(path).exists(_.isDirectory)) now else now.ofFile
      access.isExceededBy(shown) && !now.owner.contains(Me)
    }

  /** Whether a file on a local disk is of another than whose it would be now, where this process can give it to that one. */
  def isToGiveAway(path: Path, access: Access): Boolean = {
    def isTheirs(now: Access) = now.owner.contains(access.newOwner.getOrElse(Me))
    // Not every superuser can: the own folder, which has been given away, shows it.
    scheme == "file" && accessOf(path).exists(!isTheirs(_)) && accessOf(own).exists(isTheirs) && files.isSuperuser(Me)
  }

  private def isOwnName(path: Path): Boolean = {
    val folder = path.getParent
    OwnFiles.isKnown(if (folder == own) "" else folder.getName, path.getName)
  }

  /**
   * Where many may write into the table's folder, one of them may have given this name to a folder of data.
   *
   * @throws ZOrderRuntimeException
   *   where something in the own folder is a file, which nobody puts there, or a partition
   */
  private[folder] def requireNoData(): Unit = if (isOfMany && !files.isClosed(own)) {
    def isData(found: FileStatus) = !TableFolder.isHidden(found.getPath.getName) && !isOwnName(found.getPath) &&
      (!found.isDirectory || found.getPath.getName.contains("="))
    list(own).find(isData).foreach { found =>
      throw ZOrderErrors.dataInOwnFolder(found.getPath.toString, own.toString, root.toString)
    }
  }

  /**
   * Whether what others have left in an own folder may be deleted; a warning says so where not.
   *
   * @see
   *   [[FolderTrust.mayBeDeleted]]
   */
  def isToClear(left: Path): Boolean = files.mayBeDeleted(left) || {
    logWarning(s"$left stays: not all who may write into $root may delete what is in it. Delete it by hand")
    false
  }

  /**
   * A concurrent statement that waits for the lock makes files and deletes them. A folder that another user has closed to
   * this one closes what is in it.
   */
  private def ifOpen(body: => Unit): Unit =
    try body
    catch {
      case _: FileNotFoundException | _: NoSuchFileException => ()
      case _: AccessControlException | _: AccessDeniedException => ()
    }

  /** Whether files in one of the own folders hold rows, or bounds of them; documents lie beside folders of replaced files. */
  private def holdsRows(folder: Path): Boolean = {
    val above = Iterator.iterate(folder)(_.getParent).takeWhile(_ != own).toSet
    folder != replaced && (above(statistics) || above(setAside) || above(replaced))
  }
}

private object FolderProtection {

  // `_zorder` and the folders right in it.
  private val OwnLevels = 2

  // To make a folder and to write into it are two calls.
  private val Attempts = 50
}
