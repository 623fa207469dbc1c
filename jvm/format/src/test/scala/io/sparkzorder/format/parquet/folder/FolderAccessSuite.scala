// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.{FileNotFoundException, IOException, InterruptedIOException}
import java.net.URI
import java.security.PrivilegedAction
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue, CountDownLatch}
import java.util.concurrent.TimeUnit.MINUTES
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.jdk.CollectionConverters._

import io.sparkzorder.errors.Interruption
import io.sparkzorder.format.parquet.folder.access.{Access, ConcurrentCalls}
import org.scalatest.funsuite.AnyFunSuite

import org.apache.hadoop.fs.{FileStatus, FileSystem, FilterFileSystem, Path}
import org.apache.hadoop.fs.CommonPathCapabilities.{FS_ACLS, FS_PERMISSIONS}
import org.apache.hadoop.fs.permission.{AclEntry, AclStatus, FsPermission}
import org.apache.hadoop.security.{AccessControlException, UserGroupInformation}

/** What access is asked for of a table's files where each has an access control list, as on HDFS and ABFS. */
class FolderAccessSuite extends AnyFunSuite {
  import FilesWithAcls.root

  private def kept(fs: FileSystem): Seq[Access] = new FolderFiles(fs, root).accessOfKept()

  /** Names a user by the last name of a path. */
  private def listFor(path: String): Seq[AclEntry] = {
    val user = if (path.isEmpty) "root" else path.split('/').last
    AclEntry.parseAclSpec(s"user:$user:r-x,group::r-x", true).asScala.toSeq
  }

  private def named(all: Seq[Access]): Set[String] = all.flatMap(_.acl).map(_.getName).filter(_ != null).toSet

  private def partitions(number: Int): Seq[String] = (1 to number).map(n => s"p=$n/f$n")

  test("lists are asked for by several threads, in all folders: each once, and as the user of the statement") {
    val paths = partitions(40)
    val together = new CountDownLatch(ConcurrentCalls.MostThreads)
    val (now, most) = (new AtomicInteger, new AtomicInteger)
    val users = ConcurrentHashMap.newKeySet[String]()
    val fs = new FilesWithAcls(paths)({ path =>
      users.add(UserGroupInformation.getCurrentUser.getShortUserName)
      most.accumulateAndGet(now.incrementAndGet(), (a, b) => math.max(a, b))
      together.countDown()
      assert(together.await(1, MINUTES), "one waits for the other")
      now.decrementAndGet()
      listFor(path)
    })
    val found = UserGroupInformation.createRemoteUser("bob")
      .doAs(new PrivilegedAction[Seq[Access]] { override def run(): Seq[Access] = kept(fs) })
    assert(named(found) === paths.map(_.split('/').last).toSet)
    assert(fs.asked.asScala.toSeq.sorted === ("" +: (paths ++ paths.map(_.split('/').head))).sorted)
    assert(users.asScala === Set("bob") && most.get === ConcurrentCalls.MostThreads)
  }

  test("each file has the access that its own list says") {
    val paths = Seq("c", "a", "b")
    val folder = Access.of("etl", "team", FilesWithAcls.permission, listFor(""))
    val expected =
      paths.map(p => Access.of("etl", "team", FilesWithAcls.permission, listFor(p)).deletedIn(folder)).toSet
    val found = kept(new FilesWithAcls(paths)(listFor))
    assert(found.size === 3 && found.toSet === expected)
  }

  test("the error of a file comes out as it is, and files after it are neither waited for nor asked for") {
    val paths = (1 to 100).map(n => s"f$n")
    val failure = new IOException("no answer")
    val never = new CountDownLatch(1)
    val fs = new FilesWithAcls(paths)({
      case "f1" => throw failure
      case "" => listFor("")
      case path =>
        never.await(1, MINUTES)
        listFor(path)
    })
    assert(intercept[IOException](kept(fs)) eq failure)
    assert(fs.asked.size < paths.size)
  }

  test("files that go meanwhile do not count, nor those of closed folders of hidden names; others are an error") {
    def found(closed: String) = kept(new FilesWithAcls(Seq("a", "gone", "_archive/c", "_archive/d", "p=1/b"))({
      case "gone" => throw new FileNotFoundException("gone")
      case `closed` => throw new AccessControlException(closed)
      case path => listFor(path)
    }))
    assert(named(found("_archive/c")) === Set("a", "b", "d"))
    assert(named(found("_archive")) === Set("a", "b"))
    for (closed <- Seq("a", "p=1", "p=1/b"))
      assert(intercept[AccessControlException](found(closed)).getMessage === closed)
  }

  test("who is interrupted while lists are asked for waits no longer, and is interrupted still") {
    val (caller, isInterrupted) = (Thread.currentThread, new AtomicBoolean)
    val never = new CountDownLatch(1)
    val fs = new FilesWithAcls(partitions(40))({ path =>
      if (isInterrupted.compareAndSet(false, true)) caller.interrupt()
      never.await(1, MINUTES)
      listFor(path)
    })
    val (error, isStill) =
      try (intercept[InterruptedIOException](kept(fs)), Thread.currentThread.isInterrupted)
      // Not for the tests that follow.
      finally Thread.interrupted(): Unit
    assert(isStill && Interruption.isIn(error))
  }
}

/**
 * A file system of which each file and folder has an access control list.
 *
 * @param files
 *   their paths below the table's folder
 * @param answer
 *   to a call for the list of one of them, or of a folder
 */
private final class FilesWithAcls(files: Seq[String])(answer: String => Seq[AclEntry]) extends FilterFileSystem {
  import FilesWithAcls._

  /** The paths whose lists were asked for. */
  val asked = new ConcurrentLinkedQueue[String]

  private val folders = files.flatMap(_.split('/').toSeq.inits.drop(1).map(_.mkString("/"))).distinct

  private def below(path: Path) = path.toUri.getPath.stripPrefix(root.toUri.getPath).stripPrefix("/")

  private def status(path: String): FileStatus = {
    val place = if (path.isEmpty) root else new Path(root, path)
    new FileStatus(0, folders.contains(path), 1, 1, 0, 0, permission, "etl", "team", null, place, true, false, false)
  }

  override def getUri: URI = URI.create("acls://cluster")

  override def hasPathCapability(path: Path, capability: String): Boolean =
    Set(FS_ACLS, FS_PERMISSIONS).contains(capability)

  override def getFileStatus(path: Path): FileStatus = status(below(path))

  override def listStatus(path: Path): Array[FileStatus] =
    (files ++ folders).filter(p => p.nonEmpty && p.split('/').init.mkString("/") == below(path)).map(status).toArray

  override def getAclStatus(path: Path): AclStatus = {
    asked.add(below(path))
    new AclStatus.Builder().owner("etl").group("team").addEntries(answer(below(path)).asJava).build()
  }
}

private object FilesWithAcls {

  val root = new Path("acls://cluster/t")

  val permission = new FsPermission("755")
}
