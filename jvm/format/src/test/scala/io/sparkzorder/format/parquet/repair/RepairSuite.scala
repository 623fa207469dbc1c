// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.repair

import java.io.File
import java.nio.file.{Files, NoSuchFileException, Path => LocalPath, SecureDirectoryStream}
import java.nio.file.attribute.{PosixFilePermission, PosixFilePermissions}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import io.sparkzorder.LongTest

/** FSCK REPAIR TABLE: documents of the log are damaged at each stage of a rewrite. */
class RepairSuite extends DamagedTables {

  private val rewrite = "ZORDER BY (a, b) OPTIONS (target_file_size = '4k')"

  private val (entry, verdict, both) = (Seq(".json"), Seq(".verdict"), Seq(".json", ".verdict"))

  private val (newOut, oldOut, renamed) = ("set aside new files", "set aside old files", "rename new files")

  /** What is done with data files, by the stage and by what is damaged. */
  private val expected: Seq[(String, Seq[String], Set[String])] = Seq(
    ("before the moves", entry, Set()),
    ("between the moves", entry, Set(newOut)),
    ("before the verdict", entry, Set(newOut)),
    ("after the verdict", verdict, Set(renamed, oldOut)),
    ("half of the old files deleted", verdict, Set(renamed, oldOut)),
    ("all old files deleted", entry, Set()),
    ("all old files deleted", verdict, Set(renamed)),
    ("all old files deleted", both, Set(renamed)),
    ("closed", entry, Set()),
    ("closed", verdict, Set()),
    ("closed", both, Set())
  )

  for ((stage, kinds, actions) <- expected) {
    val tag = (stage, kinds) match {
      case ("after the verdict", `verdict`) => None
      case ("between the moves", `entry`) => Some(LongTest)
      case _ => Some(LongTest)
    }
    test(s"rows are those of before: ${kinds.mkString(", ")} damaged, $stage", tag.toSeq: _*) {
      inFolder { path =>
        write(path)
        val rows = read(path)
        until(path, stage)(optimize(path, rewrite): Unit)
        kinds.flatMap { kind =>
          val found = documents(path, kind)
          assert(found.size == 1)
          found
        }.foreach(damage(_))
        val done = requireMended(path, rows, s"$stage, $kinds")
        assert(done.map(_.getString(4)).toSet == actions + "write the document anew")
      }
    }
  }

  test("whatever is wrong with a document, readers name it and a repair mends it", LongTest) {
    val ways: Seq[(String, String => String)] = Seq(
      ".json" -> (_ => ""),
      ".json" -> (_ => "null"),
      ".json" -> (text => text.take(text.length / 2)),
      ".json" -> (_ => """{"version":3,"entry":null}"""),
      ".json" -> (_.replace("\"folders\"", "\"folder\"")),
      ".json" -> (_.replaceFirst("\"number\":\\d+", "\"number\":77")),
      ".verdict" -> (_ => ""),
      ".verdict" -> (_ => """{"moved":null}"""),
      "0.id" -> (_ => "\u0000\u0000")
    )
    inFolder { path =>
      write(path)
      val rows = read(path)
      optimize(path, rewrite)
      for ((ending, how) <- ways) {
        damage(documents(path, ending).last, how)
        withClue(s"$ending ${documents(path, ending).map(d => Files.readString(d.toPath))}") {
          requireMended(path, rows, ending)
        }
      }
    }
  }

  test("a link without an id is damage, too", LongTest) {
    inFolder { path =>
      write(path)
      val rows = read(path)
      for (columns <- Seq("a, b", "b, a")) optimize(path, s"ZORDER BY ($columns) OPTIONS (target_file_size = '4k')")
      val Seq(first, second) = documents(path, ".json")
      damage(first)
      damage(
        second,
        text => {
          val cut = text.replaceFirst("(\"previous\":\\{\"number\":\\d+),\"id\":\"[^\"]*\"", "$1")
          assert(cut != text)
          cut
        })
      requireMended(path, rows, "a link")
    }
  }

  test("a table without damage, and one without a log") {
    inFolder { path =>
      write(path)
      assert(repair(path, "DRY RUN").isEmpty && repair(path).isEmpty)
      assert(!new File(path, "_zorder").exists)
      optimize(path, rewrite)
      val before = state(path)
      assert(repair(path, "DRY RUN").isEmpty && repair(path).isEmpty && state(path) == before)
    }
  }

  test("files that came since stay, and so do later rewrites", LongTest) {
    inFolder { path =>
      write(path)
      optimize(path, rewrite)
      until(path, "after the verdict")(optimize(path, "ZORDER BY (b, a) OPTIONS (target_file_size = '8k')"): Unit)
      events(100, first = 5000).where("p < 2").write.mode("append").partitionBy("p").parquet(path)
      val rows = read(path)
      // The first rewrite's, which another entry follows.
      damage(documents(path, ".json").head)
      damage(documents(path, ".verdict").last)
      val done = requireMended(path, rows, "two at once")
      assert(done.map(_.getLong(2)).toSet == Set(1L, 2L))
    }
  }

  for ((stage, kinds) <- Seq("after the verdict" -> entry, "half of the old files deleted" -> both))
    test(
      s"old files that no entry names any more: a human says which they are, ${kinds.mkString(", ")} damaged, $stage",
      LongTest) {
      inFolder { path =>
        write(path)
        val rows = read(path)
        until(path, stage)(optimize(path, rewrite): Unit)
        val old = oldFiles(path)
        kinds.flatMap(documents(path, _)).foreach(damage(_))
        val before = state(path)
        for (rest <- Seq("DRY RUN", "")) {
          refused(s"FSCK REPAIR TABLE parquet.`$path` $rest", "ZORDER_CANNOT_REPAIR", "55000", "files" -> "part-")
          assert(state(path) == before)
        }
        old.foreach(_.delete())
        requireMended(path, rows, stage)
      }
    }

  /** The old files of the last rewrite that are there. */
  private def oldFiles(path: String): Seq[File] = {
    val entry = new ObjectMapper().readTree(documents(path, ".json").last).get("entry")
    entry.get("folders").elements.asScala.flatMap(_.get("replaced").elements.asScala)
      .map(f => new File(path, f.get("path").asText)).filter(_.exists).toSeq
  }

  test("a load with the same rows as one that was rewritten is no old file") {
    inFolder { path =>
      def load(name: String): File = {
        events(100).coalesce(1).write.parquet(s"$path-$name")
        val to = new File(path, s"$name.parquet")
        new File(path).mkdirs()
        Files.move(new File(s"$path-$name").listFiles.find(_.getName.endsWith(".parquet")).get.toPath, to.toPath)
        to
      }
      load("first")
      until(path, "all old files deleted")(optimize(path, "ZORDER BY (a) OPTIONS (force = true)"): Unit)
      // As if it had been there before the rewrite, which took the first alone.
      load("second").setLastModified(1000)
      damage(documents(path, ".json").head)
      val before = state(path)
      refused(s"FSCK REPAIR TABLE parquet.`$path`", "ZORDER_CANNOT_REPAIR", "55000", "files" -> "second.parquet")
      assert(state(path) == before)
    }
  }

  test("what is mended is opened again with the data files, as the rest of the log is") {
    for (kind <- Seq(".json", ".verdict")) inFolder { path =>
      write(path)
      optimize(path, rewrite)
      documents(path, kind).foreach(damage(_))
      repair(path)
      val log = documents(path, "").map(_.toPath)
      log.foreach(Files.setPosixFilePermissions(_, PosixFilePermissions.fromString("rw-------")))
      analyze(path)
      val closed = log.filterNot(Files.getPosixFilePermissions(_).contains(PosixFilePermission.OTHERS_READ))
      // Of what has no content nothing shows whose it is.
      assert(closed.filterNot(_.toString.endsWith(".closed")) === Nil)
    }
  }

  test("an id of the log that was cut short", LongTest) {
    inFolder { path =>
      write(path)
      val rows = read(path)
      optimize(path, rewrite)
      damage(documents(path, "0.id").head, _.take(8))
      requireMended(path, rows, "0.id")
    }
  }

  test("an id of the log that is gone, while a rewrite is open", LongTest) {
    inFolder { path =>
      write(path)
      val rows = read(path)
      until(path, "after the verdict")(optimize(path, rewrite): Unit)
      documents(path, "0.id").head.delete()
      new File(path, "_zorder/log/.0.id.crc").delete()
      // It would begin another log, of which old and new files are files alike.
      refused(s"OPTIMIZE parquet.`$path` $rewrite", "ZORDER_UNREADABLE_LOG", "XX001", "reason" -> "a rewrite is open")
      assert(repair(path, "DRY RUN").map(_.getAs[String]("action")) === Seq("write the document anew"))
      repair(path)
      checkAnswer(spark.read.parquet(path), rows)
      keepingRows(path)(optimize(path, rewrite): Unit)
    }
  }

  test("an id of the log that is written anew makes no copy of it: what somebody has deleted stays so", LongTest) {
    inFolder { path =>
      write(path)
      until(path, "before the verdict")(optimize(path, rewrite): Unit)
      val deleted = oldFiles(path).filter(_.getParentFile.getName == "p=1").head
      val rows = withSQLConf("spark.sql.zorder.skipping.enabled" -> "false")(read(path))
      val lost = spark.read.parquet(deleted.getPath).select("id").collect().map(_.getLong(0)).toSet
      Seq(deleted, documents(path, "0.id").head, new File(path, "_zorder/log/.0.id.crc")).foreach(_.delete())
      repair(path)
      requireSame(path, rows.filterNot(row => lost(row.getLong(0))), "an id")
    }
  }

  test("an open rewrite of which the entry before is lost counts", LongTest) {
    inFolder { path =>
      write(path)
      val rows = read(path)
      optimize(path, rewrite)
      val lost = documents(path, "")
      until(
        path,
        "after the verdict")(optimize(path, "ZORDER BY (b, a) OPTIONS (target_file_size = '8k')"): Unit)
      lost.filter(_.getName != "0.id").foreach(_.delete())
      checkAnswer(spark.read.parquet(path).select("id", "a", "b", "c", "p"), rows)
      optimize(path, rewrite)
      requireSame(path, rows, "an entry")
    }
  }

  test("a process that sleeps in the call that moves a file out of the staging folder moves none in after a repair") {
    inFolder { path =>
      write(path)
      val rows = read(path)
      until(path, "before the moves")(optimize(path, rewrite): Unit)
      val staged = new File(path, "_zorder/staging").listFiles.filterNot(_.getName.startsWith(".")).head.toPath
      val file = Files.walk(staged).iterator.asScala.filter(_.toString.endsWith(".staged")).next()
      // As the process has opened it, by no name.
      def opened(folder: LocalPath) = Files.newDirectoryStream(folder).asInstanceOf[SecureDirectoryStream[LocalPath]]
      val (from, to) = (opened(file.getParent), opened(new File(path, "p=0").toPath))
      try {
        damage(documents(path, ".json").head)
        repair(path)
        intercept[NoSuchFileException](from.move(file.getFileName, to, file.getFileName))
      } finally Seq(from, to).foreach(_.close())
      checkAnswer(spark.read.parquet(path), rows)
    }
  }

  test(
    "another statement has staged files, and a repair was interrupted that had given a verdict for its id only",
    LongTest) {
    inFolder { path =>
      write(path)
      val rows = read(path)
      until(path, "between the moves")(optimize(path, rewrite): Unit)
      val other = java.util.UUID.randomUUID.toString
      Files.createDirectories(new File(path, s"_zorder/staging/$other").toPath)
      val document = documents(path, ".json").head
      damage(document)
      val verdict = document.getName.replace(".json", s".$other.verdict")
      Files.writeString(new File(path, s"_zorder/log/$verdict").toPath, """{"moved":[]}""")
      requireMended(path, rows, other)
    }
  }

  test("nothing tells which files a rewrite has written") {
    inFolder { path =>
      write(path)
      until(path, "between the moves")(optimize(path, rewrite): Unit)
      damage(documents(path, ".json").head)
      org.apache.spark.network.util.JavaUtils.deleteRecursively(new File(path, "_zorder/staging"))
      val before = state(path)
      refused(s"FSCK REPAIR TABLE parquet.`$path`", "ZORDER_CANNOT_REPAIR", "55000", "reason" -> "nothing is left")
      assert(state(path) == before)
    }
  }

  test("entries of several logs without an id") {
    inFolder { path =>
      write(path)
      optimize(path, rewrite)
      val log = new File(path, "_zorder/log")
      Files.writeString(new File(log, f"${2}%020d.other.json").toPath, "{}")
      damage(new File(log, "0.id"), _ => "")
      refused(s"FSCK REPAIR TABLE parquet.`$path`", "ZORDER_CANNOT_REPAIR", "55000", "reason" -> "several logs")
    }
  }

  test("a table of the catalog without partitions, with values that are hard to compare", LongTest) {
    withTable("hard") {
      inFolder { path =>
        spark.sql(
          s"""CREATE TABLE hard (id BIGINT, m MAP<STRING, INT>, d DOUBLE, s STRUCT<x: ARRAY<INT>>)
             |USING parquet LOCATION '$path'""".stripMargin)
        spark.sql(
          """INSERT INTO hard SELECT /*+ REPARTITION(9) */ id % 300, map('k', cast(id AS INT) % 7),
            |  IF(id % 3 = 0, double('NaN'), -0.0D), named_struct('x', IF(id % 5 = 0, NULL, array(1, NULL)))
            |FROM range(900)""".stripMargin)
        val rows = spark.table("hard").collect().toSeq
        until(path, "after the verdict")(
          spark.sql("OPTIMIZE hard ZORDER BY (id, d) OPTIONS (target_file_size = '4k')").collect(): Unit)
        verdict.flatMap(documents(path, _)).foreach(damage(_))
        spark.sql("FSCK REPAIR TABLE hard").collect()
        spark.catalog.refreshTable("hard")
        checkAnswer(spark.table("hard"), rows)
        checkAnswer(spark.read.parquet(path), rows)
      }
    }
  }

  test("a folder that is no partition of the catalog is not passed over", LongTest) {
    withTable("dropped") {
      inFolder { path =>
        write(path)
        val rows = read(path)
        until(path, "after the verdict")(optimize(path, rewrite): Unit)
        verdict.flatMap(documents(path, _)).foreach(damage(_))
        spark.sql(s"CREATE TABLE dropped USING parquet LOCATION '$path'")
        spark.sql("MSCK REPAIR TABLE dropped")
        spark.sql("ALTER TABLE dropped DROP PARTITION (p = 1)")
        refused("FSCK REPAIR TABLE dropped", "ZORDER_CANNOT_REPAIR", "55000", "reason" -> "MSCK REPAIR TABLE")
        spark.sql("MSCK REPAIR TABLE dropped")
        spark.sql("FSCK REPAIR TABLE dropped").collect()
        requireSame(path, rows, "a partition that came back")
      }
    }
  }

  test("a RESTORE that was interrupted, and a rewrite that keeps old files", LongTest) {
    inFolder { path =>
      write(path)
      val rows = read(path)
      val keeping = "ZORDER BY (a, b) OPTIONS (target_file_size = '4k', keep_old = '7 days')"
      until(path, "half of the old files deleted")(optimize(path, keeping): Unit)
      damage(documents(path, ".verdict").head)
      requireMended(path, rows, "old files that are kept")
      optimize(path, s"${keeping.dropRight(1)}, force = true)")
      val last = spark.sql(s"DESCRIBE REWRITES parquet.`$path`").collect().map(_.getLong(0)).max
      until(path, "after a move")(
        spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE $last").collect(): Unit)
      damage(documents(path, ".json").last)
      requireMended(path, rows, "RESTORE")
    }
  }
}
