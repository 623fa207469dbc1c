// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{EnumSet, UUID}
import java.util.concurrent.{Executors, TimeUnit}

import scala.collection.mutable
import scala.util.Using
import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{CreateFlag, FileContext, FileSystem, Path}
import org.apache.hadoop.fs.Options.{CreateOpts, Rename}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.ShutdownHookManager

/**
 * What a session has recorded: different lines of JSON, with how often each was. Its file, which no other session has,
 * is written as a whole about a second after a line came, so that it is complete in an object store, too.
 */
private[workload] final class Recording(val folder: String, hadoop: Configuration) {
  import Recording._

  private val name = s"${UUID.randomUUID}$Suffix"
  private val times = mutable.LinkedHashMap.empty[String, Long]
  private var bytes = 0L
  private var hasWarned = false

  /** Counts a line; a new one only as far as there is room. */
  def add(line: String): Unit = synchronized {
    val size = line.getBytes(UTF_8).length + Times
    val isNew = !times.contains(line)
    if (!isNew || (times.size < MostLines && bytes + size <= MostBytes)) {
      if (isNew) bytes += size
      times(line) = times.getOrElse(line, 0L) + 1
      writeLater(this)
    }
  }

  /** Says once that something went wrong. */
  private def warn(e: Throwable): Unit = synchronized {
    if (!hasWarned)
      LoggerFactory.getLogger(getClass).warn(s"Queries could not be recorded in $folder; it is said once", e)
    hasWarned = true
  }

  def write(): Unit =
    try {
      val text = synchronized(times.map { case (line, n) => s"""{"times":$n,${line.drop(1)}\n""" }.mkString)
      replace(new Path(folder, name), text.getBytes(UTF_8))
    } catch { case e @ (NonFatal(_) | _: LinkageError) => warn(e) }

  /** By a file of a new name, which takes the other's place: whatever somebody has put there is not followed. */
  private def replace(file: Path, content: Array[Byte]): Unit = {
    val files = FileContext.getFileContext(file.getFileSystem(hadoop).makeQualified(file).toUri, hadoop)
    val draft = new Path(file.getParent, s".${UUID.randomUUID}.draft")
    try {
      Using.resource(files.create(draft, EnumSet.of(CreateFlag.CREATE), CreateOpts.createParent())) { out =>
        files.setPermission(draft, readable)
        out.write(content)
      }
      files.rename(draft, file, Rename.OVERWRITE)
    } finally if (files.util.exists(draft)) files.delete(draft, false)
  }
}

private[workload] object Recording {

  val Suffix = ".queries.jsonl"

  /** Bounds of a session's file; 1 MiB. */
  private val MostLines = 1000
  private val MostBytes = 1L << 20

  /** Bytes that the number of times takes. */
  private val Times = """{"times":9223372036854775807,""".length

  // As Spark's event logs.
  private val readable = new FsPermission("660")

  private val due = mutable.Set.empty[Recording]
  private val writing = new Object

  private val timer = Executors.newSingleThreadScheduledExecutor { task =>
    val thread = new Thread(task, "spark-zorder: recorded queries")
    thread.setDaemon(true)
    thread
  }

  // When the JVM ends: after Spark's own hook, which ends the context, and before file systems are closed.
  ShutdownHookManager.get.addShutdownHook(() => writeAll(), FileSystem.SHUTDOWN_HOOK_PRIORITY + 10)

  private def writeLater(recording: Recording): Unit = due.synchronized {
    if (due.add(recording)) timer.schedule((() => writeAll()): Runnable, 1, TimeUnit.SECONDS)
    ()
  }

  /** Writes what is due now, and waits for what is being written. */
  def writeAll(): Unit = writing.synchronized {
    val taken = due.synchronized {
      val all = due.toSeq
      due.clear()
      all
    }
    taken.foreach(_.write())
  }
}
