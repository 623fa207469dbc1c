// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import java.io.{File, FileOutputStream, IOException}
import java.nio.file.Files

import scala.util.{Try, Using}

import io.sparkzorder.LongTest
import io.sparkzorder.format.parquet.repair.DyingFiles

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{QueryTest, Row}

/** A disk without space or inodes, and files where folders are to be: a clear error, and the rows as they were. */
class FullDiskSuite extends ParquetTables {

  private def run(command: String*): Boolean =
    Try(new ProcessBuilder(command: _*).start().waitFor()).toOption.contains(0)

  /** A table on a small disk of its own, which only the superuser can make. */
  private def onDisk(options: String)(body: String => Unit): Unit = withTempDir { dir =>
    assume(run("mount", "-t", "tmpfs", "-o", options, "tmpfs", dir.getPath), "a disk can be mounted")
    try {
      val path = new File(dir, "t").getCanonicalPath
      events(3000).repartition(3).write.parquet(path)
      body(path)
    } finally run("umount", "-l", dir.getPath)
  }

  private def fill(path: String, leave: Long): File = {
    val file = new File(new File(path).getParentFile, "filler")
    val block = new Array[Byte](4096)
    // The last block does not fit.
    try Using.resource(new FileOutputStream(file))(out => while (true) out.write(block))
    catch { case _: IOException => () }
    Using.resource(new java.io.RandomAccessFile(file, "rw"))(_.setLength(math.max(0L, file.length - leave)))
    file
  }

  private def fillInodes(path: String, leave: Int): Seq[File] = {
    val files = Iterator.from(0).map(i => new File(new File(path).getParentFile, s"filler-$i"))
    val made = files.takeWhile(f => Try(f.createNewFile()).getOrElse(false)).toList
    made.take(leave).foreach(_.delete())
    made.drop(leave)
  }

  private def statements(path: String): Seq[String] = Seq(
    s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS",
    s"OPTIMIZE parquet.`$path` ZORDER BY (a, b) OPTIONS (target_file_size = '8k')",
    s"FSCK REPAIR TABLE parquet.`$path`"
  )

  private val told = Set("ZORDER_NO_SPACE", "ZORDER_CANNOT_CREATE")

  /** Those that fail say why, and change nothing; they succeed when there is space again. */
  private def tryAll(path: String, rows: Seq[Row], what: String): Unit = statements(path).foreach { sql =>
    try spark.sql(sql).collect()
    catch {
      case e: SparkThrowable => assert(told(e.getCondition) && e.getSqlState == "58030", s"$what, $sql: $e")
    }
    assert(QueryTest.sameRows(rows, spark.read.parquet(path).collect().toSeq).isEmpty, s"$what, $sql")
  }

  for (leave <- Seq(0L, 20000L, 60000L, 90000L))
    test(s"$leave bytes left", LongTest) {
      onDisk("size=4m") { path =>
        val rows = spark.read.parquet(path).collect().toSeq
        val filler = fill(path, leave)
        tryAll(path, rows, s"$leave bytes left")
        if (leave == 0) statements(path).foreach(refused(_, "ZORDER_NO_SPACE", "58030", "reason" -> "No space left"))
        filler.delete()
        statements(path).foreach(spark.sql(_).collect())
        assert(QueryTest.sameRows(rows, plainRows(path).map(r => Row(r(3), r(0), r(1), r(2), r(4)))).isEmpty)
      }
    }

  for ((leave, tags) <- Seq(0 -> Nil) ++ Seq(1, 2, 3, 4, 6, 8, 14, 18).map(_ -> Seq(LongTest)))
    test(s"$leave inodes left", tags: _*) {
      onDisk("size=16m,nr_inodes=60") { path =>
        val rows = spark.read.parquet(path).collect().toSeq
        val fillers = fillInodes(path, leave)
        tryAll(path, rows, s"$leave inodes left")
        fillers.foreach(_.delete())
        statements(path).foreach(spark.sql(_).collect())
      }
    }

  test("a disk that gets full after the verdict", LongTest) {
    onDisk("size=8m") { path =>
      val rows = spark.read.parquet(path).collect().toSeq
      var filler = Option.empty[File]
      def isData(file: String) = !file.contains("_zorder") && file.endsWith(".parquet")
      try
        withSQLConf(DyingFiles.settings: _*) {
          DyingFiles.pausing((what, from, _) => what == "delete" && isData(from.toString)) {
            filler = Some(fill(path, 0))
          }(optimize(path): Unit)
        }
      catch { case e: SparkThrowable => assert(told(e.getCondition), e) }
      assert(filler.nonEmpty)
      assert(QueryTest.sameRows(rows, spark.read.parquet(path).collect().toSeq).isEmpty)
      filler.foreach(_.delete())
      statements(path).foreach(spark.sql(_).collect())
      assert(QueryTest.sameRows(rows, plainRows(path).map(r => Row(r(3), r(0), r(1), r(2), r(4)))).isEmpty)
    }
  }

  test("kept files go by hand where there is no space for the lock of who would delete them", LongTest) {
    onDisk("size=4m") { path =>
      val rows = spark.read.parquet(path).collect().toSeq
      optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '8k', keep_old = '1 hour')")
      val vacuum = s"VACUUM parquet.`$path` REPLACED FILES RETAIN 0 HOURS"
      val replaced = new File(path, "_zorder/replaced")
      val filler = fill(path, 0)
      refused(vacuum, "ZORDER_NO_SPACE", "58030", "reason" -> "No space left")
      assert(replaced.listFiles.filter(_.isDirectory).forall(kept => run("rm", "-r", kept.getPath)))
      val left = spark.sql(s"DESCRIBE REWRITES parquet.`$path`").select("files", "restorable").collect().toSeq
      assert(left == Seq(Row(0L, false)))
      refused(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1", "ZORDER_CANNOT_RESTORE", "55000")
      spark.sql(vacuum).collect()
      assert(filler.exists && !replaced.exists)
      assert(QueryTest.sameRows(rows, spark.read.parquet(path).collect().toSeq).isEmpty)
    }
  }

  test("a file where a folder is to be") {
    for (name <- Seq("", "/locks", "/log", "/statistics")) inFolder { path =>
      events(300).write.parquet(path)
      val file = new File(s"$path/_zorder$name").toPath
      Files.createDirectories(file.getParent)
      Files.writeString(file, "x")
      statements(path).foreach(refused(_, "ZORDER_FILE_IN_THE_WAY", "58030", "path" -> s"/_zorder$name"))
      assert(spark.read.parquet(path).count() == 300 && Files.readString(file) == "x")
    }
  }
}
