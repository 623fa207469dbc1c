// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import java.io.File
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import io.sparkzorder.{DailyTest, TestedSpark}

import org.apache.spark.sql.Row

/** Replaced files that are kept, RESTORE, and what deletes them for good. */
class UndoSuite extends ParquetTables {

  private def keeping(path: String, time: String = "7 days", rest: String = ""): Row = optimize(
    path,
    s"$rest ZORDER BY (a, b) OPTIONS (target_file_size = '8k', keep_old = '$time')")

  private def rewrites(path: String): Seq[Row] = spark.sql(s"DESCRIBE REWRITES parquet.`$path`").collect().toSeq

  private def numbers(path: String): Seq[Long] = rewrites(path).map(_.getAs[Long]("rewrite"))

  private def restore(path: String, rewrite: Long): Row =
    spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE $rewrite").head()

  /** The contents of data files. */
  private def contents(path: String): Seq[Seq[Byte]] =
    dataFiles(path).map(f => Files.readAllBytes(f.toPath).toSeq).sortBy(_.hashCode)

  private def keptFiles(path: String): Seq[File] =
    filesBelow(new File(s"$path/_zorder/replaced")).filter(_.getName.endsWith(".replaced"))

  private def partitioned(body: String => Unit): Unit = inFolder { path =>
    events(3000).repartition(3).write.partitionBy("p").parquet(path)
    body(path)
  }

  test("what a rewrite replaced is kept, unseen by readers, and comes back byte for byte") {
    partitioned { path =>
      val before = contents(path)
      keepingRows(path) {
        assert(keeping(path).getString(3).contains(s"DESCRIBE REWRITES parquet.`$path` shows them"))
      }
      val kept = rewrites(path)
      assert(kept.map(r => (r.getAs[Long]("rewrite"), r.getAs[Long]("files"), r.getAs[Boolean]("restorable"))) ===
        Seq((1L, before.size.toLong, true)))
      assert(kept.head.getAs[Long]("bytes") === before.map(_.size.toLong).sum)
      val (from, until) = (
        kept.head.getAs[java.sql.Timestamp]("replaced_at"),
        kept.head.getAs[java.sql.Timestamp](
          "kept_until"))
      assert(math.abs(until.getTime - from.getTime - 7 * 86400000L) < 60000)
      val optimized = dataFiles(path).size
      keepingRows(path) {
        val done = restore(path, 1)
        assert((done.getLong(1), done.getLong(2), done.getLong(3)) === ((1L, before.size.toLong, optimized.toLong)))
      }
      assert(contents(path) === before)
      // A query skips by the statistics index as it is now.
      assert(spark.read.parquet(path).where("a = 7").count() === events(3000).where("a = 7").count())
    }
  }

  test("RESTORE is taken back in turn, and a rewrite together with a later one that stands on it", DailyTest) {
    partitioned { path =>
      val original = contents(path)
      keepingRows(path) {
        keeping(path)
        val first = contents(path)
        optimize(path, "ZORDER BY (c, a) OPTIONS (target_file_size = '16k', keep_old = '1h')")
        val second = contents(path)
        restore(path, 1)
        assert(contents(path) === original)
        restore(path, 3)
        assert(contents(path) === second)
        restore(path, 2)
        assert(contents(path) === first)
        restore(path, 1)
        assert(contents(path) === original)
      }
    }
  }

  test("rows that were added since stay", DailyTest) {
    partitioned { path =>
      val before = contents(path).size
      keeping(path)
      events(100, first = 5000).write.mode("append").partitionBy("p").parquet(path)
      keepingRows(path)(restore(path, 1): Unit)
      assert(dataFiles(path).size > before)
      assert(plainRows(path).size === 3100)
    }
  }

  test("a rewrite whose files somebody has replaced is not taken back, and nothing is changed", DailyTest) {
    partitioned { path =>
      keeping(path)
      withSQLConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
        events(50, first = 9000).write.mode("overwrite").partitionBy("p").parquet(path)
      }
      val before = contents(path)
      assert(rewrites(path).map(_.getAs[Boolean]("restorable")) === Seq(false))
      refused(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1", "ZORDER_CANNOT_RESTORE", "55000", "gone" -> "p=0/")
      assert(contents(path) === before)
    }
  }

  test("a kept file that is gone, and a rewrite that there is not", DailyTest) {
    partitioned { path =>
      keeping(path)
      keptFiles(path).head.delete()
      val before = contents(path)
      refused(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1", "ZORDER_CANNOT_RESTORE", "55000", "notKept" -> "p=")
      refused(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 7", "ZORDER_NO_SUCH_REWRITE", "42704", "known" -> "1")
      assert(contents(path) === before)
    }
  }

  test("a kept file that was damaged is not restored: rows are compared first") {
    partitioned { path =>
      keeping(path)
      val (one, other) = (keptFiles(path).head, keptFiles(path).last)
      val bytes = Files.readAllBytes(other.toPath)
      val cut = bytes.take(one.length.toInt).padTo(one.length.toInt, 0.toByte)
      Files.write(one.toPath, cut)
      new File(one.getParentFile, s".${one.getName}.crc").delete()
      val before = contents(path)
      intercept[Exception](restore(path, 1))
      assert(contents(path) === before)
    }
  }

  private def vacuum(path: String, rest: String): Seq[Long] =
    spark.sql(s"VACUUM parquet.`$path` REPLACED FILES $rest").collect().toSeq.map(_.getAs[Long]("rewrite"))

  /** Waits for the clock to pass the time for which files are kept. */
  private def becomeDue(path: String): Unit =
    while (rewrites(path).exists(_.getAs[java.sql.Timestamp]("kept_until").getTime > System.currentTimeMillis())) ()

  test("a kept file that somebody has written since, in the same size, is not restored") {
    inFolder { path =>
      events(500).coalesce(1).write.parquet(path)
      keeping(path)
      val rows = spark.read.parquet(path).collect().toSeq
      val kept = keptFiles(path).head
      val (content, written) = (Files.readAllBytes(kept.toPath), kept.lastModified)
      Files.write(kept.toPath, content)
      kept.setLastModified(written + 2000)
      assert(rewrites(path).map(_.getAs[Boolean]("restorable")) === Seq(false))
      refused(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1", "ZORDER_CANNOT_RESTORE", "55000")
      checkAnswer(spark.read.parquet(path), rows)
      kept.setLastModified(written)
      restore(path, 1)
      checkAnswer(spark.read.parquet(path), rows)
    }
  }

  test("what is due stays until ANALYZE or OPTIMIZE, and RESTORE can have it until then", DailyTest) {
    partitioned { path =>
      val before = contents(path)
      keeping(path, "1s")
      becomeDue(path)
      keepingRows(path)(restore(path, 1): Unit)
      assert(contents(path) === before && numbers(path) === Seq(1L, 2L))
      analyze(path)
      assert(rewrites(path).isEmpty && keptFiles(path).isEmpty)
      keeping(path, "1s")
      becomeDue(path)
      keeping(path)
      assert(numbers(path) === Seq(4L))
    }
  }

  test("VACUUM deletes what it says, by the time that was set or by RETAIN", DailyTest) {
    partitioned { path =>
      keeping(path, "1s")
      becomeDue(path)
      assert(vacuum(path, "RETAIN 1 HOURS") === Nil && vacuum(path, "DRY RUN") === Seq(1L))
      assert(keptFiles(path).nonEmpty && vacuum(path, "") === Seq(1L) && keptFiles(path).isEmpty)
      keeping(path)
      assert(vacuum(path, "") === Nil && vacuum(path, "RETAIN 0 HOURS DRY RUN") === Seq(2L))
      assert(keptFiles(path).nonEmpty)
      keepingRows(path)(assert(vacuum(path, "RETAIN 0 HOURS") === Seq(2L)))
      assert(rewrites(path).isEmpty && !new File(s"$path/_zorder/replaced").exists)
    }
  }

  test("a file that somebody wrote over one of OPTIMIZE's, of the same size, is not taken for it") {
    partitioned { path =>
      keeping(path)
      val written = dataFiles(path).head
      Files.write(written.toPath, Files.readAllBytes(written.toPath))
      written.setLastModified(written.lastModified + 5000)
      assert(rewrites(path).map(_.getAs[Boolean]("restorable")) === Seq(false))
      refused(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1", "ZORDER_CANNOT_RESTORE", "55000")
    }
  }

  test("old files brought back by others are told, and a name that was used again is no obstacle", DailyTest) {
    inFolder { path =>
      events(500).coalesce(1).write.parquet(path)
      val old = dataFiles(path).head.toPath
      val backup = new File(path).toPath.resolveSibling("backup.parquet")
      Files.copy(old, backup, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES)
      keeping(path)
      Files.copy(backup, old, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES)
      assert(rewrites(path).map(_.getAs[Boolean]("restorable")) === Seq(false))
      refused(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1", "ZORDER_DOUBLED_ROWS", "55000")
      Files.delete(old)
      // By a writer who chooses names himself.
      events(100, first = 9000).coalesce(1).write.parquet(s"$path-more")
      Files.copy(dataFiles(s"$path-more").head.toPath, old)
      keepingRows(path)(restore(path, 1): Unit)
      keepingRows(path) {
        keeping(path)
        keeping(path)
        restore(path, 3)
        restore(path, 1): Unit
      }
    }
  }

  // A hand may leave a kept file the name that it has there.
  for (ending <- Seq(".replaced", ""))
    test(
      s"old files of a later rewrite that are back beside its new ones are told, and stay told: '$ending'",
      DailyTest) {
      inFolder(path => areTold(path, _.stripSuffix(ending)))
    }

  private def areTold(path: String, named: String => String): Unit = {
    events(500).coalesce(1).write.parquet(path)
    keeping(path)
    keeping(path)
    val rows = spark.read.parquet(path).collect().toSeq
    val second = dataFiles(path)
    for (file <- keptFiles(path) if file.getPath.contains("/replaced/2."))
      Files.move(file.toPath, new File(path, named(file.getName)).toPath)
    val messages = warningsOf(assert(spark.read.parquet(path).count() === 1000))
    assert(messages.exists(_.contains("ROWS ARE DOUBLED")))
    for (number <- 1 to 2)
      refused(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE $number", "ZORDER_DOUBLED_ROWS", "55000")
    assert(rewrites(path).map(_.getAs[Boolean]("restorable")) === Seq(false, false))
    // Who takes the new ones away has taken the second rewrite back by hand, if the old ones have their names.
    second.foreach(f => Files.delete(f.toPath))
    val before = s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1"
    if (named("a.replaced") == "a") spark.sql(before).collect() else refused(before, "ZORDER_CANNOT_RESTORE", "55000")
    checkAnswer(spark.read.parquet(path), rows)
  }

  test("a document that is none keeps what it is about, and stops nobody else", DailyTest) {
    partitioned { path =>
      keeping(path)
      val document = new File(s"$path/_zorder/replaced").listFiles.find(_.getName.endsWith(".json")).get.toPath
      val text = Files.readString(document)
      val hidden = text.replaceAll(""""path":"p=0/[^"]*"""", """"path":"_zorder/log/x.parquet"""")
      val until = text.replaceAll(""""keptUntil":\d+""", """"keptUntil":9223372036854775807""")
      for (bad <-
          Seq("{}", "null", "", """{"version":1,"rewrite":null}""", hidden, until, text.replace("p=0/", "../"))) {
        assert(bad != text)
        Files.writeString(document, bad)
        new File(document.getParent.toFile, s".${document.getFileName}.crc").delete()
        val before = contents(path)
        for (sql <- Seq(
            s"DESCRIBE REWRITES parquet.`$path`",
            s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1",
            s"VACUUM parquet.`$path` REPLACED FILES RETAIN 0 HOURS")) {
          val e = intercept[Exception](spark.sql(sql).collect())
          val condition = e.asInstanceOf[org.apache.spark.SparkThrowable].getCondition
          assert(Set("ZORDER_UNREADABLE_KEPT_FILES", "ZORDER_PATH_OUTSIDE_TABLE")(condition), s"$sql with $bad: $e")
        }
        analyze(path)
        assert(contents(path) === before && keptFiles(path).nonEmpty)
      }
      Files.writeString(document, text)
      restore(path, 1)
    }
  }

  test("the folder in which old files lay may be gone, and a partition lie elsewhere", DailyTest) {
    withTable("kept") {
      withTempDir { elsewhere =>
        events(2000).write.partitionBy("p").saveAsTable("kept")
        spark.sql(s"ALTER TABLE kept ADD PARTITION (p = 9) LOCATION '$elsewhere'")
        spark.sql(
          "OPTIMIZE kept WHERE p = 1 ZORDER BY (a) OPTIONS (target_file_size = '8k', keep_old = '1d')").collect()
        val before = spark.table("kept").collect().toSeq
        assert(spark.sql("DESCRIBE REWRITES kept").head().getAs[Boolean]("restorable"))
        spark.sql("RESTORE kept BEFORE REWRITE 1").collect()
        checkAnswer(spark.table("kept"), before)
      }
    }
  }

  test("a location with a slash at its end") {
    withTable("slashed") {
      inFolder { path =>
        spark.sql(
          s"CREATE TABLE slashed USING parquet LOCATION '${new File(path).toURI}/' AS SELECT * FROM range(5000)")
        val before = spark.table("slashed").collect().toSeq
        spark.sql("OPTIMIZE slashed ZORDER BY (id) OPTIONS (target_file_size = '8k', keep_old = '1d')").collect()
        spark.sql("RESTORE slashed BEFORE REWRITE 1").collect()
        checkAnswer(spark.table("slashed"), before)
      }
    }
  }

  test("a file in the place of the folder is found before anything is written down") {
    partitioned { path =>
      Files.createDirectories(new File(s"$path/_zorder").toPath)
      Files.writeString(new File(s"$path/_zorder/replaced").toPath, "")
      val before = contents(path)
      refused(
        s"OPTIMIZE parquet.`$path` ZORDER BY (a) OPTIONS (target_file_size = '8k', keep_old = '1d')",
        "ZORDER_CANNOT_CREATE",
        "58030")
      assert(contents(path) === before)
    }
  }

  test("the setting keeps them, too, the option goes before it, and without both nothing is kept", DailyTest) {
    partitioned { path =>
      optimize(path)
      assert(rewrites(path).isEmpty && keptFiles(path).isEmpty)
      withSQLConf("spark.sql.zorder.parquet.keepOld" -> "2d") {
        optimize(path)
        keeping(path, "3 hours")
      }
      val times = rewrites(path).map(r =>
        r.getAs[java.sql.Timestamp]("kept_until").getTime - r.getAs[java.sql.Timestamp]("replaced_at").getTime)
      assert(times.map(t => math.round(t / 3600000.0)) === Seq(48L, 3L))
    }
  }

  test("builds that do not know of kept files read the log of tables that keep none, and refuse the others", DailyTest) {
    partitioned { path =>
      optimize(path)
      keeping(path)
      val entries = new File(s"$path/_zorder/log").listFiles.filter(_.getName.endsWith(".json")).sortBy(_.getName)
      val texts = entries.map(f => Files.readString(f.toPath)).toSeq
      assert(texts.map(_.contains("keptUntil")) === Seq(false, true))
      assert(texts.map(t => t.substring(0, t.indexOf(','))) === Seq("{\"version\":3", "{\"version\":4"))
    }
  }

  test("a table in the catalog, and one partition of it") {
    withTable("kept") {
      events(2000).write.partitionBy("p").saveAsTable("kept")
      val before = spark.table("kept").collect().toSeq
      spark.sql(
        "OPTIMIZE kept WHERE p = 1 ZORDER BY (a, b) OPTIONS (target_file_size = '8k', keep_old = '1d')").collect()
      assert(spark.sql("DESCRIBE REWRITES kept").head().getAs[Long]("rewrite") === 1L)
      // What is no expression has no parameter in Spark 4.0.
      val rewrite = if (TestedSpark.isAtLeast("4.1")) ":n" else "1"
      spark.sql(s"RESTORE IDENTIFIER(:t) BEFORE REWRITE $rewrite", Map[String, Any]("t" -> "kept", "n" -> 1)).collect()
      checkAnswer(spark.table("kept"), before)
    }
  }

  test("what is kept is no more open than the table's data", DailyTest) {
    partitioned { path =>
      dataFiles(path).foreach { f =>
        Files.setPosixFilePermissions(f.toPath, java.nio.file.attribute.PosixFilePermissions.fromString("rw-r-----"))
      }
      keeping(path)
      val mode = Files.getPosixFilePermissions(new File(s"$path/_zorder/replaced").toPath).asScala.map(_.toString)
      assert(!mode.exists(_.startsWith("OTHERS")))
      assert(keptFiles(path).forall(f =>
        !Files.getPosixFilePermissions(f.toPath).asScala.exists(_.toString.startsWith("OTHERS"))))
      restore(path, 1)
      assert(dataFiles(path).forall(f =>
        !Files.getPosixFilePermissions(f.toPath).asScala.exists(_.toString.startsWith("OTHERS"))))
    }
  }

  for ((sql, found) <- Seq(
      "RESTORE TABLE t TO BEFORE REWRITE x" -> "'x'",
      "RESTORE TABLE t TO BEFORE" -> "end",
      "RESTORE t BEFORE REWRITE -1" -> "'-'",
      "RESTORE t BEFORE REWRITE 1.5" -> "'1.5'",
      "VACUUM t REPLACED" -> "end",
      "VACUUM t REPLACED FILES RETAIN 99999999999 HOURS" -> "'99999999999'",
      "VACUUM t REPLACED FILES RETAIN 7 DAYS" -> "'DAYS'",
      "DESCRIBE REWRITES t WHERE p = 1" -> "'WHERE'"
    ))
    test(s"$sql is told what it lacks") {
      refused(sql, "ZORDER_SYNTAX_ERROR.UNEXPECTED", "42601", "found" -> found, "form" -> sql.take(7))
      refused(s"EXPLAIN $sql", "ZORDER_SYNTAX_ERROR.UNEXPECTED", "42601", "found" -> found, "form" -> sql.take(7))
    }

  for (value <- Seq("7", "d", "-1d", "7 fortnights", "99999999999d", "36501 days", ""))
    test(s"keep_old = '$value' is no time") {
      inFolder { path =>
        events(100).write.parquet(path)
        refused(
          s"OPTIMIZE parquet.`$path` ZORDER BY (a) OPTIONS (keep_old = '$value')",
          "ZORDER_INVALID_OPTION",
          "22023",
          "value" -> value)
      }
    }
}
