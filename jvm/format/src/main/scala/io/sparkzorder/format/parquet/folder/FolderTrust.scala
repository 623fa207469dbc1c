// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.file.{Files, Path => LocalPath, Paths}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.format.parquet.folder.access.{AccessLists, Members, OwnerAndMode, UserGroups}
import io.sparkzorder.format.parquet.folder.access.OwnerAndMode.{Class, Classes, OfGroup, OfOthers}

import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.permission.FsAction

/**
 * Decides whose log and index are trusted: a log that somebody made up would have files of others deleted by whoever
 * runs the next statement, and a statistics index would hide rows.
 *
 *   - In a sticky folder many may write, and each may delete only what is theirs.
 *   - In an open folder without the sticky bit the same holds for files in folders below that are closed to some who
 *     may write into the table's.
 *   - In a folder that was closed to some who could write into it, what they wrote, or may still write, counts for
 *     nothing.
 */
private[folder] trait FolderTrust { self: FolderPaths with FolderReads =>
  import FolderTrust._

  /**
   * Something of what is kept of a table that belongs to none of those who may delete all of its files (the owner of its
   * folder, the user of this process, the superuser), or that others than its owner may write: then anybody may have written
   * it, also where the owner has made it, or has brought it from a folder of their own. In a folder that has no sticky bit
   * and into which a group may write, what those of the group have written counts, too.
   *
   * @param kept
   *   folders of what is kept; what lies right in them is looked at, too
   * @return
   *   the first such path and what is wrong with it; None where everybody may write into the table's folder and it has no
   *   sticky bit, and where owners are not known
   */
  def fault(kept: Seq[Path]): Option[(Path, String)] = tableFolder.flatMap { top =>
    def all = kept.map(local).iterator.flatMap(folder => Iterator(folder) ++ below(folder))
    if (top.isSticky || !top.isShared) fault(all, isOf(trusted(top)), _.writers(top.group).isEmpty)
    else if (top.mayWrite(OfOthers)) None
    else fault(all, mayBeOfGroup(top), !_.writers(top.group).contains(OfOthers))
  }

  /**
   * The same check for documents that hide, delete or replace files, where the table's folder has no sticky bit: their
   * author must have had the right to delete those files. Folders that are open to all who may write into the table's
   * need no further look.
   *
   * @param named
   *   the folders of the files, relative to the table
   * @param kept
   *   what decides on them
   * @param isOfOwner
   *   whether the word of the table's owner counts in all of its folders for the superuser, too, who may do more there
   */
  def fault(named: Seq[String], kept: Seq[Path], isOfOwner: Boolean): Option[(Path, String)] = {
    val judged = if (isOfOwner) ofMany else ofMany.orElse(topOfOwner)
    judged.flatMap(fault(_, named, kept, isOfOwner))
  }

  private def fault(
      top: OwnerAndMode,
      named: Seq[String],
      kept: Seq[Path],
      isOfOwner: Boolean): Option[(Path, String)] =
    named.iterator.filter(_.nonEmpty).flatMap(f => Try(local(root).resolve(f)).toOption).flatMap { folder =>
      OwnerAndMode.of(folder).flatMap { found =>
        val above = Iterator.iterate(folder.getParent)(_.getParent).takeWhile(f => f != null && f != local(root))
        fault(top, found, above.flatMap(OwnerAndMode.of(_)).toList, kept, isOfOwner)
      }
    }.nextOption()

  /** @param entered the folders around it */
  private def fault(
      top: OwnerAndMode,
      found: OwnerAndMode,
      entered: Seq[OwnerAndMode],
      kept: Seq[Path],
      isOfOwner: Boolean): Option[(Path, String)] = {
    def may(of: Class, group: Int) = found.mayDelete(of, group) && entered.forall(_.mayEnter(of, group))
    val writersMay = writersOf(top).forall(may(_, top.group))
    // To the superuser nothing is closed, whose documents count anyhow.
    val ownerMay = isOfOwner || !isOfSuperuser || top.user == Superuser || mayAsOwner(top, found, entered)
    // Their group may be that of the partitions, and another than that of the table's folder.
    def judge(isTrusted: (LocalPath, OwnerAndMode) => Boolean) =
      fault(kept.map(local).iterator, isTrusted, k => k.writers(k.group).forall(may(_, k.group)))
    if (writersMay && ownerMay) None
    else if (writersMay) judge((_, k) => k.user != top.user)
    else judge(isOf((if (ownerMay) trusted(top) else trusted(top) - top.user) + found.user))
  }

  /**
   * Likewise of what lies right in a folder that is open: the folders that had the names when they were looked at may have
   * been others.
   *
   * @param documents
   *   what decides on them
   * @param way
   *   the open folder and those around it in the table, from the outermost, each with its key
   * @return
   *   whether their word counts there
   */
  private[folder] def counts(documents: Seq[Path], way: Seq[(LocalPath, AnyRef)]): Boolean = judged(way) { found =>
    areOfTrusted(documents) && (ofMany match {
      case Some(top) => fault(top, found.last, found.init, keptOf(documents), isOfOwner = true).isEmpty
      case None => ofOwner.forall(_(found.last)) || areOfOwnerOf(found.last, documents)
    })
  }

  /**
   * Of a folder with the sticky bit: whether documents are there, and are of those whose word counts. Somebody's own `_zorder` may
   * have been away whenever its owner was asked for, and there when they were read.
   */
  def areOfTrusted(documents: Seq[Path]): Boolean = shared.filter(_.isSticky).forall { top =>
    val found = documents.map(local).flatMap(OwnerAndMode.of(_)).filterNot(_.isFolder)
    found.nonEmpty && found.forall(d => trusted(top)(d.user) && d.writers(top.group).isEmpty)
  }

  /**
   * Likewise of an open folder among the own ones, which may have been moved there: or the documents are its owner's. What the
   * table's owner has written says nothing of what the superuser has staged, or keeps, of files that are closed to that owner.
   */
  private[folder] def mayName(documents: Seq[Path], way: Seq[(LocalPath, AnyRef)]): Boolean = judged(way) { found =>
    def byWriters = ofMany.orElse(topOfOwner)
      .forall(top => fault(top, found.last, found.init, keptOf(documents), isOfOwner = false).isEmpty)
    areOfTrusted(documents) && (byWriters || areOfOwnerOf(found.last, documents))
  }

  private def keptOf(documents: Seq[Path]): Seq[Path] = {
    import TableFolder._
    val own = new Path(root, Name)
    (own +: Seq(Log, s"$Log/$LogId", Staging, Replaced).map(new Path(own, _))) ++ documents
  }

  /** Whether the owner of the table's folder may delete what is right in another one. */
  private def mayAsOwner(top: OwnerAndMode, found: OwnerAndMode, entered: Seq[OwnerAndMode]): Boolean = {
    lazy val name = OwnerAndMode.ownersName(local(root), isFollowed = true)
    // Of whose groups nothing is known may be in any.
    def classes(group: Int) =
      name.flatMap(UserGroups.hasNumber(_, group)).fold(Classes)(is => Seq(if (is) OfGroup else OfOthers))
    def may(of: OwnerAndMode)(right: Class => Boolean) = of.user == top.user || classes(of.group).exists(right)
    may(found)(found.mayDelete(_, found.group)) && entered.forall(f => may(f)(f.mayEnter(_, f.group)))
  }

  private def judged(way: Seq[(LocalPath, AnyRef)])(is: Seq[OwnerAndMode] => Boolean): Boolean = {
    val found = way.flatMap { case (folder, key) => OwnerAndMode.of(folder).filter(_.key == key) }
    found.size == way.size && (found.isEmpty || is(found))
  }

  /** Whether documents are of the owner of a folder, or the superuser, and others may write them only who may delete there. */
  private def areOfOwnerOf(folder: OwnerAndMode, documents: Seq[Path]): Boolean = {
    val found = documents.map(local).flatMap(OwnerAndMode.of(_)).filterNot(_.isFolder)
    def isRight(d: OwnerAndMode) = (d.user == folder.user || d.user == Superuser) &&
      d.writers(d.group).forall(folder.mayDelete(_, d.group))
    found.nonEmpty && found.forall(isRight)
  }

  /**
   * Whether all who may write into the table's folder may also delete all that is in this one, which lies in `_zorder`.
   * Where not, one of them may have moved it there from a place where they may not, to have it deleted. What statements make
   * may be closed to others, too: then what was left stays.
   */
  def mayBeDeleted(left: Path): Boolean = {
    def mayAll(folder: LocalPath, may: OwnerAndMode => Boolean): Boolean = OwnerAndMode.of(folder).forall { found =>
      found.isLink || !found.isFolder || (may(found) && below(folder).forall(mayAll(_, may)))
    }
    ofMany match {
      case Some(top) => mayAll(local(left), f => writersOf(top).forall(f.mayDelete(_, top.group)))
      case None => ofOwner.forall(is => mayAll(local(left), is))
    }
  }

  /**
   * As above, of what lies right in a folder that is open: what is moved into it after that look is seen, too.
   *
   * @param key
   *   that of the open folder, which its path may not lead to any more: then it counts as one where they may not
   */
  private[folder] def mayAllDelete(folder: LocalPath, key: AnyRef): Boolean =
    isOpened(folder, key)((top, f) => writersOf(top).forall(f.mayDelete(_, top.group)))

  /** Likewise whether they may enter it. */
  private[folder] def mayAllEnter(folder: LocalPath, key: AnyRef): Boolean =
    isOpened(folder, key)((top, f) => writersOf(top).forall(f.mayEnter(_, top.group)))

  /** Whether nobody can put anything into an open folder who could not delete all of the table. */
  private[folder] def isOfTrustedAlone(folder: LocalPath, key: AnyRef): Boolean =
    isOpened(folder, key, _ => f => f.user == Superuser && f.writers(f.group).isEmpty) { (top, f) =>
      trusted(top)(f.user) && f.writers(top.group).isEmpty
    }

  /**
   * Whether something holds of an open folder, given the table's.
   *
   * @param byOwner
   *   what holds instead where the owner alone may write into the table's folder: see [[ofOwner]]
   */
  private def isOpened(
      folder: LocalPath,
      key: AnyRef,
      byOwner: (OwnerAndMode => Boolean) => OwnerAndMode => Boolean = identity)(
      is: (OwnerAndMode, OwnerAndMode) => Boolean): Boolean = {
    def opened(is: OwnerAndMode => Boolean) = OwnerAndMode.of(folder).exists(f => f.key == key && is(f))
    ofMany match {
      case Some(top) => opened(is(top, _))
      case None => ofOwner.forall(may => opened(byOwner(may)))
    }
  }

  /**
   * Of a table's folder into which its owner alone may write, whether the owner may delete what lies in another folder, or the
   * superuser has made it, who leaves files there by statements. None where this process may do no more than the owner: the
   * superuser's may.
   */
  private def ofOwner: Option[OwnerAndMode => Boolean] = topOfOwner.map { top => found =>
    found.user == top.user || found.user == Superuser || found.mayDelete(OfOthers, found.group)
  }

  /** The table's folder where its owner alone may write into it, and this process may do more: the superuser's. */
  private def topOfOwner: Option[OwnerAndMode] = if (shared.isDefined) None else topBelowSuperuser

  /** The table's folder, where this process is the superuser's and the folder is not. */
  private def topBelowSuperuser: Option[OwnerAndMode] =
    if (!isLocal || !isOfSuperuser) None
    else OwnerAndMode.of(local(root), isFollowed = true).filter(_.user != Superuser)

  /** The owner of that folder. */
  def ownerBelowSuperuser: Option[String] =
    topBelowSuperuser.flatMap(_ => OwnerAndMode.ownersName(local(root), isFollowed = true))

  private def isOfSuperuser: Boolean = OwnerAndMode.of(Me, isFollowed = true).exists(_.user == Superuser)

  private def writersOf(top: OwnerAndMode): Seq[Class] = Classes.filter(top.mayDelete(_, top.group))

  /** The first of some files of the table that this user may not delete, as it is another's in a folder with the sticky bit. */
  def notDeletable(files: Seq[Path]): Option[Path] =
    if (!isLocal) None
    else
      OwnerAndMode.of(Me, isFollowed = true).map(_.user).filter(_ != Superuser).flatMap { me =>
        files.groupBy(_.getParent).toSeq.sortBy(_._1.toString).flatMap { case (folder, in) =>
          val isSticky = OwnerAndMode.of(local(folder), isFollowed = true).exists(f => f.isSticky && f.user != me)
          if (isSticky) in.find(file => OwnerAndMode.of(local(file)).exists(_.user != me)) else None
        }.headOption
      }

  /** None where owners are not known. It may be reached by a link. */
  private def tableFolder: Option[OwnerAndMode] =
    if (!isLocal) None
    else OwnerAndMode.of(local(root), isFollowed = true).map(top => if (isGroupKeptOut(top)) top.closedToGroup else top)

  /** Whether the mode of the table's folder lets its group write, and its access control list does not; see [[AccessLists]]. */
  def isGroupKeptOut: Boolean = isLocal && OwnerAndMode.of(local(root), isFollowed = true).exists(isGroupKeptOut)

  private def isGroupKeptOut(top: OwnerAndMode): Boolean =
    top.mayWrite(OfGroup) && AccessLists.keepGroupOut(top, local(root), local(new Path(root, TableFolder.Name)))

  /** None where few may write into the table's folder. */
  private def shared: Option[OwnerAndMode] = tableFolder.filter(_.isShared)

  /** Whether a user is the superuser of a local disk. */
  def isSuperuser(user: String): Boolean = isLocal && UserGroups.numberOf(user).contains(Superuser)

  private def ofMany: Option[OwnerAndMode] = shared.filterNot(_.isSticky)

  /** Whether many may write into the table's folder, which has no sticky bit. */
  def isOfMany: Boolean = ofMany.isDefined

  private def isOf(users: Set[Int]): (LocalPath, OwnerAndMode) => Boolean = (_, found) => users(found.user)

  private def mayBeOfGroup(top: OwnerAndMode): (LocalPath, OwnerAndMode) => Boolean = {
    lazy val (users, members) = (trusted(top), new Members(top, local(root)))
    // A directory service may have to be asked for each.
    val names = mutable.HashMap.empty[Int, Option[String]]
    (path, found) =>
      users(found.user) || {
        val name = names.getOrElseUpdate(found.user, OwnerAndMode.ownersName(path))
        members.mayHave(name, Some(found.user), hasGroup = found.group == top.group)
      }
  }

  /** Whether what is kept of the table may count where it belongs to a user, and to a group. */
  def mayOwnKept(user: String, group: Option[String]): Boolean = ofMany.forall { top =>
    val members = new Members(top, local(root))
    top.mayWrite(OfOthers) || members.mayHave(Some(user), UserGroups.numberOf(user), hasGroup = group == members.name)
  }

  /** Those who may delete all that is in the table's folder, as far as it is theirs. */
  private def trusted(top: OwnerAndMode): Set[Int] =
    Set(top.user, Superuser) ++ OwnerAndMode.of(Me, isFollowed = true).map(_.user)

  /**
   * Whether what is kept of a folder belongs to the folder's owner and nobody else may write it, as far as a file
   * system knows that is no local disk. So it has to be in folders far above a table: whoever may write into one of
   * them, as into `/tmp`, could have made up a log there.
   */
  def isOfOwner(kept: Seq[Path]): Boolean = isLocal || !hasPermissions || statusAnywhere(root).forall { top =>
    kept.flatMap(statusAnywhere).forall { s =>
      def mayWrite(of: FsAction) = of.implies(FsAction.WRITE)
      s.getOwner == top.getOwner && !mayWrite(s.getPermission.getGroupAction) && !mayWrite(
        s.getPermission.getOtherAction)
    }
  }

  private def fault(
      paths: Iterator[LocalPath],
      isTrusted: (LocalPath, OwnerAndMode) => Boolean,
      areWritersRight: OwnerAndMode => Boolean): Option[(Path, String)] =
    paths.flatMap { path =>
      OwnerAndMode.of(path).flatMap(faultOf(path, _, isTrusted, areWritersRight))
        .map(new Path(root, local(root).relativize(path).toString) -> _)
    }.nextOption()
}

private object FolderTrust {

  private val Superuser = 0

  // Of Linux; elsewhere the owner of the folder and the superuser are trusted.
  private val Me = Paths.get("/proc/self")

  private def faultOf(
      path: LocalPath,
      found: OwnerAndMode,
      isTrusted: (LocalPath, OwnerAndMode) => Boolean,
      areWritersRight: OwnerAndMode => Boolean): Option[String] =
    if (!isTrusted(path, found)) Some(s"belongs to ${OwnerAndMode.ownersName(path).getOrElse("another user")}")
    else if (areWritersRight(found)) None
    else if (found.mayWrite(OfOthers)) Some("may be written by everybody")
    else Some(s"may be written by its group${OwnerAndMode.groupsName(path).fold("")(g => s", $g")}")

  private def below(folder: LocalPath): Seq[LocalPath] =
    // Of a pipe one would wait for the other end.
    if (!Files.isDirectory(folder)) Nil
    else Try(Using.resource(Files.newDirectoryStream(folder))(_.asScala.toList)).getOrElse(Nil)
}
