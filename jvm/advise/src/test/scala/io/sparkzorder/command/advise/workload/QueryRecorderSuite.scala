// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import java.io.File
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import io.sparkzorder.{DailyTest, LongSuite}
import io.sparkzorder.command.advise.AdviceSession

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.hadoop.conf.Configuration
import org.apache.logging.log4j.Level

import org.apache.spark.sql.{AnalysisException, QueryTest}
import org.apache.spark.sql.zorder.SparkInternals

/** `spark.sql.zorder.advise.record`: what is written, when nothing is, and what ADVISE LAYOUT makes of it. */
class QueryRecorderSuite extends QueryTest with AdviceSession with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "off by default: nobody listens, and nothing is written",
    "columns and comparisons are written, and no value",
    "a folder that cannot be written fails no query, and is said once"
  )

  private val Key = "spark.sql.zorder.advise.record"

  private def files(folder: File): Seq[File] =
    Option(folder.listFiles).toSeq.flatten.filter(_.getName.endsWith(Recording.Suffix)).sortBy(_.getName)

  private def linesOf(folder: File): Seq[String] = {
    Recording.writeAll()
    files(folder).flatMap(f => Files.readAllLines(f.toPath).asScala)
  }

  private def recorded(folder: File): Seq[JsonNode] = linesOf(folder).map(new ObjectMapper().readTree(_))

  private def times(folder: File): Seq[Int] = recorded(folder).map(_.path("times").asInt)

  /** Runs queries, and waits until Spark has told its listeners of them. */
  private def record(folder: File, values: Boolean = false)(queries: String*): Unit =
    withSQLConf(Key -> folder.getPath, s"${Key}Values" -> values.toString)(jobsOf(queries.foreach(sql(_).collect())))

  private def reason(folder: String): String = {
    val e = intercept[AnalysisException](sql(s"ADVISE LAYOUT t OPTIONS (recording = '$folder')").collect())
    assert(e.getCondition === "ZORDER_RECORDING" && e.getSqlState === "22023")
    e.getMessageParameters.get("reason")
  }

  // What is written

  test("off by default: nobody listens, and nothing is written")(withEvents {
    withTempDir { dir =>
      val other = spark.newSession()
      jobsOf { other.sql("SELECT * FROM t WHERE a = 5").collect(); () }
      assert(!SparkInternals.queryListeners(other).exists(_.isInstanceOf[QueryRecorder]))
      record(dir)("SELECT * FROM t WHERE a = 5")
      jobsOf { sql("SELECT * FROM t WHERE a = 6").collect(); () }
      assert(times(dir) === Seq(1))
    }
  })

  test("a link in the file's place is not followed")(withEvents {
    withTempDir { dir =>
      record(dir)("SELECT * FROM t WHERE a = 5")
      assert(linesOf(dir).size === 1)
      val victim = Files.writeString(Files.createTempFile("precious", ""), "precious")
      val file = files(dir).head.toPath
      Files.delete(file)
      Files.createSymbolicLink(file, victim)
      record(dir)("SELECT * FROM t WHERE b = 5")
      assert(linesOf(dir).size === 2 && !Files.isSymbolicLink(file))
      assert(Files.readString(victim) === "precious")
      Files.delete(victim)
    }
  })

  test("a file of a partition that is read alone tells no value")(withTempDir { dir =>
    withTempDir { data =>
      val path = s"${data.getPath}/t"
      events(500).write.partitionBy("day").parquet(path)
      val one = new File(path).listFiles.filter(_.isDirectory).flatMap(_.listFiles)
        .find(_.getName.endsWith(".parquet")).get
      record(dir)(s"SELECT * FROM parquet.`$one` WHERE a = 5")
      assert(recorded(dir).map(_.path("folder").asText) === Seq(s"file:$path"))
    }
  })

  test("a session that goes from one folder to another and back has a file in each")(withEvents {
    withTempDir(one =>
      withTempDir { other =>
        for (_ <- 0 until 3; folder <- Seq(one, other)) record(folder)("SELECT * FROM t WHERE a = 5")
        assert(times(one) === Seq(3) && times(other) === Seq(3))
      })
  })

  test("columns and comparisons are written, and no value") {
    withTable("t", "p") {
      createTable("t", events(500), files = 2, partitionBy = Seq("day"))
      events(500).write.partitionBy("day").format("parquet").saveAsTable("p")
      for (table <- Seq("t", "p")) withTempDir { dir =>
        def query(day: Int, users: String, low: Int) =
          s"SELECT id FROM $table WHERE day = '2024-01-0$day' AND c IN ($users) AND a BETWEEN $low AND ${low + 567}"
        record(dir)(
          query(2, "'user-7', 'user-8', 'user-9'", 123),
          query(3, "'user-1', 'user-2', 'user-3'", 98),
          s"SELECT count(*) FROM $table WHERE c LIKE 'user-4%' AND length(c) > 6"
        )
        assert(times(dir) === Seq(2, 1))
        assert(recorded(dir).forall(_.path("folder").textValue.endsWith(s"/$table")))
        val text = linesOf(dir).mkString
        for (filter <- Seq(
            """["=",["column","day"],["value","DATE"]]""",
            """["in",["column","c"],"STRING",3]""",
            """[">=",["column","a"],["value","INT"]]""",
            """["<=",["column","a"],["value","INT"]]""",
            """["prefix",["column","c"],["value","STRING"]]"""
          )) assert(text.contains(filter), text)
        for (value <- Seq("2024", "-0", "user", "123", "690", "98", "665")) assert(!text.contains(value), text)
      }
    }
  }

  test("what no filter on a column of a table selects is not written")(withEvents {
    withTempDir { dir =>
      val csv = new File(dir, "csv").getPath
      events(10).write.csv(csv)
      // Spark itself filters by deletion vectors then.
      sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
      sql("DELETE FROM t WHERE id = 5").collect()
      record(dir)(
        "SELECT * FROM t",
        "SELECT * FROM t WHERE length(c) > 3",
        "DESCRIBE LAYOUT t",
        "ADVISE LAYOUT t FOR (SELECT * FROM t WHERE a = 5)",
        "OPTIMIZE t ZORDER BY (a)",
        s"SELECT * FROM csv.`$csv` WHERE _c0 = '5'",
        "SELECT 1"
      )
      assert(linesOf(dir) === Nil)
    }
  })

  test("each table of a query has a line, also where a statement writes") {
    withTable("t", "u", "w") {
      createTable("t", events(500), files = 2)
      events(500).write.format("parquet").saveAsTable("u")
      withTempDir { dir =>
        record(dir)(
          "SELECT t.id FROM t JOIN u ON t.id = u.id WHERE t.a = 5 AND u.c = 'user-7'",
          "CREATE TABLE w USING parquet AS SELECT id FROM u WHERE a > 900",
          "MERGE INTO t USING (SELECT id FROM u WHERE b < 3) s ON t.id = s.id AND t.a = 4 WHEN MATCHED THEN DELETE"
        )
        val (ofU, ofT) = recorded(dir).partition(_.path("folder").textValue.endsWith("/u"))
        assert(ofT.nonEmpty && ofT.forall(_.path("folder").textValue.endsWith("/t")), ofT)
        for (column <- Seq("a", "b", "c")) assert(ofU.exists(_.toString.contains(s"""["column","$column"]""")), ofU)
      }
    }
  }

  // Bounds and failures

  test("a file has at most 1,000 different queries, and one mebibyte") {
    withTempDir { dir =>
      def write(name: String, lines: Iterable[String]): File = {
        val recording = new Recording(new File(dir, name).getPath, new Configuration)
        lines.foreach(recording.add)
        recording.write()
        files(new File(dir, name)).head
      }
      val some = (1 to 1500).map(n => s"""{"folder":"/t$n","scans":[]}""")
      val many = Files.readAllLines(write("many", some ++ some).toPath).asScala
      assert(many === some.take(1000).map(line => s"""{"times":2,${line.drop(1)}"""))
      val long = write("long", (1 to 100).map(n => s"""{"folder":"/${"é" * 10000}$n","scans":[]}"""))
      assert(long.length > (1 << 20) - 30000 && long.length <= (1 << 20))
    }
  }

  test("a folder that cannot be written fails no query, and is said once", DailyTest)(withEvents {
    withTempDir { dir =>
      val file = new File(dir, "file")
      Files.writeString(file.toPath, "mine")
      val log = new LogAppender("of recordings")
      withLogAppender(log, level = Some(Level.WARN)) {
        for (folder <- Seq(new File(file, "sub"), new File("nowhere://x/y"), file); a <- 5 to 7) {
          record(folder)(s"SELECT count(*) FROM t WHERE a = $a", s"SELECT count(*) FROM t WHERE a > $a")
          Recording.writeAll()
        }
      }
      val said = log.loggingEvents.map(_.getMessage.getFormattedMessage).filter(_.contains("could not be recorded"))
      assert(said.size === 3 && Files.readString(file.toPath) === "mine")
    }
  })

  test("sessions at the same time write files of their own")(withEvents {
    withTempDir { dir =>
      jobsOf {
        val threads = (1 to 3).map { i =>
          val session = spark.newSession()
          session.conf.set(Key, dir.getPath)
          new Thread(() => (1 to i).foreach(n => session.sql(s"SELECT id FROM t WHERE a = $n").collect()))
        }
        threads.foreach(_.start())
        threads.foreach(_.join())
      }
      assert(times(dir).sorted === Seq(1, 2, 3) && files(dir).size === 3)
    }
  })

  // Advice

  private val workload = Seq(
    "SELECT * FROM %t WHERE a = 5",
    "SELECT id FROM %t WHERE a BETWEEN 10 AND 20 AND day = '2024-01-02'",
    "SELECT * FROM %t WHERE c IN ('user-3', 'user-4') AND b > 500",
    "SELECT x.id FROM %t x JOIN %t y ON x.id = y.id WHERE x.b < 10 AND y.c LIKE 'user-1%'"
  )

  test("with values a recording gives the advice that the queries give") {
    withTable("t") {
      createTable("t", events(6000), files = 4, partitionBy = Seq("day"))
      withTempDir { dir =>
        val path = new File(dir, "p").getPath
        events(6000).repartition(8).write.parquet(path)
        for ((table, i) <- Seq("t", s"parquet.`$path`").zipWithIndex) {
          val folder = new File(dir, s"recorded$i")
          val queries = workload.map(_.replace("%t", table))
          record(folder, values = true)(queries: _*)
          val asked = advice(s"FOR ${queries.mkString("(", "), (", ")")} OPTIONS (target_file_size = '8k')", table)
          assert(advice(s"OPTIONS (recording = '$folder', target_file_size = '8k')", table) === asked)
        }
      }
    }
  }

  test("without values it gives advice by values as they are among the rows") {
    withTable("t") {
      createTable("t", events(6000), files = 4, partitionBy = Seq("day"))
      withTempDir { dir =>
        record(dir)(workload.map(_.replace("%t", "t")): _*)
        val row = advice(s"OPTIONS (recording = '$dir', target_file_size = '8k')").head
        assert(columns(row).toSet.subsetOf(Set("a", "b", "c")) && row.getAs[Double]("read_share") < 0.7)
      }
      // One day of three, and of its 8 files about one.
      withTempDir { dir =>
        record(dir)("SELECT * FROM t WHERE a = 5 AND day = '2024-01-01'")
        val row = advice(s"OPTIONS (recording = '$dir', ${targetSize(24)})").head
        assert(columns(row) === Seq("a") && row.getAs[Double]("read_share") < 0.1)
        assert(math.abs(row.getAs[Double]("read_share_now") - 1.0 / 3) < 0.05)
      }
    }
  }

  test("how often queries ran counts, and so do queries that are given beside them")(withEvents {
    withTempDir { dir =>
      record(dir)(Seq.fill(4)("SELECT id FROM t WHERE a = 5") :+ "SELECT id FROM t WHERE c = 'user-3'": _*)
      def first(rest: String) = columns(advice(s"$rest OPTIONS (recording = '$dir', ${targetSize(16)})").head).head
      assert(first("") === "a")
      assert(first(s"FOR ${Seq.fill(40)("(SELECT id FROM t WHERE c = 'user-3')").mkString(", ")}") === "c")
    }
  })

  test("recordings that tell nothing, event logs for one")(withEvents {
    withTempDir { dir =>
      assert(reason(s"$dir/none") === "there is nothing that could be read")
      assert(reason(dir.getPath) === "there is no recording in it")
      Files.writeString(new File(dir, "app-1").toPath, """{"Event":"SparkListenerSQLExecutionStart"}""")
      assert(reason(dir.getPath) === "there is no recording in it")
      assert(reason(s"$dir/app-1") === "there is no recording in it")
      val other = """{"times":1,"folder":"/elsewhere","scans":[[["=",["column","a"],["value","INT"]]]]}"""
      Files.writeString(new File(dir, s"x${Recording.Suffix}").toPath, s"$other\n{cut")
      assert(reason(dir.getPath) === "it has no query of default.t with a filter")
    }
  })

  test("filters on columns that are gone are left out")(withEvents {
    withTempDir { dir =>
      record(dir)("SELECT id FROM t WHERE a = 5 AND c = 'user-3'", "SELECT id FROM t WHERE c = 'user-3'")
      sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
      sql("ALTER TABLE t DROP COLUMN c")
      val row = advice(s"OPTIONS (recording = '$dir', ${targetSize(16)})").head
      assert(
        columns(row) === Seq("a") && warnings(row).exists(_.contains("recorded filters do not fit the table")),
        warnings(row))
    }
  })
}
