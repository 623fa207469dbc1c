// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.File
import java.nio.file.{FileAlreadyExistsException, Files, Path}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.PosixFilePermissions
import java.util.stream.IntStream

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.{DailyTest, LongTest}
import io.sparkzorder.errors.{ZOrderAnalysisException, ZOrderRuntimeException}
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.ParquetTables
import io.sparkzorder.format.parquet.folder.access.Access
import io.sparkzorder.format.parquet.folder.opened.{OpenedFile, OpenedFolder}
import io.sparkzorder.format.parquet.listing.TableDefinition
import io.sparkzorder.format.parquet.rewrite.PlainParquetCheck

import org.apache.hadoop.fs.{LocalFileSystem, Path => HadoopPath}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.types.StructType

/** Nothing outside of a table is touched, whatever links somebody puts into its folder. */
class LinksSuite extends ParquetTables {

  private val Random = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}".r

  private def write(path: String): Unit =
    events(900).where("p < 2").repartition(3).write.partitionBy("p").parquet(path)

  /** All that a table's maintenance does, each whether or not the one before succeeded. */
  private def maintain(path: String): Unit = {
    val columns = "ZORDER BY (a, b)"
    Seq(
      s"OPTIMIZE parquet.`$path` $columns OPTIONS (target_file_size = '4k', batch_size = '8k')",
      s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS",
      s"OPTIMIZE parquet.`$path` $columns OPTIONS (target_file_size = '6k')",
      s"OPTIMIZE parquet.`$path` $columns OPTIONS (mode = 'incremental')"
    ).foreach(statement => Try(spark.sql(statement).collect()))
  }

  /** Everything in a folder: names, kinds, contents, times, permissions. */
  private def state(folder: Path): Seq[String] =
    Files.walk(folder).iterator.asScala.toSeq.sorted.map { file =>
      val attributes =
        Files.readAttributes(file, "posix:permissions,owner,lastModifiedTime,isDirectory", NOFOLLOW_LINKS)
      val content = if (Files.isRegularFile(file)) Files.readString(file) else ""
      s"$file $attributes $content"
    }

  private def outside(body: Path => Unit): Unit = {
    val folder = Files.createTempDirectory("precious")
    try {
      Files.createDirectories(folder.resolve("sub"))
      Seq("file", "sub/file", "0.id", "sub/0.id").foreach(f => Files.writeString(folder.resolve(f), s"precious $f"))
      body(folder)
    } finally JavaUtils.deleteRecursively(folder.toFile)
  }

  /** Plants a link, runs everything, and compares what is outside before and after; in the table no row is lost. */
  private def plant(path: String, name: String, target: Path, precious: Path): Unit = {
    val before = plainRows(path)
    val link = new File(path, name).toPath
    Files.createDirectories(link.getParent)
    JavaUtils.deleteRecursively(link.toFile)
    Files.createSymbolicLink(link, target)
    val outsideBefore = state(precious)
    maintain(path)
    assert(state(precious) == outsideBefore, s"with a link at $name to $target")
    requireRows(path, before)
  }

  /** Readers see all rows, or an error that names the link where the log leads elsewhere. */
  private def requireRows(path: String, before: Seq[Row]): Unit =
    try assert(QueryTest.sameRows(before, plainRows(path)).isEmpty)
    catch { case e: ZOrderRuntimeException => assert(e.getCondition == "ZORDER_PATH_OUTSIDE_TABLE") }

  private def recorded(): Set[String] = {
    var names = Set.empty[String]
    inFolder { path =>
      write(path)
      withSQLConf(RecordingFiles.settings: _*) { names = RecordingFiles.names(path)(maintain(path)) }
    }
    names
  }

  test("with a link at each name that a run uses, nothing outside is written, emptied, renamed or deleted", LongTest) {
    val own = recorded().filter(_.startsWith("_zorder"))
    // Readers such as DuckDB look for such below all folders.
    assert(own.filter(_.endsWith(".parquet")) === Set.empty)
    // Spark's committers list, move and delete there by paths: one of a link in its place has them do so elsewhere.
    assert(own.filter(_.contains("_temporary")) === Set.empty)
    // One of each kind, and of kinds with names by chance those that can be foretold from what is there.
    val planned = own.filter(n => Random.findFirstIn(n).isEmpty && !n.contains("part-")).toSeq.sorted
    assert(
      Seq(
        "_zorder",
        "_zorder/locks",
        "_zorder/log",
        "_zorder/log/0.id",
        "_zorder/staging",
        "_zorder/statistics",
        "_zorder/runs").forall(planned.contains),
      planned
    )
    assert(own.exists(_.startsWith("_zorder/runs/")))
    for (name <- planned; target <- Seq("", "sub", "file", "none")) outside { precious =>
      inFolder { path =>
        write(path)
        plant(path, name, precious.resolve(target), precious)
      }
    }
  }

  test("so it is with links at names that can be foretold from what earlier runs left", LongTest) {
    for (target <- Seq("sub", "file", "none")) outside { precious =>
      inFolder { path =>
        write(path)
        val rows = plainRows(path)
        maintain(path)
        val log = Files.readString(new File(path, "_zorder/log/0.id").toPath)
        val numbers =
          (1 to 12).flatMap(n => Seq(f"_zorder/log/$n%020d.$log.json", f"_zorder/log/.$n%020d.$log.json.crc"))
        val runs = (0 until 16).map(n => s"_zorder/runs/$n")
        val existing =
          names(new File(path, "_zorder")).filter(_.startsWith("_zorder/log/")).filterNot(_.contains("0.id"))
        (numbers ++ runs).filterNot(existing.contains).foreach { name =>
          val link = new File(path, name).toPath
          Files.createDirectories(link.getParent)
          Try(Files.createSymbolicLink(link, precious.resolve(target)))
        }
        val before = state(precious)
        maintain(path)
        assert(state(precious) == before)
        requireRows(path, rows)
      }
    }
  }

  test("so it is with links among the files that are kept", LongTest) {
    // Of what is kept: everything, a document, a rewrite's folder, a partition's, a file.
    val places = Seq[Path => Path](
      identity,
      kept => childOf(kept, _.endsWith(".json")),
      kept => childOf(kept, !_.contains("json")),
      kept => childOf(childOf(kept, !_.contains("json")), _ == "p=0"),
      kept => childOf(childOf(childOf(kept, !_.contains("json")), _ == "p=0"), _.endsWith(".replaced"))
    )
    for (place <- places; target <- Seq("sub", "file")) outside { precious =>
      inFolder { path =>
        write(path)
        optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k', keep_old = '1h')")
        val rows = plainRows(path)
        val link = place(new File(path, "_zorder/replaced").toPath)
        JavaUtils.deleteRecursively(link.toFile)
        Files.createSymbolicLink(link, precious.resolve(target))
        val before = state(precious)
        Seq(
          s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1",
          s"DESCRIBE REWRITES parquet.`$path`",
          s"VACUUM parquet.`$path` REPLACED FILES RETAIN 0 HOURS",
          s"OPTIMIZE parquet.`$path` ZORDER BY (b) OPTIONS (target_file_size = '4k', keep_old = '1h')",
          s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS"
        ).foreach(statement => Try(spark.sql(statement).collect()))
        assert(state(precious) == before, s"with a link at $link to $target")
        if (link == new File(path, "_zorder/replaced").toPath)
          refused(s"DESCRIBE REWRITES parquet.`$path`", "ZORDER_PATH_OUTSIDE_TABLE", "42K03", "remedy" -> "remove it")
        requireRows(path, rows)
      }
    }
  }

  test("no copy is made of what a link leads to, also where it came after the look") {
    outside { precious =>
      inFolder { path =>
        write(path)
        val folder = tableFolder(path)
        val (from, to) = (new HadoopPath(path, "link"), new HadoopPath(path, "_zorder/copy"))
        folder.make(folder.own)
        Files.createSymbolicLink(new File(path, "link").toPath, precious.resolve("file"))
        val e = intercept[ZOrderRuntimeException](folder.copy(from, to))
        assert(e.getCondition == "ZORDER_PATH_OUTSIDE_TABLE" && folder.status(to).isEmpty)
        // As the last step does it, whatever was found before.
        val files = LocalFiles.of(new HadoopPath(path).getFileSystem(spark.sessionState.newHadoopConf()), folder.root)
        intercept[java.io.IOException](files.get.copyUnchecked(from, to, Access.ofMe))
        assert(folder.status(to).isEmpty)
      }
    }
  }

  test("a name of a file elsewhere in the place of a staged file is not moved in, and that file keeps its access") {
    outside { precious =>
      inFolder { path =>
        write(path)
        val file = precious.resolve("file")
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"))
        val before = state(precious)
        for (settings <- Seq(Nil, Seq("fs.file.impl" -> classOf[LocalFileSystem].getName))) {
          val conf = spark.sessionState.newHadoopConf()
          (settings :+ ("fs.file.impl.disable.cache" -> "true")).foreach { case (key, value) => conf.set(key, value) }
          val folder = new TableFolder(new HadoopPath(path), conf)
          val staged = new HadoopPath(folder.staging, s"part-${settings.size}.parquet")
          folder.make(folder.staging)
          Files.createLink(Path.of(staged.toUri.getPath), file)
          val open = Access.ofMe.copy(permission = FsPermission.valueOf("-rw-r--r--"))
          val e = intercept[ZOrderRuntimeException](folder.files.protect(staged, open))
          assert(e.getCondition == "ZORDER_PATH_OUTSIDE_TABLE" && state(precious) == before)
        }
      }
    }
  }

  test("a file gets a further name in the folder that was opened, whatever has the folder's name by then") {
    withTempDir { dir =>
      val top = dir.getCanonicalFile.toPath
      Seq("log", "elsewhere").foreach(name => Files.createDirectory(top.resolve(name)))
      Files.writeString(top.resolve("a"), "text")
      Using.resource(Files.newDirectoryStream(top).asInstanceOf[OpenedFolder.Folder]) { in =>
        Using.resource(OpenedFolder.opened(in, OpenedFolder.named("log"))) { log =>
          Files.move(top.resolve("log"), top.resolve("moved"))
          Files.createSymbolicLink(top.resolve("log"), top.resolve("elsewhere"))
          OpenedFile.inPlaces(in, log) { places =>
            val (from, to) = places.get
            Files.createLink(to.resolve("b"), from.resolve("a"))
          }
        }
      }
      assert(Files.readString(top.resolve("moved/b")) === "text" && top.resolve("elsewhere").toFile.list().isEmpty)
    }
  }

  test("files get further names at the same time, each name once") {
    inFolder { path =>
      write(path)
      val folder = tableFolder(path)
      folder.make(folder.rewriteLog)
      def name(i: Int) = new HadoopPath(folder.rewriteLog, s"${i / 4}")
      val made = IntStream.range(0, 64).parallel.mapToObj[Boolean] { i =>
        val draft = new HadoopPath(folder.staging, s"$i")
        folder.make(folder.staging)
        folder.write(draft, Array(i.toByte))
        try {
          tableFolder(path).link(draft, name(i))
          true
        } catch { case _: FileAlreadyExistsException => false }
      }.toList.asScala
      assert(made.grouped(4).forall(_.count(identity) == 1))
    }
  }

  private def childOf(folder: Path, isIt: String => Boolean): Path =
    Files.list(folder).iterator.asScala.find(f =>
      isIt(f.getFileName.toString) && !f.getFileName.toString.startsWith(".")).get

  for (isKept <- Seq(false, true))
    test(s"no file is ${if (isKept) "moved" else "deleted"} of another folder that the table's link leads to by now")(
      withTempDir(requireOnlyFirst(_, isKept)))

  private def requireOnlyFirst(dir: File, isKept: Boolean): Unit = {
    val (first, second, link) = (dir.toPath.resolve("v1"), dir.toPath.resolve("v2"), dir.toPath.resolve("current"))
    Seq(first, second).foreach(Files.createDirectory(_))
    Files.write(first.resolve("a"), Array[Byte](1))
    Files.createLink(second.resolve("a"), first.resolve("a"))
    Files.createSymbolicLink(link, first)
    val folder = new TableFolder(new HadoopPath(link.toUri), spark.sessionState.newHadoopConf())
    val status = folder.status(folder.resolve("a")).get
    val file = ListedFile("a", status.getLen, status.getModificationTime)
    def swap(): Boolean = {
      Files.delete(link)
      Files.createSymbolicLink(link, second)
      true
    }
    val to = new HadoopPath(folder.replaced, "1.id/a")
    val isDone =
      if (isKept) folder.moveUnchanged(file, None, isDue = swap(), to)
      else folder.removeUnchanged(file, None, isDue = swap())
    assert(!isDone && Files.exists(first.resolve("a")) && Files.exists(second.resolve("a")))
  }

  test("links above the table's folder, and one to it, are the user's own", DailyTest) {
    withTempDir { dir =>
      val real = new File(dir, "real/above")
      Files.createDirectories(real.toPath)
      Files.createSymbolicLink(new File(dir, "link").toPath, new File(dir, "real").toPath)
      val path = s"${dir.getCanonicalPath}/link/above/t"
      write(path)
      keepingRows(path)(assert(optimize(path).getStruct(1).getAs[Long]("numFilesAdded") > 0))
      Files.createSymbolicLink(new File(dir, "t").toPath, new File(path).toPath)
      keepingRows(path)(optimize(s"${dir.getCanonicalPath}/t"))
    }
  }

  test("what somebody calls _zorder far above a table, and cannot be read, has nothing to do with it", DailyTest) {
    def link(above: Path): Unit = Files.createSymbolicLink(above.resolve("_zorder"), above.resolve("t")): Unit
    def damagedLog(above: Path): Unit = {
      Files.createDirectories(above.resolve("_zorder/log"))
      Files.write(above.resolve("_zorder/log/0.id"), "log".getBytes)
      Files.write(above.resolve("_zorder/log/00000000000000000001.log.x.json"), "?".getBytes): Unit
    }
    for (put <- Seq[Path => Unit](link, damagedLog)) inFolder { path =>
      put(Files.createDirectories(Path.of(path)))
      val table = s"$path/deep/t"
      write(table)
      keepingRows(table)(assert(optimize(table).getStruct(1).getAs[Long]("numFilesAdded") > 0))
      assert(spark.read.parquet(s"$table/p=1").count() > 0)
      analyze(table)
    }
  }

  test("a folder that is named by a link, or below one, is a part of what it lies in") {
    val columns = "ZORDER BY (b, a) OPTIONS (target_file_size = '4k', force = true)"
    inFolder { path =>
      write(path)
      events(300, 900).drop("p").repartition(3).write.parquet(s"$path/p=1/deep/orders")
      val links = new File(path).getParentFile.toPath.resolve("links")
      Files.createDirectory(links)
      val (partition, deep) = (links.resolve("partition"), links.resolve("deep"))
      Files.createSymbolicLink(partition, Path.of(s"$path/p=1"))
      Files.createSymbolicLink(deep, Path.of(s"$path/p=1/deep"))
      withTable("linked") {
        spark.sql(s"CREATE TABLE linked (id BIGINT, a INT, b DOUBLE, c STRING) USING parquet LOCATION '$partition'")
        def unchanged(folders: Path*)(condition: String, parameter: (String, String)): Unit = {
          val before = names(new File(path))
          folders.foreach { folder =>
            refused(s"OPTIMIZE parquet.`$folder` $columns", condition, "0A000", parameter)
            refused(s"ANALYZE TABLE parquet.`$folder` COMPUTE FILE STATISTICS", condition, "0A000", parameter)
          }
          refused(s"OPTIMIZE linked $columns", condition, "0A000", parameter)
          assert(names(new File(path)) == before)
        }
        unchanged(partition)("ZORDER_PARTITION_OF_TABLE", "whole" -> s"file:$path")
        val log = new File(path, "_delta_log")
        log.mkdir()
        unchanged(partition, deep.resolve("orders"))("ZORDER_NOT_PLAIN_PARQUET", "owner" -> "Delta")
        log.delete()
        keepingRows(path)(optimize(deep.resolve("orders").toString, columns))
      }
    }
  }

  test("a link that leads into another table while a statement runs") {
    inFolder { path =>
      write(path)
      val (table, link) = (Path.of(s"${path}2"), Path.of(s"${path}3"))
      write(table.toString)
      val root = Files.createSymbolicLink(link, table)
      val folder = tableFolder(root.toString)
      val check = new PlainParquetCheck(TableDefinition("t", folder, None, new StructType, new StructType, Map.empty))
      check.check()
      check.checkAgain(Nil)
      Files.delete(link)
      Files.createDirectory(Path.of(path, "_delta_log"))
      Files.createSymbolicLink(link, Path.of(path, "p=1"))
      Seq(() => check.checkAgain(), () => check.checkAgain(Nil)).foreach { again =>
        assert(intercept[ZOrderAnalysisException](again()).getCondition == "ZORDER_NOT_PLAIN_PARQUET")
      }
    }
  }

  private def names(folder: File): Set[String] =
    Files.walk(folder.toPath).iterator.asScala.map(f => folder.toPath.getParent.relativize(f).toString).toSet

  test("a link to somebody else's data file is neither rewritten into the table nor described by its index") {
    inFolder { path =>
      write(path)
      withTempDir { other =>
        events(50, first = 5000).repartition(1).write.mode("overwrite").parquet(other.getPath)
        val secret = other.listFiles.find(_.getName.endsWith(".parquet")).get.toPath
        Files.createSymbolicLink(new File(path, "p=0/a.parquet").toPath, secret)
        refused(
          s"OPTIMIZE parquet.`$path` ZORDER BY (a, b) OPTIONS (target_file_size = '4k')",
          "ZORDER_PATH_OUTSIDE_TABLE",
          "42K03",
          "path" -> "p=0/a.parquet",
          "remedy" -> "Choose other partitions"
        )
        analyze(path)
        val files = spark.read.parquet(s"$path/_zorder/statistics").select("file").collect().map(_.getString(0))
        assert(files.nonEmpty && !files.contains("p=0/a.parquet"))
      }
    }
  }
}
