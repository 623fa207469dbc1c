// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.file.{FileSystems, Files, Path}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.{FileTime, PosixFileAttributeView, PosixFileAttributes, PosixFilePermissions}
import java.security.Principal
import java.util.concurrent.TimeUnit

import scala.collection.mutable
import scala.util.Try

import org.apache.hadoop.fs.permission.FsPermission
import org.apache.spark.unsafe.Platform

/** Access to files on a local disk, without the processes that Hadoop starts for each. */
private[folder] object LocalAccess {

  private val AllBits = Integer.parseInt("777", 8)
  private val Sticky = Integer.parseInt("1000", 8)
  private val SetGroup = Integer.parseInt("2000", 8)

  def of(file: Path): Access = withSticky(file, of(Files.readAttributes(file, classOf[PosixFileAttributes])))

  /** With the bit that Java's other attributes of a file do not have. */
  def withSticky(file: Path, access: Access): Access = {
    val sticky = Files.getAttribute(file, "unix:mode").asInstanceOf[Int] & Sticky
    access.copy(permission = new FsPermission((access.permission.toShort | sticky).toShort))
  }

  /** The group that a folder gives to what is created in it; None where it gives none. */
  def groupOfNew(folder: Path): Option[String] = Try {
    val found = Files.readAttributes(folder, "unix:mode,group", NOFOLLOW_LINKS)
    if ((found.get("mode").asInstanceOf[Int] & SetGroup) == 0) None
    else Some(found.get("group").asInstanceOf[Principal].getName)
  }.toOption.flatten

  def of(a: PosixFileAttributes): Access = {
    val permission = FsPermission.valueOf("-" + PosixFilePermissions.toString(a.permissions))
    Access.of(a.owner.getName, a.group.getName, permission, Nil)
  }

  /**
   * Number, time of birth, and time of the last change of anything about the file: numbers alone are soon used again. The
   * first two stay when a file is renamed, opened or closed to others.
   */
  def identity(file: Path): Option[String] = Try {
    val found = Files.readAttributes(file, "unix:ino,creationTime,ctime", NOFOLLOW_LINKS)
    s"${found.get("ino")} ${found.get("creationTime")} ${found.get("ctime")}"
  }.toOption

  /** The first two of these. */
  def origin(file: Path): Option[String] = Try {
    val found = Files.readAttributes(file, "unix:ino,creationTime", NOFOLLOW_LINKS)
    s"${found.get("ino")} ${if (hasBirths(file)) found.get("creationTime") else TableFolder.Unknown}"
  }.toOption

  /**
   * Whether times of birth are known. Where a file system or an older Java has none, Java gives that of the last change,
   * which for a folder is another one with each file in it. Of one file both may be the same by chance: so the folders
   * above it on that disk are looked at, too.
   */
  private def hasBirths(file: Path): Boolean = {
    val above = Iterator.iterate(file)(_.getParent).takeWhile(_ != null)
      .map(Files.readAttributes(_, "unix:dev,creationTime,lastModifiedTime", NOFOLLOW_LINKS)).buffered
    val disk = above.head.get("dev")
    above.takeWhile(_.get("dev") == disk).exists(f => f.get("creationTime") != f.get("lastModifiedTime"))
  }

  /** Lets others read a file that is to be opened; its owner and group stay. */
  def open(file: Path, access: Access): Unit =
    if (isToOpen(file, access, Files.readAttributes(file, classOf[PosixFileAttributes], NOFOLLOW_LINKS).fileKey))
      give(file, access)

  /** Whether a path leads to the file of this key, and that is of the wanted owner and group and has no other name. */
  def isToOpen(file: Path, access: Access, key: AnyRef): Boolean = {
    val found = Files.readAttributes(file, "unix:owner,group", NOFOLLOW_LINKS)
    def is(name: String, wanted: Option[String]) = wanted.forall(_ == found.get(name).asInstanceOf[Principal].getName)
    isOnlyName(file, key) && is("owner", access.owner) && is("group", access.group)
  }

  /** Whether a path leads to the file of this key, which has no other name elsewhere. */
  def isOnlyName(file: Path, key: AnyRef): Boolean = {
    val found = Files.readAttributes(file, "unix:fileKey,nlink,isRegularFile", NOFOLLOW_LINKS)
    found.get("fileKey") == key && found.get("nlink") == 1 && found.get("isRegularFile") == true
  }

  def give(file: Path, access: Access): Unit =
    give(Files.getFileAttributeView(file, classOf[PosixFileAttributeView], NOFOLLOW_LINKS), access)

  /** Gives no more than this access, as far as this user may: also some file systems have what nobody can change. */
  def give(file: PosixFileAttributeView, access: Access): Unit = {
    val users = FileSystems.getDefault.getUserPrincipalLookupService
    val before = file.readAttributes()
    access.group.filter(_ != before.group.getName)
      .foreach(g => Try(file.setGroup(users.lookupPrincipalByGroupName(g))))
    access.owner.filter(_ != before.owner.getName).foreach(o => Try(file.setOwner(users.lookupPrincipalByName(o))))
    val isOfGroup = access.group.forall(_ == file.readAttributes().group.getName)
    val wanted = (if (isOfGroup) access else access.ofNoGroup).permission.toShort & AllBits
    val permissions = PosixFilePermissions.fromString(new FsPermission(wanted.toShort).toString)
    if (before.permissions != permissions) Try(file.setPermissions(permissions)): Unit
  }
}

/**
 * Attributes of files on a local disk that Java reads with the others, and then gives by name only, or not as numbers: it
 * takes a text apart and fills a map, or asks the system for the name of each file's owner. Queries ask for the state of
 * each file that they leave out, statements for the access of all. So they are read from the fields of Java's object,
 * where it has these; elsewhere in Java's way.
 */
private[folder] object UnixAttributes {

  /**
   * The number of a file, and the time of the last change of anything about it, which nobody can set, as one number: a
   * change of many files may give them one time, and to exchange folders changes nothing about the files in them. The
   * command line computes it, too (`_footers/clusterings.py`).
   *
   * @return None where the file system has no such attributes, or no such file
   */
  def state(file: Path): Option[Long] = Try {
    val found = read(file)
    fieldsOf(found).fold(stateByName(file))(_.state(found))
  }.toOption

  /** The access of many files, most of which have that of another. */
  final class Accesses {
    private val known = mutable.HashMap.empty[(Int, Int, Int), Access]

    def of(found: PosixFileAttributes): Access =
      fieldsOf(found).fold(LocalAccess.of(found))(f => known.getOrElseUpdate(f.access(found), LocalAccess.of(found)))
  }

  private def fieldsOf(found: PosixFileAttributes) = fields.filter(_.of eq found.getClass)

  private def read(file: Path) = Files.readAttributes(file, classOf[PosixFileAttributes])

  /** As [[state]], by Java's own way. */
  def stateByName(file: Path): Long = {
    val found = Files.readAttributes(file, "unix:ino,ctime")
    state(found.get("ino").asInstanceOf[Long], found.get("ctime").asInstanceOf[FileTime].to(TimeUnit.NANOSECONDS))
  }

  private def state(inode: Long, changed: Long): Long = changed + inode * Spread

  // 2 ** 64 over the golden ratio (Knuth, The Art of Computer Programming 3, 6.4): numbers of files get far from each other.
  private val Spread = 0x9e3779b97f4a7c15L

  /** Where in an object of this class its fields are. */
  final class Fields(val of: Class[_]) {
    private val unsafe = {
      val field = classOf[sun.misc.Unsafe].getDeclaredField("theUnsafe")
      field.setAccessible(true)
      field.get(null).asInstanceOf[sun.misc.Unsafe]
    }

    private def offset(name: String, is: Class[_]) = {
      val field = of.getDeclaredField(name)
      require(field.getType == is)
      unsafe.objectFieldOffset(field)
    }

    private val Seq(inode, seconds, nanos) =
      Seq("st_ino", "st_ctime_sec", "st_ctime_nsec").map(offset(_, classOf[Long]))
    private val Seq(user, group, mode) = Seq("st_uid", "st_gid", "st_mode").map(offset(_, classOf[Int]))

    def state(found: AnyRef): Long = {
      val changed = TimeUnit.SECONDS.toNanos(Platform.getLong(found, seconds)) + Platform.getLong(found, nanos)
      UnixAttributes.state(Platform.getLong(found, inode), changed)
    }

    /** Numbers of user and group, and the mode. */
    def access(found: AnyRef): (Int, Int, Int) =
      (Platform.getInt(found, user), Platform.getInt(found, group), Platform.getInt(found, mode))

    /** Whether they say what Java says. */
    def isRightOf(file: Path): Boolean = {
      val (found, named) = (read(file), Files.readAttributes(file, "unix:uid,gid,mode"))
      state(found) == stateByName(file) && access(found) == ((named.get("uid"), named.get("gid"), named.get("mode")))
    }
  }

  // Java 24 warns of what looks into objects, and a later one forbids it.
  private val LastJava = 23

  /** None where this Java has others. */
  lazy val fields: Option[Fields] = Try {
    val some = Seq("java.home", "user.dir", "java.io.tmpdir").map(name => Path.of(System.getProperty(name)))
    Option.when(Runtime.version.feature <= LastJava)(new Fields(read(some.head).getClass))
      .filter(f => some.forall(f.isRightOf))
  }.toOption.flatten
}
