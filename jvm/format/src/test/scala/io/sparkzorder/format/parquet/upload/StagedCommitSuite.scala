// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.upload

import java.nio.file.{Files, Path => LocalPath}
import java.nio.file.attribute.PosixFilePermissions

import io.sparkzorder.format.parquet.listing.FolderGroups

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.{TaskAttemptID, TaskType}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.spark.internal.io.FileNameSpec
import org.apache.spark.network.util.JavaUtils
import org.scalatest.funsuite.AnyFunSuite

/** Files of tasks are those that tasks have written; nothing is looked for, moved or deleted elsewhere. */
class StagedCommitSuite extends AnyFunSuite {

  private def inFolder(body: LocalPath => Unit): Unit = {
    val top = Files.createTempDirectory("staged").toRealPath()
    try body(top)
    finally JavaUtils.deleteRecursively(top.toFile)
  }

  private def attempt(task: Int, number: Int) =
    new TaskAttemptContextImpl(new Configuration, new TaskAttemptID("job", 1, TaskType.MAP, task, number))

  /** An attempt that writes a file into each of some partitions. */
  private def write(commit: StagedCommit, context: TaskAttemptContextImpl, partitions: Int*): Seq[LocalPath] = {
    commit.setupTask(context)
    partitions.map { n =>
      val path = commit.newTaskTempFile(context, Option.when(n > 0)(folderOf(n)), FileNameSpec("", "-c000"))
      val file = LocalPath.of(new Path(path).toUri.getPath)
      Files.createDirectories(file.getParent)
      Files.writeString(file, s"rows of $context")
    }
  }

  private def folderOf(partition: Int) = s"${FolderGroups.Column}=$partition"

  private def commitOf(top: LocalPath) = new StagedCommit(top.toUri.toString, s"${top.toUri}_zorder/staging/id")

  test("attempts of one task write files of their own, and those count that the driver is told of") {
    inFolder { top =>
      val commit = commitOf(top)
      val lost = write(commit, attempt(3, 7), 1, 2)
      val context = attempt(3, 8)
      val files = write(commit, context, 0, 1, 2)
      assert(
        (lost ++ files).distinct.size === 5 && files.map(_.getFileName.toString).toSet === Set("part-00003-id-c000"))
      commit.commitJob(context, Seq(commit.commitTask(context)))
      assert(commit.files.map(f => LocalPath.of(new Path(f.path).toUri.getPath) -> f.partition) === files.zip(Seq(
        0,
        1,
        2)))
      assert((lost ++ files).forall(Files.exists(_)))
    }
  }

  test("folders of attempts are as open as the rewrite's own, and their names cannot be foretold") {
    for (mode <- Seq("rwx------", "rwxrwx---")) inFolder { top =>
      val run = Files.createDirectories(top.resolve("_zorder/staging/id"))
      Files.setPosixFilePermissions(run, PosixFilePermissions.fromString(mode))
      val commit = commitOf(top)
      val files = write(commit, attempt(3, 7), 1, 2) ++ write(commit, attempt(3, 7), 1)
      val folders = files.flatMap(f => Seq(f.getParent, f.getParent.getParent)).distinct
      assert(folders.size === 5)
      assert(folders.map(f => PosixFilePermissions.toString(Files.getPosixFilePermissions(f))).toSet === Set(mode))
    }
  }

  test("links that somebody has put where files are staged lead nobody out of the table") {
    inFolder { top =>
      val outside = Files.createDirectory(top.resolve("outside"))
      val table = Files.createDirectories(top.resolve("t"))
      val commit = commitOf(table)
      val context = attempt(1, 5)
      val file = write(commit, context, 1).head
      val theirs = Files.writeString(outside.resolve(file.getFileName), "theirs")
      val run = table.resolve("_zorder/staging/id")
      val tasks = Files.createDirectories(run.resolve("_temporary/0"))
      Files.createSymbolicLink(tasks.resolve("task_1"), outside)
      Files.move(file.getParent, run.resolve("away"))
      Files.createSymbolicLink(file.getParent, outside)
      val message = commit.commitTask(context)
      try commit.abortTask(context)
      catch { case e: org.apache.spark.SparkThrowable => assert(e.getCondition === "ZORDER_PATH_OUTSIDE_TABLE") }
      commit.commitJob(context, Seq(message))
      commit.abortJob(context)
      assert(Files.readString(theirs) === "theirs" && outside.toFile.list.length === 1)
    }
  }
}
