// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import java.io.File
import java.nio.file.{Files, Path, StandardCopyOption}
import java.nio.file.StandardCopyOption.{COPY_ATTRIBUTES, REPLACE_EXISTING}

import io.sparkzorder.LongTest
import org.apache.spark.sql.{QueryTest, Row}

/** Files that OPTIMIZE had replaced and that somebody copies back, with their times, count as any others. */
class RestoredFilesSuite extends ParquetTables {

  private val rewrite = "ZORDER BY (a, b) OPTIONS (target_file_size = '8k')"

  private def rows(path: String): Seq[Row] = spark.read.parquet(path).collect().toSeq

  private def same(now: Seq[Row], expected: Seq[Row]): Unit =
    assert(QueryTest.sameRows(expected, now).isEmpty, s"${now.size} rows, not ${expected.size}")

  /** As `cp -a` and `rsync -a` do. */
  private def copy(from: Path, to: Path): Unit = {
    Files.createDirectories(to.getParent)
    Files.copy(from, to, COPY_ATTRIBUTES, REPLACE_EXISTING)
  }

  /** A table, and a copy of its files elsewhere. */
  private def table(body: (String, Seq[(Path, Path)]) => Unit): Unit = inFolder { path =>
    events(3000).where("p < 3").repartition(3).write.partitionBy("p").parquet(path)
    withTempDir { elsewhere =>
      val backup = dataFiles(path).map { f =>
        val saved = elsewhere.toPath.resolve(new File(path).toPath.relativize(f.toPath))
        copy(f.toPath, saved)
        f.toPath -> saved
      }
      body(path, backup)
    }
  }

  private def restore(backup: Seq[(Path, Path)]): Unit = backup.foreach { case (file, saved) => copy(saved, file) }

  private def below(partition: String)(pair: (Path, Path)): Boolean = pair._1.toString.contains(s"/$partition/")

  test("all files restored, the new ones deleted: readers and statements see them, whatever the settings") {
    table { (path, backup) =>
      val before = rows(path)
      optimize(path, rewrite)
      same(rows(path), before)
      dataFiles(path).foreach(_.delete())
      restore(backup)
      same(rows(path), before)
      withSkipping(false)(same(rows(path), before))
      same(
        spark.read.parquet(s"$path/p=1").collect().toSeq,
        before.filter(_.getInt(4) == 1).map(r =>
          Row.fromSeq(r.toSeq.take(4))))
      assert(optimize(path, rewrite).getStruct(1).getAs[Long]("numFilesRemoved") == backup.size)
      same(rows(path), before)
    }
  }

  test("one partition restored, in a session that had the listing of before", LongTest) {
    table { (path, backup) =>
      spark.sql(s"CREATE TABLE restored USING parquet LOCATION '$path'")
      withTable("restored") {
        spark.sql("MSCK REPAIR TABLE restored")
        val before = spark.table("restored").collect().toSeq
        optimize(path, rewrite)
        same(spark.table("restored").collect().toSeq, before)
        dataFiles(path).filter(_.getPath.contains("/p=1/")).foreach(_.delete())
        restore(backup.filter(below("p=1")))
        spark.catalog.refreshTable("restored")
        same(spark.table("restored").collect().toSeq, before)
        same(rows(path), before)
      }
    }
  }

  test("files restored over a newer state: nothing is hidden, and a warning says that rows are doubled", LongTest) {
    table { (path, backup) =>
      val before = rows(path)
      optimize(path, rewrite)
      events(200, first = 3000).where("p = 1").write.mode("append").partitionBy("p").parquet(path)
      optimize(path, rewrite)
      val newer = rows(path)
      restore(backup.filter(below("p=1")))
      val doubled = newer ++ before.filter(_.getInt(4) == 1)
      val messages = warningsOf(same(rows(path), doubled))
      assert(messages.exists(m => m.contains("ROWS ARE DOUBLED") && m.contains("p=1/")), messages)
      // No statement makes that permanent by itself, neither of the whole table nor of the partition.
      for (where <- Seq("", "WHERE p = 1 "); end <- Seq("", " DRY RUN"))
        refused(
          s"OPTIMIZE parquet.`$path` $where$rewrite$end",
          "ZORDER_DOUBLED_ROWS",
          "55000",
          "table" -> path,
          "files" -> "p=1/")
      same(rows(path), doubled)
      optimize(path, s"WHERE p = 2 $rewrite")
      optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '8k', force = true)")
      same(rows(path), doubled)
    }
  }

  test(
    "a folder that was saved while new files were moved in, and is brought back when they had been taken back",
    LongTest) {
    table { (path, backup) =>
      val before = rows(path)
      optimize(path, rewrite)
      val (kept, added) = dataFiles(path).map(_.toPath).partition(_.toString.contains("/p=2/"))
      withTempDir { elsewhere =>
        val saved = added.zipWithIndex.map { case (file, i) => file -> elsewhere.toPath.resolve(i.toString) }
        saved.foreach { case (file, to) => copy(file, to) }
        // As after a verdict against two folders, in which a writer had changed a file.
        added.foreach(Files.delete)
        restore(backup.filterNot(below("p=2")))
        val Seq(verdict) = new File(path, "_zorder/log").listFiles.filter(_.getName.endsWith(".verdict")).toSeq
        Files.writeString(verdict.toPath, """{"moved":["p=2"]}""")
        new File(path, s"_zorder/log/.${verdict.getName}.crc").delete()
        same(rows(path), before)
        restore(saved.filter(below("p=1")))
        val messages = warningsOf(same(rows(path), before ++ before.filter(_.getInt(4) == 1)))
        assert(messages.exists(m => m.contains("ROWS ARE DOUBLED") && m.contains("p=1/")), messages)
        refusedAsDoubled(path, "table" -> path, "files" -> "p=1/")
        assert(kept.forall(Files.exists(_)))
      }
    }
  }

  test("a folder that was renamed while old files were deleted", LongTest) {
    table { (path, backup) =>
      optimize(path, rewrite)
      Files.move(new File(path, "p=1").toPath, new File(path, "p=9").toPath)
      val before = rows(path)
      val old = backup.find(below("p=1")).get
      val left = new File(path, s"p=9/${old._1.getFileName}")
      copy(old._2, left.toPath)
      val messages = warningsOf(assert(rows(path).size > before.size))
      assert(
        messages.exists(m => m.contains("ROWS ARE DOUBLED. Delete those of which all rows") && m.contains(s"p=9/")),
        messages)
      refusedAsDoubled(
        path,
        "table" -> path,
        "files" -> s"p=9/${left.getName}",
        "advice" -> "Delete those of which all rows"
      )
      left.delete()
      same(rows(path), before)
      optimize(path, rewrite)
      same(rows(path), before)
    }
  }

  test("a session warns again when restored files are doubled, and when they come back once more", LongTest) {
    table { (path, backup) =>
      def warnings(of: String) = {
        val appender = new LogAppender(of)
        withLogAppender(appender)(rows(path))
        appender.loggingEvents.map(_.getMessage.getFormattedMessage).filter(_.contains("as after a restore"))
      }
      optimize(path, rewrite)
      val added = dataFiles(path).map(_.toPath)
      withTempDir { elsewhere =>
        val saved = added.zipWithIndex.map { case (file, i) => file -> elsewhere.toPath.resolve(i.toString) }
        saved.foreach { case (file, to) => copy(file, to) }
        added.foreach(Files.delete)
        restore(backup)
        assert(warnings("restored").exists(_.contains("Their rows are read")))
        restore(saved)
        assert(warnings("doubled").exists(_.contains("ROWS ARE DOUBLED")))
        assert(warnings("doubled still").isEmpty)
        backup.foreach(pair => Files.delete(pair._1))
        assert(warnings("gone").isEmpty)
        restore(backup)
        assert(warnings("doubled again").exists(_.contains("ROWS ARE DOUBLED")))
      }
    }
  }

  test("files copied back with other times, as by cp -r: OPTIMIZE tells that rows are doubled") {
    table { (path, backup) =>
      optimize(path, rewrite)
      restore(backup)
      backup.foreach(_._1.toFile.setLastModified(1700000000000L))
      refusedAsDoubled(path, "table" -> path)
    }
  }

  private def refusedAsDoubled(path: String, parameters: (String, String)*): Unit =
    refused(s"OPTIMIZE parquet.`$path` $rewrite", "ZORDER_DOUBLED_ROWS", "55000", parameters: _*)

  /** Links to files of a table, by which the very files stay when they are deleted there. */
  private def links(backup: Seq[(Path, Path)]): Seq[(Path, Path)] = backup.map { case (file, saved) =>
    file -> Files.createLink(saved.resolveSibling(s"${saved.getFileName}.old"), file)
  }

  /** A rewrite with a verdict and all files, as a process leaves it that dies before it deletes old files. */
  private def reopen(path: String, backup: Seq[(Path, Path)]): Unit = {
    val old = links(backup)
    optimize(path, rewrite)
    new File(path, "_zorder/log").listFiles.filter(_.getName.contains(".closed")).foreach(_.delete())
    old.foreach { case (file, link) => Files.move(link, file) }
  }

  test("copies of old files restored while a rewrite is open are read, and told; its own are not") {
    table { (path, backup) =>
      val before = rows(path)
      reopen(path, backup)
      same(rows(path), before)
      val (file, saved) = backup.find(below("p=1")).get
      Files.delete(file)
      copy(saved, file)
      val copied = spark.read.parquet(saved.toString).count()
      assert(rows(path).size == before.size + copied)
      assert(before.diff(rows(path)).isEmpty)
      analyze(path)
      assert(rows(path).size == before.size + copied && plainRows(path).size == before.size + copied)
      refusedAsDoubled(path, "files" -> s"p=1/${file.getFileName}")
    }
  }

  test("a partition that was dropped, and another one renamed to its name, while old files were deleted") {
    table { (path, backup) =>
      val before = rows(path)
      val old = links(backup.filter(below("p=0")))
      optimize(path, rewrite)
      dataFiles(path).filter(_.getPath.contains("/p=1/")).foreach(_.delete())
      // The very files: their folder was renamed before they were deleted.
      old.foreach { case (file, link) =>
        Files.move(link, new File(path, s"p=1/${file.getFileName}").toPath)
      }
      assert(rows(path).size == before.count(_.getInt(4) != 1) + before.count(_.getInt(4) == 0))
      refusedAsDoubled(path, "files" -> s"p=1/${old.head._1.getFileName}")
    }
  }

  test("files restored while a rewrite is open, with the new ones deleted: they count, and stay") {
    table { (path, backup) =>
      val (before, plain) = (rows(path), plainRows(path))
      reopen(path, backup)
      same(rows(path), before)
      dataFiles(path).filterNot(f => backup.exists(_._1 == f.toPath)).foreach(_.delete())
      same(rows(path), before)
      analyze(path)
      same(rows(path), before)
      same(plainRows(path), plain)
      assert(dataFiles(path).size == backup.size)
    }
  }

  test("a part of the new files deleted while a rewrite is open: rows are doubled, none is lost") {
    table { (path, backup) =>
      val before = rows(path)
      reopen(path, backup)
      val added = dataFiles(path).filterNot(f => backup.exists(_._1 == f.toPath)).filter(_.getPath.contains("/p=1/"))
      added.head.delete()
      def allThere(now: Seq[Row]): Unit = assert(before.diff(now).isEmpty, "rows are lost")
      allThere(rows(path))
      analyze(path)
      allThere(rows(path))
      assert(spark.read.parquet(path).where("p <> 1").count() == before.count(_.getInt(4) != 1))
    }
  }

  test("a file that is replaced by one of its size and time is not skipped, and ANALYZE reads it again") {
    inFolder { path =>
      // Of the same size, whatever the values.
      def write(first: Int, to: String): Unit = spark.range(first, first + 100).repartition(1).write
        .option("compression", "none").mode("overwrite").parquet(to)
      write(1000, path)
      val file = dataFiles(path).head.toPath
      analyze(path)
      def found = spark.read.parquet(path).where("id = 9").count()
      assert(found == 0)
      withTempDir { dir =>
        write(0, dir.getPath)
        val other = dir.listFiles.find(_.getName.endsWith(".parquet")).get.toPath
        assert(Files.size(other) == Files.size(file))
        val time = Files.getLastModifiedTime(file)
        Files.copy(other, file, StandardCopyOption.REPLACE_EXISTING)
        Files.setLastModifiedTime(file, time)
        Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
      }
      assert(found == 1)
      val read = spark.sql(s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS").head()
      assert(read.getAs[Number]("footers_read").longValue == 1)
      assert(found == 1 && spark.read.parquet(path).where("id = 1009").count() == 0)
    }
  }
}
