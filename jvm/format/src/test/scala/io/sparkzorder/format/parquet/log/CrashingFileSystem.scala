// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import org.apache.hadoop.fs.{FSDataOutputStream, LocalFileSystem, Path, RawLocalFileSystem}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/** The local file system for a process that dies at a chosen change: neither that change nor a later one happens. */
class CrashingFileSystem extends LocalFileSystem(new CrashingFileSystem.Raw)

object CrashingFileSystem {

  @volatile private var left = Int.MaxValue
  @volatile private var hook: Int => Unit = _ => ()
  private var done = 0

  /** No `catch` of the code takes it. */
  class Death extends Error("the process has died")

  /**
   * Runs `body` with so many changes before it dies.
   *
   * @return
   *   whether it died
   */
  def dyingAfter(changes: Int, before: Int => Unit = _ => ())(body: => Unit): Boolean = {
    left = changes
    done = 0
    hook = before
    try {
      body
      false
    } catch { case _: Death => true }
    finally {
      left = Int.MaxValue
      hook = _ => ()
    }
  }

  private def change[T](body: => T): T = {
    if (left <= 0) throw new Death
    left -= 1
    val h = hook
    // What other processes do here is no change of this process.
    val (saved, number) = (left, done)
    hook = _ => ()
    left = Int.MaxValue
    h(number)
    left = saved
    hook = h
    done = number + 1
    body
  }

  private[log] class Raw extends RawLocalFileSystem {
    override def setPermission(path: Path, permission: FsPermission): Unit = ()

    override def rename(from: Path, to: Path): Boolean = change(super.rename(from, to))

    override def delete(path: Path, recursive: Boolean): Boolean = change(super.delete(path, recursive))

    override def mkdirs(path: Path): Boolean = change(super.mkdirs(path))

    override def create(
        path: Path,
        overwrite: Boolean,
        bufferSize: Int,
        replication: Short,
        blockSize: Long,
        progress: Progressable): FSDataOutputStream =
      change(super.create(path, overwrite, bufferSize, replication, blockSize, progress))
  }
}
