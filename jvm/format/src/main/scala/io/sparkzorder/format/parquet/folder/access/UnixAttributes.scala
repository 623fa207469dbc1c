// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.file.{Files, Path}
import java.nio.file.attribute.{FileTime, PosixFileAttributes}
import java.util.concurrent.TimeUnit

import scala.collection.mutable
import scala.util.Try

import org.apache.spark.unsafe.Platform

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

  /** As [[state]], of what an open folder has; None where Java's object does not show it. */
  def state(found: PosixFileAttributes): Option[Long] = fieldsOf(found).map(_.state(found))

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

  /** As [[state]], by the number and the time, in nanoseconds since 1970. */
  def state(inode: Long, changed: Long): Long = changed + inode * Spread

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
