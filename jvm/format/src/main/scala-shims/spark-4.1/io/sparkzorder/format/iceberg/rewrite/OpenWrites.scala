// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.rewrite

import java.io.FileNotFoundException
import java.util.Queue
import java.util.concurrent.ConcurrentLinkedQueue

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.iceberg.{Table, TableProperties}
import org.apache.iceberg.exceptions.NotFoundException
import org.apache.iceberg.io.SupportsPrefixOperations
import org.apache.iceberg.util.{Tasks, ThreadPools}
import org.apache.spark.internal.Logging

/**
 * What a statement has written and not committed: it is deleted when the statement ends. Each write has an id that no other
 * has, and that stands in the names of its files.
 */
private[iceberg] final class OpenWrites(table: Table) extends Logging {
  // By the id of the write; None where not all of its files are known.
  private val open = mutable.Map.empty[String, Option[Seq[String]]]

  def begins(id: String): Unit = open(id) = None

  /** @param files where all files of the write are */
  def wrote(id: String, files: Seq[String]): Unit = open(id) = Some(files)

  /** The files of the write are the table's now, or may be. */
  def release(id: String): Unit = open -= id

  /** The files of a write that are not there any more: until they are committed they are orphans to who looks for such. */
  def gone(id: String): Seq[String] = {
    val found: Queue[String] = new ConcurrentLinkedQueue
    Tasks.foreach(open.get(id).flatten.getOrElse(Nil).asJava).executeWith(ThreadPools.getWorkerPool)
      .run((file: String) => if (!table.io.newInputFile(file).exists) found.add(file): Unit)
    found.asScala.toSeq.sorted
  }

  /** Deletes the files of a write that is not to be committed. */
  def giveUp(id: String): Unit = open.remove(id).foreach { known =>
    val files = known.getOrElse(filesNamedBy(id))
    val left = files.filterNot(delete)
    if (left.nonEmpty)
      logWarning(
        s"z-order of ${table.name}: ${left.size} files that are not of the table could not be deleted " +
          s"(CALL system.remove_orphan_files finds them): ${left.take(10).mkString(", ")}")
  }

  def close(): Unit = open.keys.toSeq.foreach(giveUp)

  private def delete(file: String): Boolean =
    try {
      table.io.deleteFile(file)
      true
    } catch {
      case NonFatal(e) =>
        logWarning(s"Cannot delete $file", e)
        false
    }

  /**
   * What is there of a write that failed: Iceberg deletes the files of tasks that failed, and leaves those of tasks that had
   * ended before.
   */
  private def filesNamedBy(id: String): Seq[String] = table.io match {
    case files: SupportsPrefixOperations =>
      Option(table.properties.get(TableProperties.WRITE_LOCATION_PROVIDER_IMPL)).foreach { provider =>
        warnOfLeft(id, s"$provider chooses the folders of its files, which are not looked for", null)
      }
      try files.listPrefix(dataLocation).asScala.map(_.location).filter(nameOf(_).contains(id)).toList
      catch {
        // Without the folder nothing was written.
        case NonFatal(e) if isNotFound(e) => Nil
        case NonFatal(e) =>
          warnOfLeft(id, s"$dataLocation cannot be listed", e)
          Nil
      }
    case other =>
      warnOfLeft(id, s"${other.getClass.getName} lists no files", null)
      Nil
  }

  private def isNotFound(e: Throwable) =
    e.isInstanceOf[NotFoundException] || e.getCause.isInstanceOf[FileNotFoundException]

  private def warnOfLeft(id: String, why: String, cause: Throwable): Unit = logWarning(
    s"z-order of ${table.name}: $why, so that files with $id in their names may be left; " +
      "CALL system.remove_orphan_files deletes them",
    cause)

  private def nameOf(location: String): String = location.substring(location.lastIndexOf('/') + 1)

  /** As Iceberg's own location providers have it (`LocationProviders`); what another one has chosen is not found. */
  private def dataLocation: String = {
    val chosen = table.properties.get(TableProperties.WRITE_DATA_LOCATION)
    Option(chosen).getOrElse(s"${table.location.stripSuffix("/")}/data")
  }
}
