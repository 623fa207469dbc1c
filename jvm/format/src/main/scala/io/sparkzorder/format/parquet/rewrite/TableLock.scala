// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID
import java.util.concurrent.{Executors, ScheduledExecutorService, TimeUnit}

import scala.util.Try

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.folder.{Json, TableFolder}
import io.sparkzorder.format.parquet.folder.access.OwnFiles
import io.sparkzorder.format.parquet.log.ExclusiveCreation

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.Logging

/**
 * Lets one statement at a time rewrite a table.
 *
 * Each contender writes a file of its own name into `_zorder/locks` and then looks at the folder: it holds the lock if
 * no other living holder's file is there, and takes its own away if one is. Of two at once at least one sees the other,
 * so never both hold it; nothing but a listing that shows what was written before is asked of the file system.
 *
 * A holder is dead if its process is known to be gone, or if it has not renewed its lock for `LeaseMillis`. The file that
 * names it is written once; an empty one beside it is written anew at each renewal, so that a process which dies there
 * can still be known. Ages are taken between times of the file system, never between clocks of machines.
 */
private[parquet] final class TableLock private (folder: TableFolder, file: Path, conflict: Option[String])
    extends AutoCloseable
    with Logging {
  import TableLock._

  private val renewal = newTimer()
  renewal.scheduleWithFixedDelay(() => renew(), RenewMillis, RenewMillis, TimeUnit.MILLISECONDS)

  // Whether there may be a file of a renewal.
  @volatile private var wasRenewed = false

  private def renew(): Unit = {
    wasRenewed = true
    try
      // Written anew, not touched, as not every file system can set times.
      if (folder.status(file).isDefined) folder.write(renewalOf(file), Array.emptyByteArray)
      else folder.delete(renewalOf(file))
    catch { case e: Exception => logWarning(s"Could not renew the lock $file", e) }
  }

  /**
   * To be called last before a log entry: a process that was paused for long may have been taken for dead.
   *
   * @throws ZOrderRuntimeException if another process has taken the lock over
   */
  def requireHeld(): Unit =
    if (folder.status(file).isEmpty) throw ZOrderErrors.lockLost(folder.root.toString)

  /**
   * To be called first in a rewrite, which would find it when all files are written.
   *
   * @throws ZOrderRuntimeException where the store makes no writes by a condition
   */
  def requireConditionalWrites(): Unit =
    conflict.foreach(reason => throw ZOrderErrors.noConditionalWrites(folder.root.toString, reason))

  override def close(): Unit = {
    renewal.shutdownNow()
    // A renewal that goes on makes no lock of it.
    try renewal.awaitTermination(RenewMillis, TimeUnit.MILLISECONDS)
    finally if (wasRenewed) remove(folder, file) else folder.delete(file)
  }
}

private[parquet] object TableLock extends Logging {

  private val RenewMillis = 10000L
  private val LeaseMillis = 120000L
  private val PollMillis = 200L

  /**
   * Waits for the lock of a table.
   *
   * @param waitMillis
   *   time to wait, in milliseconds
   * @throws ZOrderRuntimeException if another still holds it then
   */
  def acquire(folder: TableFolder, waitMillis: Long): TableLock = {
    val deadline = System.nanoTime() + waitMillis * 1000000
    @scala.annotation.tailrec
    def attempt(): TableLock = {
      val file = new Path(folder.locks, UUID.randomUUID.toString)
      var conflict = Option.empty[String]
      val holder = livingOther(folder, file, folder.listIfThere(folder.locks).getOrElse(Nil)).orElse {
        conflict = inLocks(folder)(write(folder, file))
        val other = livingOther(folder, file, folder.listIfThere(folder.locks).getOrElse(Nil))
        if (other.isDefined) folder.delete(file)
        other
      }
      holder match {
        case None => new TableLock(folder, file, conflict)
        case Some(other) if System.nanoTime() >= deadline => throw ZOrderErrors.tableLocked(folder.root.toString, other)
        case Some(_) =>
          // Not in step with another process that waits as well.
          Thread.sleep(PollMillis + (math.random() * PollMillis).toLong)
          attempt()
      }
    }
    attempt()
  }

  private def inLocks[T](folder: TableFolder)(body: => T): T = folder.retrying {
    folder.makeForNew(folder.locks)
    body
  }

  /** As the log's files are created where a store decides of two at once, so that one which does not is found at once. */
  private def write(folder: TableFolder, file: Path): Option[String] = {
    val content = text(LockHolder.me)
    ExclusiveCreation.toBeTried(folder).map(_.createTrying(file, content)).getOrElse {
      folder.write(file, content)
      None
    }
  }

  /** A holder other than `mine` that may be alive, as text; files of dead ones are deleted. */
  private def livingOther(folder: TableFolder, mine: Path, listed: Seq[FileStatus]): Option[String] = {
    val others = listed.filter(s => s.getPath.getName != mine.getName && isLock(s.getPath.getName))
    if (others.isEmpty) None
    else {
      val now = fileSystemTime(folder)
      others.flatMap(living(folder, _, now)).headOption
    }
  }

  // Not drafts, renewals and probes, which are hidden, nor what somebody else has put there.
  private def isLock(name: String) = OwnFiles.isId(name)

  private def renewalOf(lock: Path) = new Path(lock.getParent, s".${lock.getName}.renewed")

  private def remove(folder: TableFolder, lock: Path): Unit =
    Seq(lock, renewalOf(lock)).foreach(folder.delete)

  private def living(folder: TableFolder, lock: FileStatus, now: Long): Option[String] = {
    val content = folder.read(lock.getPath)
    // What somebody has put there may be `null`, and of no machine.
    val holder = content.flatMap(bytes => Try(Json.mapper.readValue(bytes, classOf[LockHolder])).toOption)
      .filter(h => h != null && h.machine != null)
    val age = now - (lock +: folder.status(renewalOf(lock.getPath)).toSeq).map(_.getModificationTime).max
    if (content.isEmpty) None
    else if (holder.exists(_.hasDied) || age > LeaseMillis) {
      logWarning(s"${folder.root}: ${holder.fold("a process")(_.toString)} that held the lock is gone; taking it over")
      remove(folder, lock.getPath)
      None
    } else
      Some(holder.fold(s"an unknown process (see ${lock.getPath})")(h =>
        s"$h, since ${java.time.Instant.ofEpochMilli(h.since)}"))
  }

  private def fileSystemTime(folder: TableFolder): Long = {
    val probe = new Path(folder.locks, s".clock-${UUID.randomUUID}")
    inLocks(folder)(folder.write(probe, Array.emptyByteArray))
    try folder.status(probe).fold(System.currentTimeMillis())(_.getModificationTime)
    finally folder.delete(probe)
  }

  private def text(holder: LockHolder): Array[Byte] = Json.mapper.writeValueAsString(holder).getBytes(UTF_8)

  private def newTimer(): ScheduledExecutorService = Executors.newSingleThreadScheduledExecutor { task =>
    val thread = new Thread(task, "spark-zorder lock")
    thread.setDaemon(true)
    thread
  }
}
