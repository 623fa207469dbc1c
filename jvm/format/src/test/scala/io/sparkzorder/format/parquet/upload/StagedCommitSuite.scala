// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.upload

import java.io.{IOException, NotSerializableException, ObjectOutputStream, OutputStream}
import java.nio.file.{Files, Path => LocalPath}
import java.nio.file.attribute.PosixFilePermissions

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.folder.access.{Access, StagedAccess}
import io.sparkzorder.format.parquet.listing.FolderGroups
import org.scalatest.funsuite.AnyFunSuite

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataOutputStream, FileSystem, LocalFileSystem, Path, RawLocalFileSystem}
import org.apache.hadoop.fs.permission.{AclEntry, AclEntryType, FsAction, FsPermission}
import org.apache.hadoop.mapreduce.{TaskAttemptID, TaskType}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.hadoop.util.Progressable
import org.apache.spark.internal.io.FileNameSpec
import org.apache.spark.network.util.JavaUtils

/** Files of tasks are those that tasks have written; nothing is looked for, made, moved or deleted elsewhere. */
class StagedCommitSuite extends AnyFunSuite {

  private def inFolder(body: LocalPath => Unit): Unit = {
    val top = Files.createTempDirectory("staged").toRealPath()
    try body(top)
    finally JavaUtils.deleteRecursively(top.toFile)
  }

  private val conf = {
    val conf = new Configuration
    TaskFileSystem.settings.foreach { case (key, value) => conf.set(key, value) }
    conf
  }

  private def attempt(task: Int, number: Int, conf: Configuration = conf) =
    new TaskAttemptContextImpl(conf, new TaskAttemptID("job", 1, TaskType.MAP, task, number))

  private def commitOf(top: LocalPath, mode: String = "600") =
    new StagedCommit(
      top.toUri.toString,
      s"${top.toUri}_zorder/staging/id",
      StagedAccess(Access.ofMe.copy(permission = new FsPermission(mode)), driver = "another"))

  private def runOf(top: LocalPath) = Files.createDirectories(top.resolve("_zorder/staging/id"))

  /** Has a writer's path of a file for each of some partitions; the folders of the files are made by then. */
  private def open(commit: StagedCommit, context: TaskAttemptContextImpl, partitions: Int*): Seq[Path] = {
    commit.setupTask(context)
    partitions.map { n =>
      val folder = Option.when(n > 0)(s"${FolderGroups.Column}=$n")
      new Path(commit.newTaskTempFile(context, folder, FileNameSpec("", "-c000")))
    }
  }

  private def write(path: Path, rows: String, conf: Configuration = conf): Unit =
    Using.resource(path.getFileSystem(conf).create(path))(_.write(rows.getBytes))

  private def files(below: LocalPath): Seq[LocalPath] =
    Using.resource(Files.walk(below))(_.iterator.asScala.filter(Files.isRegularFile(_)).toList)

  private def dataFiles(below: LocalPath) = files(below).filter(_.getFileName.toString.startsWith("part-"))

  private def local(path: String) = LocalPath.of(new Path(path).toUri.getPath)

  test("attempts of one task write files of their own, and those count that the driver is told of") {
    inFolder { top =>
      runOf(top)
      val commit = commitOf(top)
      open(commit, attempt(3, 7), 1, 2).foreach(write(_, "lost"))
      val context = attempt(3, 8)
      open(commit, context, 0, 1, 2).foreach(write(_, "rows"))
      commit.commitJob(context, Seq(commit.commitTask(context)))
      assert(commit.files.map(_.partition) === Seq(0, 1, 2))
      assert(commit.files.map(f => Files.readString(local(f.path))).toSet === Set("rows"))
      val all = dataFiles(top)
      assert(all.size === 5 && all.map(_.getFileName.toString).toSet === Set("part-00003-id-c000"))
    }
  }

  test("an attempt that fails deletes what it has written") {
    inFolder { top =>
      runOf(top)
      val commit = commitOf(top)
      val context = attempt(3, 7)
      val paths = open(commit, context, 0, 1)
      write(paths.head, "rows")
      commit.abortTask(context)
      assert(files(top) === Nil)
      assertThrows[IOException](write(paths.last, "rows"))
    }
  }

  test("folders of attempts are as open as the rewrite's own, and their names cannot be foretold") {
    for (mode <- Seq("rwx------", "rwxrwx---")) inFolder { top =>
      Files.setPosixFilePermissions(runOf(top), PosixFilePermissions.fromString(mode))
      val commit = commitOf(top)
      for (partitions <- Seq(Seq(1, 2), Seq(1))) open(commit, attempt(3, 7), partitions: _*).foreach(write(_, "rows"))
      val folders = dataFiles(top).flatMap(f => Seq(f.getParent, f.getParent.getParent)).distinct
      assert(folders.size === 5)
      assert(folders.map(f => PosixFilePermissions.toString(Files.getPosixFilePermissions(f))).toSet === Set(mode))
    }
  }

  test("files are as open as is asked for: the folder closes them until who may gives them their access") {
    for (mode <- Seq("rw-------", "rw-rw-r--")) inFolder { top =>
      runOf(top)
      val octal = if (mode == "rw-------") "600" else "664"
      open(commitOf(top, octal), attempt(3, 7), 1).foreach(write(_, "rows"))
      assert(files(top).map(f => PosixFilePermissions.toString(Files.getPosixFilePermissions(f))) === Seq(mode, mode))
    }
  }

  test(
    "also where somebody has put a folder of theirs in the place of an attempt's: it gives files neither owner nor mode") {
    inFolder { top =>
      runOf(top)
      val path = open(commitOf(top), attempt(3, 7), 1).head
      val folder = Using.resource(Files.walk(top))(_.iterator.asScala.filter(Files.isDirectory(_)).toList).maxBy(
        _.getNameCount)
      val isOther = Try(Files.setAttribute(folder, "unix:uid", 54321)).isSuccess
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"))
      write(path, "rows")
      for (file <- files(top)) {
        assert(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)) === "rw-------")
        assert(!isOther || Files.getAttribute(file, "unix:uid") != 54321)
      }
    }
  }

  test("a commit is sent to tasks whatever list of users the table has, and closed files keep no buffers") {
    inFolder { top =>
      val list = new AclEntry.Builder().setType(AclEntryType.USER).setName("ann").setPermission(FsAction.READ).build()
      assertThrows[NotSerializableException](sent(Access.ofMe.copy(acl = Seq(list))))
      val folder = new TableFolder(new Path(top.toUri), conf)
      val access = folder.makePrivate(new Path(folder.staging, "id"))
      sent(new StagedCommit(top.toUri.toString, s"${top.toUri}_zorder/staging/id", access))
      val file = folder.created(new Path(folder.staging, "a"), access.inTask)
      file.write("rows".getBytes)
      file.close()
      file.close()
      assertThrows[IOException](file.write(1))
    }
  }

  test("nobody else may read a staged file before the driver has opened it, where the driver can") {
    val me = System.getProperty("user.name")
    def mode(owner: String, driver: String) =
      StagedAccess(Access.ofMe.copy(owner = Some(owner), permission = new FsPermission("644")), driver).inTask
        .permission.toString
    assert(mode(me, me) == "rw-------" && mode("another", me) == "rw-------")
    // Who owned all files when they were looked at may not have owned one of another name then.
    assert(StagedAccess(Access.ofMe.copy(owner = Some("another")), me).inTask.newOwner.isEmpty)
    assert(mode(me, "another") == "rw-r--r--" && mode("another", "another") == "rw-r--r--")
  }

  private def sent(of: AnyRef): Unit =
    Using.resource(new ObjectOutputStream(OutputStream.nullOutputStream()))(_.writeObject(of))

  test("links that somebody has put where files are staged lead nobody out of the table") {
    inFolder { top =>
      val outside = Files.createDirectory(top.resolve("outside"))
      val table = Files.createDirectories(top.resolve("t"))
      val run = runOf(table)
      val commit = commitOf(table)
      val context = attempt(1, 5)
      open(commit, context, 1).foreach(write(_, "rows"))
      val file = dataFiles(table).head
      val theirs = Files.writeString(outside.resolve(file.getFileName), "theirs")
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

  test("nor do links to which the folders or names of files that are to be created are exchanged") {
    // What is moved away, and the folder in which a link then has its name.
    val exchanges = Seq[LocalPath => LocalPath](
      _.getParent.getParent.getParent,
      _.getParent.getParent,
      _.getParent,
      identity,
      file => file.resolveSibling(s".${file.getFileName}.crc"))
    for (exchange <- exchanges) inFolder { top =>
      val outside = Files.createDirectory(top.resolve("outside"))
      val table = Files.createDirectories(top.resolve("t"))
      runOf(table)
      val commit = commitOf(table)
      val path = open(commit, attempt(1, 5), 1).head
      val folder = Using.resource(Files.walk(table))(_.iterator.asScala.filter(Files.isDirectory(_)).toList).maxBy(
        _.getNameCount)
      val file = folder.resolve(path.getName)
      val place = exchange(file)
      if (Files.exists(place)) Files.move(place, top.resolve("away"))
      // They have made there what they know of the names.
      val isFolder = file.startsWith(place) && file != place
      val theirs = if (isFolder) outside.resolve(place.relativize(file)) else outside.resolve("theirs")
      Files.createDirectories(theirs.getParent)
      val sums = theirs.resolveSibling(s".${theirs.getFileName}.crc")
      Seq(theirs, sums).drop(if (isFolder) 1 else 0).foreach(Files.writeString(_, "theirs"))
      Files.createSymbolicLink(place, if (isFolder) outside else theirs)
      val before = files(outside).map(f => f -> Files.readString(f)).toSet
      intercept[Exception](write(path, "rows"))
      assert(files(outside).map(f => f -> Files.readString(f)).toSet === before, place)
    }
  }

  test("sums are those of Hadoop") {
    for (length <- Seq(0, 1, 511, 512, 513, 100000)) inFolder { top =>
      runOf(top)
      val commit = commitOf(top)
      val rows = "0123456789".repeat(10000).take(length)
      open(commit, attempt(1, 5), 0).foreach(write(_, rows))
      val file = dataFiles(top).head
      def sums(file: LocalPath) = Files.readAllBytes(file.resolveSibling(s".${file.getFileName}.crc")).toSeq
      val same = top.resolve("same")
      Using.resource(FileSystem.getLocal(conf).create(new Path(same.toUri)))(_.write(rows.getBytes))
      assert(Files.readString(file) === rows && sums(file) === sums(same))
    }
  }

  test("there are none without Hadoop's, and files go through a file system that does more with them") {
    for ((of, isOurs) <- Seq(classOf[RawLocalFileSystem] -> true, classOf[DoingMore] -> false)) inFolder { top =>
      val other = new Configuration(conf)
      other.setClass("fs.file.impl", of, classOf[FileSystem])
      other.setBoolean("fs.file.impl.disable.cache", true)
      runOf(top)
      val folder = new TableFolder(new Path(top.toUri), other)
      assert(folder.isPlain === isOurs)
      val path = open(commitOf(top), attempt(1, 5, other), 0).head
      assert((path.toUri.getScheme == TaskFileSystem.Scheme) === isOurs)
      write(path, "rows", other)
      assert(dataFiles(top).map(Files.readString(_)) === Seq("rows") && (!isOurs || files(top).size == 1))
    }
  }
}

/** A local disk of somebody's that does something with what is written. */
class DoingMore extends LocalFileSystem {

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream =
    super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress)
}
