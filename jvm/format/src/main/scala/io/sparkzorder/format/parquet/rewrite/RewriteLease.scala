// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.listing.TableDefinition
import io.sparkzorder.format.parquet.log.{LeftoverFiles, Recovery}
import io.sparkzorder.format.parquet.log.LogEntry.FolderChange

import org.apache.hadoop.fs.Path
import org.apache.hadoop.security.AccessControlException
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.zorder.SparkInternals

/**
 * One statement's hold on a table, from the lock to the last clean-up. The lock saves work; no safety rests on it.
 *
 * @param user
 *   the session of the statement, whose caches know the table
 */
private[parquet] final class RewriteLease private (user: SparkSession, table: TableDefinition, lock: TableLock)
    extends Logging {

  // By their ids: other statements keep what they have staged, also where this process has lost the lock.
  private val begun = new ConcurrentHashMap[String, LeftoverFiles]

  // S3A's committers abort all uploads below the folder that an INSERT writes to, whoever has begun them.
  @volatile private var areUploadsLost = false

  /** Whether the next files of this statement are uploaded to their places. */
  def uploads: Boolean = table.folder.hasUploads && !areUploadsLost

  /** From now on files are staged: others have aborted uploads of this statement, and may do so again. */
  def loseUploads(cause: Option[Exception] = None): Unit = {
    areUploadsLost = true
    val text =
      s"Another writer has aborted uploads of OPTIMIZE below ${table.folder.root}, as S3A's committers do where " +
        "fs.s3a.committer.abort.pending.uploads is true. Files are staged and copied now."
    cause.fold(logWarning(text))(logWarning(text, _))
  }

  /** An id for a rewrite of this statement. */
  def begin(): String = {
    val id = UUID.randomUUID.toString
    begun.put(id, LeftoverFiles(id, Nil))
    id
  }

  /** To be called before an entry is written by which files of a rewrite come into the table. */
  def adds(id: String, folders: Seq[FolderChange]): Unit = begun.put(id, LeftoverFiles(id, folders)): Unit

  /** @throws ZOrderRuntimeException if another statement has taken the lock */
  def requireLock(): Unit = lock.requireHeld()

  /** @throws ZOrderRuntimeException where the store makes no writes by a condition */
  def requireConditionalWrites(): Unit = lock.requireConditionalWrites()

  /** Lets the user's session list the table again. */
  def changed(): Unit = SparkInternals.refresh(user, table.catalogTable.map(_.identifier), table.folder.root)

  /** Deletes the files of a rewrite that was refused or failed, and releases the lock. */
  private def release(): Unit = {
    // What an interrupted thread calls may end at once, as a query that is stopped.
    val wasInterrupted = Thread.interrupted()
    try {
      afterwards(new Recovery(table.folder, table.rewriteLog).discard(begun.asScala.toMap))
      afterwards(lock.close())
      afterwards(table.folder.removeEmptyFolders())
    } finally if (wasInterrupted) Thread.currentThread.interrupt()
  }

  /** A failure here neither fails the statement nor hides a failure of it. */
  private def afterwards(body: => Unit): Unit =
    try body
    catch {
      case e @ (NonFatal(_) | _: InterruptedException) =>
        logWarning(s"Could not clean up after a statement on ${table.name}", e)
    }
}

private[parquet] object RewriteLease {

  /**
   * Finishes what an interrupted process has left, runs `body`, and cleans up.
   *
   * @param waitMillis
   *   time to wait for the lock, in milliseconds
   * @throws ZOrderRuntimeException
   *   where another statement still holds the table's lock then
   */
  def during[T](user: SparkSession, table: TableDefinition, waitMillis: Long)(body: RewriteLease => T): T =
    beforeRecovery(user, table, waitMillis) { hold =>
      recovery(user, table).run()
      body(hold)
    }

  /**
   * To be called before the lock is taken.
   *
   * @param own
   *   further folders of what is kept of the table that the statement writes into
   * @throws ZOrderRuntimeException
   *   where this user may not write, or what is kept is not to be trusted
   */
  def requireWritable(table: TableDefinition, own: Path*): Unit = {
    import table.{folder, name}
    // A store has files, no folders, and those of a path have just been listed.
    val isFound = folder.isStore && table.catalogTable.isEmpty
    try {
      if (!isFound && !folder.isThere(folder.root)) throw ZOrderErrors.pathNotFound(name, "OPTIMIZE ... ZORDER BY")
      folder.requireTrusted()
      folder.requireWritable()
      folder.requireOwnWritable(Seq(folder.rewriteLog, folder.locks, folder.staging) ++ own)
      folder.requireFolders()
      folder.makeForNew(folder.own)
    } catch { case e: AccessControlException => throw ZOrderErrors.noWritePermission(name, folder.root.toString, e) }
  }

  /** Of what other statements on a table have left. */
  def recovery(user: SparkSession, table: TableDefinition): Recovery =
    new Recovery(
      table.folder,
      table.rewriteLog,
      PlainParquetCheck.refuses(table),
      () => table.listing(user).requireNoneInOwn())

  /** As [[during]], for what the recovery cannot begin with. */
  def beforeRecovery[T](user: SparkSession, table: TableDefinition, waitMillis: Long)(body: RewriteLease => T): T = {
    val hold = new RewriteLease(user, table, TableLock.acquire(table.folder, waitMillis))
    try {
      table.rewriteLog.requireTrusted()
      table.folder.protectOwn()
      body(hold)
    } finally hold.release()
  }
}
