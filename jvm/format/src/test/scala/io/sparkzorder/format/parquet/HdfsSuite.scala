// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import java.io.File
import java.nio.file.Files
import java.security.PrivilegedAction
import java.util.UUID

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters._

import io.sparkzorder.{LongSuite, LongTest}
import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.log.{LogEntry, LogState, PlantedLog, RewriteExecutor, RewriteLog}
import io.sparkzorder.format.parquet.log.LogEntry.{Added, FolderChange}
import io.sparkzorder.format.parquet.rewrite.TableLock

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.hadoop.fs.permission.{AclEntry, FsAction, FsPermission}
import org.apache.hadoop.hdfs.MiniDFSCluster
import org.apache.hadoop.security.UserGroupInformation
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.execution.FileSourceScanExec

/** Parquet tables on HDFS: owners and groups, renames that refuse, times and listings of its own. */
class HdfsSuite extends ParquetTables with LongSuite {

  private var cluster: MiniDFSCluster = _
  private var disks: File = _

  private def fs: FileSystem = cluster.getFileSystem

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    disks = Files.createTempDirectory("hdfs").toFile
    val conf = new Configuration()
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, disks.getPath)
    cluster = new MiniDFSCluster.Builder(conf).numDataNodes(1).build()
  }

  override protected def afterAll(): Unit =
    try {
      if (cluster != null) cluster.shutdown(true)
      org.apache.spark.network.util.JavaUtils.deleteRecursively(disks)
    } finally super.afterAll()

  private def withFolder(body: String => Unit): Unit = {
    val path = fs.makeQualified(new Path("/tables/t"))
    try body(path.toString)
    finally fs.delete(path, true)
  }

  private def statusesBelow(path: Path): Seq[FileStatus] =
    fs.listStatus(path).toSeq.flatMap(s => if (s.isDirectory) s +: statusesBelow(s.getPath) else Seq(s))

  private def data(path: String): Seq[FileStatus] = statusesBelow(new Path(path))
    .filter(s => s.getPath.getName.endsWith(".parquet") && !s.getPath.toString.contains("/_zorder/"))

  private def numbers(row: Row): Row = row.getStruct(1)

  private def filesRead(query: DataFrame): Long = {
    query.collect()
    query.queryExecution.executedPlan.collectFirst { case s: FileSourceScanExec => s.metrics("numFiles").value }.get
  }

  private def partitioned(path: String): Unit = events(2000).repartition(4).write.partitionBy("p").parquet(path)

  test("full and incremental runs; what is new belongs to whom the files belong") {
    withFolder { path =>
      partitioned(path)
      fs.setOwner(new Path(path), "etl", "analysts")
      fs.setPermission(new Path(path), new FsPermission("750"))
      data(path).foreach { s =>
        fs.setOwner(s.getPath, "writer", "readers")
        fs.setPermission(s.getPath, new FsPermission("640"))
      }
      keepingRows(path) {
        val first = numbers(optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '2k')"))
        assert(first.getAs[Long]("partitionsOptimized") == 4 && first.getAs[Long]("numFilesAdded") == data(path).size)
      }
      requireOwners(path)
      val read = filesRead(spark.read.parquet(path).where("a = 7 AND id >= 0"))
      assert(read > 0 && read * 2 <= data(path).size)

      val again = "ZORDER BY (a, b) OPTIONS (target_file_size = '2k', mode = 'incremental')"
      assert(numbers(optimize(path, again)).getAs[Long]("numFilesRemoved") == 0)
      val clustered = data(path).map(_.getPath.getName).toSet
      events(200, 2000).where("p = 1").coalesce(1).write.mode("append").partitionBy("p").parquet(path)
      keepingRows(path) {
        assert(numbers(optimize(path, again)).getAs[Long]("numFilesRemoved") > 0)
      }
      assert(data(path).exists(s => clustered(s.getPath.getName)))
    }
  }

  private def requireOwners(path: String): Unit = {
    def of(s: FileStatus) = (s.getOwner, s.getGroup, s.getPermission.toString)
    assert(data(path).map(of).toSet == Set(("writer", "readers", "rw-r-----")))
    val own = statusesBelow(new Path(path, "_zorder")) :+ fs.getFileStatus(new Path(path, "_zorder"))
    val (folders, files) = own.partition(_.isDirectory)
    assert(folders.map(of).toSet == Set(("writer", "readers", "rwxr-x---")))
    assert(files.nonEmpty && files.map(of).toSet == Set(("writer", "readers", "rw-r-----")))
  }

  test("replaced files that are kept come back, and are as closed as they were", LongTest) {
    withFolder { path =>
      partitioned(path)
      data(path).foreach(s => fs.setPermission(s.getPath, new FsPermission("640")))
      def contents = data(path).map(s => fs.getFileChecksum(s.getPath).toString).sorted
      val before = contents
      val options = "OPTIONS (target_file_size = '8k', keep_old = '1h')"
      keepingRows(path)(optimize(path, s"ZORDER BY (a, b) $options"): Unit)
      assert(contents !== before)
      val kept = new Path(path, "_zorder/replaced")
      assert(fs.getFileStatus(kept).getPermission.getOtherAction === FsAction.NONE)
      keepingRows(path)(spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1").collect(): Unit)
      assert(contents === before)
      assert(data(path).forall(_.getPermission.getOtherAction === FsAction.NONE))
      spark.sql(s"VACUUM parquet.`$path` REPLACED FILES RETAIN 0 HOURS").collect()
      assert(!fs.exists(kept))
    }
  }

  private def asUser[T](name: String)(body: => T): T = UserGroupInformation
    .createUserForTesting(name, Array("guests")).doAs(new PrivilegedAction[T] { override def run(): T = body })

  test("where files are of several groups, new ones have the folder's, whose members may do what others may") {
    withFolder { path =>
      partitioned(path)
      for (s <- statusesBelow(new Path(path)) :+ fs.getFileStatus(new Path(path))) fs.setOwner(s.getPath, "etl", "team")
      for (p <- 0 until 4)
        fs.setOwner(data(path).find(_.getPath.getParent.getName == s"p=$p").get.getPath, "root", "root")
      optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '2k')")
      assert(data(path).map(s => (s.getGroup, s.getPermission.toString)).toSet == Set(("team", "rw-r--r--")))
      val own = statusesBelow(new Path(path, "_zorder")) :+ fs.getFileStatus(new Path(path, "_zorder"))
      assert(own.map(s => (s.isDirectory, s.getPermission.toString)).toSet ==
        Set((true, "rwxr-xr-x"), (false, "rw-r--r--")))
    }
  }

  test("folders that one may not write into are named before anything is done") {
    withFolder { path =>
      partitioned(path)
      fs.setPermission(new Path(path), new FsPermission("777"))
      Seq(0, 2, 3).foreach(p => fs.setPermission(new Path(path, s"p=$p"), new FsPermission("777")))
      val statement = s"OPTIMIZE parquet.`$path` ZORDER BY (a) OPTIONS (target_file_size = '2k')"
      val before = data(path)
      asUser("ann") {
        spark.sql(s"$statement DRY RUN").collect()
        refused(statement, "ZORDER_NO_WRITE_PERMISSION", "42501", "folder" -> s"$path/p=1")
      }
      assert(data(path) == before && !fs.exists(new Path(path, "_zorder/staging")))
      spark.sql(statement).collect()
      asUser("ann") {
        for (of <- Seq(statement, s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS"))
          refused(of, "ZORDER_OWN_FOLDER_CLOSED", "42501", "own" -> s"$path/_zorder", "folder" -> path)
      }
    }
  }

  test("access control lists of the files go for new ones, and for what is kept of the table") {
    def list(text: String) = AclEntry.parseAclSpec(text, true)
    def named(path: Path) = fs.getAclStatus(path).getEntries.asScala.filter(_.getName != null).map(_.toString).toSet
    withFolder { path =>
      partitioned(path)
      fs.setAcl(new Path(path), list("user::rwx,group::r-x,other::r-x,default:user:eve:r-x,default:other::r-x"))
      data(path).foreach(s => fs.setAcl(s.getPath, list("user::rw-,user:ann:r--,group::---,other::---")))
      optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '2k')")
      data(path).foreach(s => assert(named(s.getPath) == Set("user:ann:r--")))
      val own = statusesBelow(new Path(path, "_zorder")) :+ fs.getFileStatus(new Path(path, "_zorder"))
      own.foreach { s =>
        assert(named(s.getPath) == Set(if (s.isDirectory) "user:ann:r-x" else "user:ann:r--"))
        assert(s.getPermission.getOtherAction == FsAction.NONE)
      }
      def readLog() = new RewriteLog(tableFolder(path)).read()
      assert(asUser("ann")(readLog()).open.isEmpty)
      val denied = intercept[ZOrderRuntimeException](asUser("eve")(readLog()))
      assert(denied.getCondition == "ZORDER_NO_READ_PERMISSION")
      assert(denied.getMessageParameters.get("own") == s"$path/_zorder")
      // One file without such a list: nobody may read all of them but the owner.
      val one = data(path).head.getPath
      fs.removeAcl(one)
      fs.setPermission(one, new FsPermission("600"))
      spark.sql(s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS FOR ALL COLUMNS").collect()
      statusesBelow(new Path(path, "_zorder")).foreach { s =>
        assert(named(s.getPath).isEmpty && s.getPermission.toString.endsWith("------"), s)
      }
      // When it is gone, the log is opened, and the index with its bounds is written anew.
      fs.delete(one, false)
      def statistics = statusesBelow(new Path(path, "_zorder/statistics")).map(_.getPath)
      spark.sql(s"VACUUM parquet.`$path` REPLACED FILES").collect()
      assert(named(new Path(path, "_zorder/log")) == Set("user:ann:r-x"))
      assert(statistics.nonEmpty && statistics.forall(named(_).isEmpty))
      analyze(path)
      val index = statistics
      assert(index.nonEmpty && index.forall(named(_) == Set("user:ann:r--")))
      assert(named(new Path(path, "_zorder/statistics")) == Set("user:ann:r-x"))
      analyze(path)
      assert(statistics == index)
    }
  }

  test("of two statements at once the second waits and works on the new files; without patience it fails", LongTest) {
    withFolder { path =>
      events(1000).repartition(4).write.parquet(path)
      keepingRows(path) {
        implicit val pool: ExecutionContext = ExecutionContext.global
        val both = Await.result(Future.sequence(Seq.fill(2)(Future(numbers(optimize(path))))), 3.minutes)
        val (first, second) =
          if (both.head.getAs[Long]("numFilesRemoved") == 4) (both(0), both(1)) else (both(1), both(0))
        assert(first.getAs[Long]("numFilesRemoved") == 4)
        assert(second.getAs[Long]("numFilesRemoved") == first.getAs[Long]("numFilesAdded"))
        assert(data(path).size == second.getAs[Long]("numFilesAdded"))
      }
      val held = TableLock.acquire(tableFolder(path), 0)
      try withSQLConf("spark.sql.zorder.parquet.lockWait" -> "0") {
          val e = intercept[ZOrderRuntimeException](optimize(path))
          assert(e.getCondition == "ZORDER_TABLE_LOCKED")
        }
      finally held.close()
    }
  }

  private def idOf(path: String, s: FileStatus): ListedFile =
    ListedFile(tableFolder(path).relative(s.getPath).get, s.getLen, s.getModificationTime)

  /** A rewrite of one partition into one file, of which there is an entry and no more. */
  private def claimed(path: String): LogEntry = {
    val old = fs.listStatus(new Path(path, "p=1")).toSeq
    val id = UUID.randomUUID.toString
    val staging = new Path(path, s"_zorder/staging/$id/p=1")
    tableFolder(path).make(tableFolder(path).staging)
    spark.read.parquet(s"$path/p=1").coalesce(1).write.parquet(staging.toString)
    val staged = fs.listStatus(staging).find(_.getPath.getName.endsWith(".parquet")).get
    val added = Added(tableFolder(path).relative(staged.getPath).get, s"p=1/${staged.getPath.getName}", staged.getLen)
    val replaced = FolderChange("p=1", old.map(idOf(path, _)), Seq(added))
    new RewriteLog(tableFolder(path)).claim(id, Seq(replaced), LogState.empty).get
  }

  private def ids(path: String): Seq[Row] = spark.read.parquet(path).select("id").collect().toSeq.sortBy(_.getLong(0))

  test("what a process has written down and not done is finished by the next statement", LongTest) {
    for (isMoved <- Seq(false, true)) withFolder { path =>
      partitioned(path)
      val before = ids(path)
      keepingRows(path) {
        val entry = claimed(path)
        val Added(staged, place, _, _) = entry.folders.head.added.head
        if (isMoved) assert(fs.rename(new Path(path, staged), new Path(path, place)))
        assert(ids(path) == before, "for a reader that knows")
        analyze(path)
        assert(fs.listStatus(new Path(path, "p=1")).map(s => s"p=1/${s.getPath.getName}").toSeq == Seq(place))
      }
      val folder = tableFolder(path)
      assert(new RewriteLog(folder).read().open.isEmpty && fs.listStatus(folder.rewriteLog).length == 4)
    }
  }

  test("a log that somebody else made up far above a table hides none of its files") {
    withFolder { path =>
      events(100).repartition(2).write.parquet(path)
      val above = new Path(path).getParent
      val files = data(path).map(s => ListedFile(s"t/${s.getPath.getName}", s.getLen, s.getModificationTime))
      PlantedLog.deleting(tableFolder(above.toString), files, in = "t")
      val own = new Path(above, "_zorder")
      try {
        (statusesBelow(own).map(_.getPath) :+ own).foreach(fs.setOwner(_, "nobody", "nogroup"))
        assert(spark.read.parquet(path).count() == 100)
        keepingRows(path)(optimize(path))
      } finally fs.delete(own, true): Unit
    }
  }

  test("a log that tells of uploads, of which there are none on HDFS, has no folder deleted") {
    withFolder { path =>
      events(100).repartition(2).write.parquet(path)
      val precious = new Path("/precious")
      fs.create(new Path(precious, "file")).close()
      try {
        PlantedLog.uploading(tableFolder(path), precious.toString)
        keepingRows(path)(optimize(path))
        assert(fs.exists(new Path(precious, "file")))
      } finally fs.delete(precious, true): Unit
    }
  }

  test("mounts of ViewFs over HDFS, and over a disk, which renames over what is there") {
    withFolder { path =>
      withSQLConf("fs.viewfs.mounttable.mounts.link./tables" -> new Path(path).getParent.toString) {
        val mounted = s"viewfs://mounts/tables/${new Path(path).getName}"
        events(100).repartition(2).write.parquet(mounted)
        keepingRows(mounted)(optimize(mounted))
      }
    }
    inFolder { disk =>
      withSQLConf("fs.viewfs.mounttable.disks.link./disk" -> new File(disk).getParentFile.toURI.toString) {
        val mounted = s"viewfs://disks/disk/${new File(disk).getName}"
        events(100).repartition(2).write.parquet(mounted)
        refused(s"OPTIMIZE parquet.`$mounted` ZORDER BY (a)", "ZORDER_NO_EXCLUSIVE_CREATION", "0A000")
        assert(spark.read.parquet(mounted).count() == 100)
      }
    }
  }

  test("a log far above a table that is closed to its owner has nothing to do with the table") {
    withFolder { path =>
      val above = new Path(path).getParent
      val own = new Path(above, "_zorder")
      events(100).repartition(2).write.parquet(path)
      try {
        fs.mkdirs(new Path(own, "log"))
        fs.setPermission(own, new FsPermission("700"))
        (statusesBelow(new Path(path)).map(_.getPath) :+ new Path(path)).foreach(fs.setOwner(_, "ann", "guests"))
        // Tasks of this process are another user's.
        asUser("ann")(spark.sql(s"OPTIMIZE parquet.`$path` ZORDER BY (a) DRY RUN").collect())
      } finally fs.delete(own, true): Unit
    }
  }

  test("a file of another in the new one's place is not replaced; what is there already counts as written", LongTest) {
    withFolder { path =>
      partitioned(path)
      val entry = claimed(path)
      val log = new RewriteLog(tableFolder(path))
      // A second one finds its number taken, and the folder with it.
      assert(log.claim("other", entry.folders, LogState.empty).isEmpty)
      val names = fs.listStatus(tableFolder(path).rewriteLog).map(_.getPath.getName).toSeq
      assert(names == Seq("0.id", f"${entry.number}%020d.${entry.log}.json"))
      val place = new Path(path, entry.folders.head.added.head.path)
      tableFolder(path).write(place, "theirs".getBytes)
      val outcome =
        new RewriteExecutor(tableFolder(path), log).execute(LogState.LoggedRewrite(entry, None, isClosed = false))
      assert(outcome.exists(_.moved.isEmpty) && log.read().open.isEmpty)
      assert(tableFolder(path).read(place).map(new String(_)).contains("theirs"))
      assert(entry.folders.head.replaced.forall(f => fs.exists(new Path(path, f.path))))
    }
  }
}
