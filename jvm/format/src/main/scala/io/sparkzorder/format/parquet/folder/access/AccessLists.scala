// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.io.File
import java.lang.ProcessBuilder.Redirect
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.time.Instant
import java.util.concurrent.ConcurrentHashMap

import scala.util.{Try, Using}

/**
 * POSIX access control lists of folders on a local disk (acl(5)). Of a folder with such a list the mode's bits for the group
 * are the list's mask, and Java reads nothing else; `getfacl`, which comes with `setfacl`, reads the list.
 */
private[folder] object AccessLists {

  /**
   * What a list says of the folder's own group.
   *
   * @param mayWriteNew
   *   the same of what is made in the folder, where that is given a list
   */
  private[access] final case class OfGroup(mayWrite: Boolean, mayWriteNew: Option[Boolean])

  /**
   * Whether the mode of a table's folder lets its group write although the list does not, and what statements make in the
   * folder would be open to that group: it has no list that keeps the group out, too.
   *
   * @param own
   *   the folder of what statements make in the table's, which may not be there
   */
  def keepGroupOut(folder: Path, own: Path): Boolean = of(folder).exists { list =>
    // Without a list of its own, it is given the mode of the table's folder, whatever it has now.
    def ofOwn = if (Files.isDirectory(own)) of(own).map(_.mayWrite) else list.mayWriteNew
    !list.mayWrite && ofOwn.getOrElse(true)
  }

  /** Of the lines that `getfacl` prints; None where the mode says it all, and there is no mask. */
  private[access] def in(text: String): Option[OfGroup] = {
    def mayWrite(entry: String) = text.linesIterator.find(_.startsWith(entry)).map(_.drop(entry.length).contains('w'))
    mayWrite("mask::").flatMap(_ => mayWrite("group::")).map(OfGroup(_, mayWrite("default:group::")))
  }

  private final case class Folder(key: AnyRef, changed: FileTime)

  private val known = new ConcurrentHashMap[Folder, Option[OfGroup]]
  private val Most = 10000
  private val Tick = 2L

  @volatile private var isInstalled = true

  /** None where nothing can be found out. A change of the list changes the folder's time, which disks count in ticks. */
  private def of(folder: Path): Option[OfGroup] = if (!isInstalled) None
  else
    found(folder).flatMap { now =>
      if (known.size >= Most) known.clear()
      if (now.changed.toInstant.isAfter(Instant.now().minusSeconds(Tick))) read(folder)
      else known.computeIfAbsent(now, _ => read(folder))
    }

  private def found(folder: Path): Option[Folder] = Try {
    val attributes = Files.readAttributes(folder, "unix:fileKey,ctime")
    Folder(attributes.get("fileKey"), attributes.get("ctime").asInstanceOf[FileTime])
  }.toOption

  private def read(folder: Path): Option[OfGroup] = {
    val started = Try {
      val command =
        new ProcessBuilder("getfacl", "--absolute-names", "--omit-header", "--no-effective", "--", folder.toString)
      command.redirectError(Redirect.DISCARD).redirectInput(Redirect.from(new File("/dev/null"))).start()
    }.toOption
    if (started.isEmpty) isInstalled = false
    started.flatMap(process => in(Using.resource(process.getInputStream)(s => new String(s.readAllBytes(), UTF_8))))
  }
}
