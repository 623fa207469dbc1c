// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.file.Files
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.{PosixFileAttributeView, PosixFileAttributes}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Try

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.folder.access.{
  Access,
  ConcurrentCalls,
  KeptAccess,
  LocalAccess,
  NewAccess,
  OwnFiles,
  UserGroups
}
import io.sparkzorder.format.parquet.folder.opened.LocalIdentity

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.fs.permission.{AclEntry, FsAction}
import org.apache.hadoop.security.AccessControlException

/** Who may read and write what is below a table's folder. */
private[folder] trait FolderAccess { self: FolderPaths with FolderReads =>

  /** None where the file system has no permissions, or nothing is there. */
  def accessOf(path: Path): Option[Access] =
    if (!hasPermissions) None else status(path).map(found => accessShown(found, aclOf))

  /**
   * Access to a file, and to folders on the way to it, from its own on.
   *
   * @param folders
   *   how many of these
   * @param identity
   *   see [[FileIdentities.identity]]; None where it is not known
   * @return
   *   None where a local file is another one, and where nothing is there or has permissions
   */
  def accessesTo(file: Path, folders: Int, identity: Option[String]): Option[List[Access]] = {
    val found = List.iterate(file, folders + 1)(_.getParent).map(accessOf)
    Option.when(found.forall(_.isDefined))(found.flatten)
  }

  /** Whether a user may read what is there, as far as is known. */
  def mayBeReadBy(path: Path, user: String): Boolean = accessOf(path).forall { access =>
    // Of local files the system decides it, by the number.
    def byNumber = {
      val group = Files.getAttribute(local(path), "unix:gid", NOFOLLOW_LINKS).asInstanceOf[Int]
      UserGroups.isIn(user, Set(group), access.group)
    }
    access.mayBeReadBy(user, if (isLocal) byNumber else access.group.flatMap(UserGroups.isIn(user, _)))
  }

  // Hadoop starts a process for what it asks of a local file.
  private def accessShown(found: FileStatus, aclOf: Path => Seq[AclEntry]): Access =
    if (isLocal) LocalAccess.of(local(found.getPath))
    else {
      val acl = if (hasAcls && found.hasAcl) aclOf(found.getPath) else Nil
      Access.of(found.getOwner, found.getGroup, found.getPermission, acl)
    }

  private def aclOf(path: Path): Seq[AclEntry] = fs.getAclStatus(path).getEntries.asScala.toSeq

  /** See [[TableFolder.accessOfListed]]; those that differ. */
  def accessOfListed(listed: Iterable[(String, Option[Long])]): Option[Seq[Access]] = None

  /** See [[KeptAccess]]. */
  def accessOfKept(): Seq[Access] =
    if (!hasPermissions) Nil
    else status(root).toSeq.flatMap { folder =>
      if (hasAcls && !isLocal) accessByAcls(folder)
      else new Kept(found => accessShown(found, aclOf), dataIn).accesses(folder)
    }

  /**
   * A listing shows which files have an access control list, and not the list. One after the other, calls for these take
   * minutes for a large table: so a first look finds the files whose lists count, and a second one has the answers.
   */
  private def accessByAcls(folder: FileStatus): Seq[Access] = {
    val listed = mutable.HashMap.empty[Path, Try[Seq[FileStatus]]]
    // Once, so that the files that are judged are those whose lists are asked for.
    def within(of: FileStatus): Seq[FileStatus] = listed.getOrElseUpdate(of.getPath, Try(dataIn(of))).get
    val withAcl = mutable.LinkedHashSet.empty[Path]
    def note(found: FileStatus): Access = {
      if (found.hasAcl) withAcl += found.getPath
      Access.ofMe
    }
    new Kept(note, within).accesses(folder): Unit
    ConcurrentCalls.during(withAcl.toIndexedSeq, aclOf) { acls =>
      new Kept(found => accessShown(found, acls), within).accesses(folder)
    }
  }

  private def dataIn(folder: FileStatus): Seq[FileStatus] =
    list(folder.getPath).filterNot(s => isOwn(s.getPath) || hasLink(s.getPath))

  /** What is below a folder, by the access that is shown of each file and folder, and by what is within a folder. */
  private final class Kept(shown: FileStatus => Access, within: FileStatus => Seq[FileStatus]) {

    def accesses(folder: FileStatus): Seq[Access] = KeptAccess.of(shown(folder), entriesIn(folder))

    private def entriesIn(folder: FileStatus): Seq[KeptAccess.Entry] = within(folder).map(new Entry(_))

    private final class Entry(found: FileStatus) extends KeptAccess.Entry(found.getPath.getName) {
      override def isHidden: Boolean = TableFolder.isHidden(name)
      override def isFile: Boolean = !found.isDirectory
      override def access: Access = shown(found)
      override def inFolder[T](body: (Access, Iterable[KeptAccess.Entry]) => T): Option[T] =
        Option.when(found.isDirectory)(body(access, entriesIn(found)))
    }
  }

  private def isOwn(path: Path): Boolean = path.getName == TableFolder.Name && path.getParent == root

  /**
   * Opens one of the own files to those who may read the table's data, unless it is another's, or has other names elsewhere.
   *
   * @param isRight
   *   whether its content is that of such a file; what is judged is what is opened
   * @return
   *   whether it is right
   */
  def isOpened(path: Path, access: Access)(isRight: Array[Byte] => Boolean): Boolean = hasPermissions && checked(path) {
    val is = status(path).exists(_.getLen <= OwnFiles.LargestDocument) && read(path).exists(isRight)
    if (is && !isLocal) give(path, access)
    else if (is) {
      val found = attributes(path)
      if (LocalAccess.isOnlyName(local(path), found.fileKey) && LocalAccess.isToOpen(LocalAccess.of(found), access))
        LocalAccess.give(local(path), access)
    }
    is
  }

  private def attributes(path: Path) = Files.readAttributes(local(path), classOf[PosixFileAttributes], NOFOLLOW_LINKS)

  /**
   * Takes from a file or a folder what goes beyond an access, as far as this user may: nobody may do more with it than
   * before. A file with other names elsewhere stays as it is.
   */
  def narrow(path: Path, access: Access): Unit = if (hasPermissions) checked(path) {
    if (!isLocal) accessOf(path).foreach(now => give(path, now.narrowedTo(access)))
    else if (status(path).isDefined) {
      val found = attributes(path)
      if (found.isDirectory || LocalAccess.isOnlyName(local(path), found.fileKey))
        LocalAccess.narrow(
          Files.getFileAttributeView(local(path), classOf[PosixFileAttributeView], NOFOLLOW_LINKS),
          access)
    }
  }

  /** Whether this user may write into a folder; a store says so only where something is written. */
  def requireWritable(folder: Path): Unit =
    if (isLocal) {
      // Hadoop looks at permissions of local files only, which do not hold for the superuser.
      if (!Files.isWritable(local(folder)) || !Files.isExecutable(local(folder)))
        throw new AccessControlException(s"$folder cannot be written to")
    } else if (!isStore) fs.access(folder, FsAction.WRITE_EXECUTE)

  /** The group that files have which a writer creates in a folder; None where it is the writer's. */
  def groupOfNew(folder: Path): Option[String] =
    if (!hasPermissions) None
    else if (isLocal) LocalAccess.groupOfNew(local(folder))
    else status(folder).map(_.getGroup)

  /**
   * As [[protect]], of one of the own folders. On a local disk it is opened, or given away, only if what is in it shows whose
   * it is: see [[io.sparkzorder.format.parquet.folder.opened.OwnFolder]].
   */
  def protectOwn(folder: Path, access: Access): Unit = protect(folder, access)

  /** See [[TableFolder.protectFolderOf]]. */
  def protectFolderOf(file: Path, identity: Option[String], access: Access): Unit = {
    val name = file.getName
    if (list(file.getParent).map(_.getPath.getName).forall(Set(name, s".$name.crc"))) protect(file.getParent, access)
  }

  /** Gives a file or a folder to an owner and a group, as far as this user may, and no more access than that. */
  def protect(path: Path, access: Access): Unit =
    if (hasPermissions) checked(path) {
      if (!isLocal) give(path, access)
      else {
        val found = attributes(path)
        // Somebody may have put there one of the names of a file elsewhere.
        if (!found.isDirectory && !LocalAccess.isOnlyName(local(path), found.fileKey))
          throw ZOrderErrors.pathOutsideTable(path.toString, root.toString)
        LocalAccess.give(local(path), access)
      }
    }

  /**
   * As [[protect]], of a file on a local disk, and of its sums.
   *
   * @param isStaged
   *   whether a file of this name and identity is the one that was written
   * @throws ZOrderRuntimeException
   *   where it is not
   */
  def protectStaged(path: Path, access: NewAccess)(isStaged: (String, String) => Boolean): Unit = checked(path) {
    val found = LocalIdentity.identity(local(path))
    if (!found.exists(isStaged(path.getName, _))) throw ZOrderErrors.pathOutsideTable(path.toString, root.toString)
    protect(path, access.opened)
  }

  private def give(path: Path, access: Access): Unit = {
    def now = fs.getFileStatus(path)
    val before = now
    access.group.filter(_ != before.getGroup).foreach(g => Try(fs.setOwner(path, null, g)))
    access.newOwner.filter(_ != before.getOwner).foreach(o => Try(fs.setOwner(path, o, null)))
    val isOfGroup = access.group.forall(_ == now.getGroup)
    // Entries that a new file has from its folder, and those that a folder has for new files.
    if (hasAcls && before.hasAcl) Try(fs.removeAcl(path))
    if (isOfGroup && access.acl.nonEmpty) Try(fs.setAcl(path, access.list.asJava)): Unit
    else {
      val wanted = if (isOfGroup) access.permission else access.ofNoGroup.permission
      // Some file systems have permissions that nobody can change.
      if (now.getPermission != wanted) Try(fs.setPermission(path, wanted)): Unit
    }
  }
}
