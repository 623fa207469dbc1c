// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.repair

import java.util.concurrent.atomic.AtomicBoolean

import io.sparkzorder.QuickLocalFileSystem

import org.apache.hadoop.fs.{FSDataOutputStream, Path}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/** The local file system for a process that dies before a chosen change: neither that change nor a later one happens. */
class DyingFiles extends QuickLocalFileSystem {
  import DyingFiles.change

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream = {
    change("create", path, path)
    super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress)
  }

  override def rename(from: Path, to: Path): Boolean = {
    change("rename", from, to)
    super.rename(from, to)
  }

  override def delete(path: Path, recursive: Boolean): Boolean = {
    change("delete", path, path)
    super.delete(path, recursive)
  }
}

object DyingFiles {

  /** No `catch` of the code takes it for one of its own errors. */
  class Death extends Error("the process has died")

  val settings: Seq[(String, String)] = Seq(
    "fs.file.impl" -> classOf[DyingFiles].getName,
    "fs.file.impl.disable.cache" -> "true",
    // In calls of the file system.
    "spark.sql.zorder.parquet.exclusiveCreation.file" -> "rename"
  )

  @volatile private var fatal: (String, Path, Path) => Boolean = (_, _, _) => false
  @volatile private var isDead = false

  /**
   * Runs `body`; before a change of it, others do what they want.
   *
   * @return
   *   whether there was such a change
   */
  def pausing(at: (String, Path, Path) => Boolean)(others: => Unit)(body: => Unit): Boolean = {
    val paused = new AtomicBoolean
    fatal = (what, from, to) => {
      if (!paused.get && at(what, from, to) && paused.compareAndSet(false, true)) others
      false
    }
    try body
    finally fatal = (_, _, _) => false
    paused.get
  }

  // Not under a lock: the tasks of others change files while this process pauses.
  private def change(what: String, from: Path, to: Path): Unit = {
    if (!isDead && fatal(what, from, to)) isDead = true
    if (isDead) throw new Death
  }

  /**
   * Runs `body` until a change.
   *
   * @param at
   *   whether to die before a change
   * @return
   *   whether it died
   */
  def dying(at: (String, Path, Path) => Boolean)(body: => Unit): Boolean = {
    fatal = at
    try body
    catch { case _: Throwable if isDead => () }
    val died = isDead
    fatal = (_, _, _) => false
    isDead = false
    died
  }
}
