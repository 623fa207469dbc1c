// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.time.Instant
import java.util.concurrent.ConcurrentHashMap

import scala.util.Try

/**
 * POSIX access control lists of folders on a local disk (acl(5)). Of a folder with such a list the mode's bits for the group
 * are the list's mask, and Java reads nothing else; `getfacl`, which comes with `setfacl`, reads the list.
 */
private[folder] object AccessLists {

  /**
   * Those who may write by a list's entries, by their numbers.
   *
   * @param groups
   *   among them the folder's own
   */
  final case class Writers(users: Set[Int], groups: Set[Int])

  /**
   * @param ofNew
   *   who may write what is made in the folder, where that is given a list
   */
  private[access] final case class AccessList(writers: Writers, ofNew: Option[Writers])

  /** Those whom a folder's list lets write; None where it has no list. */
  def writers(folder: Path): Option[Writers] = of(folder).map(_.writers)

  /**
   * Whether the mode of a table's folder lets its group write although the list does not, and what statements make in the
   * folder would be open to that group: it has no list that keeps the group out, too.
   *
   * @param own
   *   the folder of what statements make in the table's, which may not be there
   */
  def keepGroupOut(folder: OwnerAndMode, path: Path, own: Path): Boolean = of(path).exists { list =>
    def mayWrite(of: Writers) = of.groups(folder.group)
    // Without a list of its own, it is given the mode of the table's folder, whatever it has now.
    def ofOwn = if (Files.isDirectory(own)) of(own).map(_.writers) else list.ofNew
    !mayWrite(list.writers) && ofOwn.forall(mayWrite)
  }

  /**
   * Of the lines that `getfacl` prints; None where the mode says it all, and there is no mask.
   *
   * @param group
   *   the folder's own, for which entries without a number are
   */
  private[access] def in(text: String, group: Int): Option[AccessList] = {
    def writers(prefix: String) = {
      val may = text.linesIterator.filter(_.startsWith(prefix)).map(_.stripPrefix(prefix).split(":", -1)).collect {
        case Array(kind, id, rights) if rights.contains('w') => kind -> id
      }.toSeq
      def of(kind: String) = may.collect { case (`kind`, id) => id }
      Writers(
        of("user").flatMap(_.toIntOption).toSet,
        of("group").flatMap(id => if (id.isEmpty) Some(group) else id.toIntOption).toSet)
    }
    def has(entry: String) = text.linesIterator.exists(_.startsWith(entry))
    Option.when(has("mask:"))(AccessList(writers(""), Option.when(has("default:"))(writers("default:"))))
  }

  private val command = new SystemCommand("getfacl", "--absolute-names", "--omit-header", "--no-effective", "--numeric")

  /**
   * @param isSure
   *   whether the folder's last change was long before: disks count time in ticks
   */
  private final case class Known(list: Option[AccessList], changed: FileTime, isSure: Boolean, at: Long)

  private val known = new ConcurrentHashMap[AnyRef, Known]
  private val Most = 10000
  private val Fresh = 200L * 1000 * 1000
  private val Ticks = 2L

  /**
   * None where nothing can be found out. A change of the list changes the folder's time, as does each file that comes or goes:
   * what was read a moment ago counts.
   */
  private def of(folder: Path): Option[AccessList] = Try {
    val attributes = Files.readAttributes(folder, "unix:fileKey,ctime,gid")
    val (key, changed) = (attributes.get("fileKey"), attributes.get("ctime").asInstanceOf[FileTime])
    val now = System.nanoTime()
    def counts(before: Known) = now - before.at < Fresh || (before.isSure && before.changed == changed)
    Option(known.get(key)).filter(counts).map(_.list).getOrElse {
      if (known.size >= Most) known.clear()
      val text = command.output(folder.toString)
      val list = text.flatMap(in(_, attributes.get("gid").asInstanceOf[Int]))
      val isSure = changed.toInstant.isBefore(Instant.now().minusSeconds(Ticks))
      if (text.isDefined) known.put(key, Known(list, changed, isSure, now))
      list
    }
  }.toOption.flatten
}
