// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path => JavaPath}
import java.util.regex.{Matcher, Pattern}

import io.delta.tables.{DeltaTable => DeltaTableApi}
import io.sparkzorder.{LongSuite, QuickLocalFileSystem, TestedSpark}
import io.sparkzorder.errors.{ZOrderAnalysisException, ZOrderRuntimeException}
import io.sparkzorder.format.CommitOutcome

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.delta.{DeltaColumnMapping, DeltaLog}
import org.apache.spark.sql.functions.{col, expr}

/** What Delta tables have beyond rows in files, and what concurrent writers do to them. */
class DeltaRewriteSuite extends QueryTest with DeltaRewriting with LongSuite {

  override protected def generatedCode: Boolean = true

  override protected def verifiesChecksums: Boolean = true

  private def metrics(result: Row): Row = result.getStruct(1)

  test("a store that lists milliseconds, and tells whole seconds of a file") {
    withTempDir { dir =>
      val path = new java.io.File(dir, "t").getCanonicalPath
      withSQLConf("fs.file.impl" -> classOf[WholeSeconds].getName, "fs.file.impl.disable.cache" -> "true") {
        events(1000).repartition(3).write.format("delta").save(path)
        val commit = new java.io.File(path, "_delta_log/00000000000000000000.json")
        assert(commit.setLastModified(commit.lastModified / 1000 * 1000 + 537))
        DeltaLog.clearCache()
        assert(
          sql(s"OPTIMIZE delta.`$path` ZORDER BY (a, b)").head().getAs[Row](1).getAs[Long]("numFilesRemoved") === 3)
      }
    }
  }

  test("deletion vectors are purged, the deleted rows stay deleted") {
    withTable("t") {
      createTable("t", events(1000), files = 2, properties = Map("delta.enableDeletionVectors" -> "true"))
      sql("DELETE FROM t WHERE id % 10 = 0")
      assert(filesOf("t").exists(_.deletionVector != null))
      val result = keepingRows("t")(optimize("t", "a, b", files = 4))
      assert(filesOf("t").forall(_.deletionVector == null))
      assert(filesOf("t").flatMap(_.numLogicalRecords).sum === 900)
      assert(metrics(result).getAs[Row]("deletionVectorStats") === Row(2L, 100L))
      assert(removed("t").forall(_.deletionVector != null))
      requireCurveOrder("t", "a", "b")
      // All rows of a file deleted
      sql("DELETE FROM t")
      keepingRows("t")(optimize("t", "a, b", files = 4))
      assert(spark.table("t").isEmpty)
    }
  }

  test("days that the old calendar lacks stay where the session writes by it") {
    withTable("t") {
      createTable("t", spark.range(31).selectExpr("id AS a", "DATE'1582-10-01' + CAST(id AS INT) AS day"))
      withSQLConf(
        "spark.sql.parquet.datetimeRebaseModeInWrite" -> "LEGACY",
        // java.sql.Date lacks them, too.
        "spark.sql.datetime.java8API.enabled" -> "true"
      )(keepingRows("t")(optimize("t", "a, day", files = 2)))
    }
  }

  // Settings and properties that would change rows

  test("deleted rows do not come back where a session lacks Delta's extension, which alone applies deletion vectors") {
    for ((feature, change) <-
        Seq("delta.enableDeletionVectors" -> "DELETE FROM t WHERE id < 10", "delta.enableRowTracking" -> ""))
      withTable("t") {
        createTable("t", events(100), files = 1, properties = Map(feature -> "true"))
        if (change.nonEmpty) sql(change)
        val statement = s"OPTIMIZE delta.`${log("t").dataPath.toUri.getPath}` ZORDER BY (a, b)"
        val bare = sparkConf.set("spark.sql.extensions", sessionExtensions.last)
        val e = changingNothing("t") {
          withSession(bare)(other => intercept[ZOrderAnalysisException](other.sql(statement).collect()))
        }
        assert(e.getCondition === "ZORDER_WITHOUT_DELTA_EXTENSION" && e.getMessage.contains("spark.sql.extensions"))
        keepingRows("t")(sql(statement))
      }
  }

  test("files that spell a column otherwise keep its values where the session tells cases apart") {
    withTempDir { dir =>
      val path = new java.io.File(dir, "t").getCanonicalPath
      for (name <- Seq("ID", "id")) spark.range(50).toDF(name).write.mode("append").parquet(path)
      sql(s"CONVERT TO DELTA parquet.`$path`")
      val name = spark.read.format("delta").load(path).columns.head
      withSQLConf("spark.sql.caseSensitive" -> "true")(sql(s"OPTIMIZE delta.`$path` ZORDER BY ($name)").collect())
      assert(spark.read.format("delta").load(path).where(s"$name IS NOT NULL").count() === 100)
    }
  }

  test("timestamps are not cut to milliseconds, whatever property or setting asks for these") {
    val asked = "spark.sql.parquet.outputTimestampType"
    val cases = Seq(
      (asked, "TIMESTAMP_MILLIS", true),
      (asked, "TIMESTAMP_MILLIS", false),
      ("Spark.SQL.parquet.outputTimestampType", "INT96", true),
      ("delta.parquet.format.version", "2.12.0", true),
      ("delta.parquet.format.version", "2.12.0", false)
    )
    for ((property, value, encoder) <- cases) withTable("t") {
      createTable("t", spark.range(50).selectExpr("id AS a", "timestamp_micros(id * 1001) AS at"))
      sql(s"ALTER TABLE t SET TBLPROPERTIES ('$property' = '$value')")
      withSQLConf(
        "spark.databricks.delta.table.parquetV2.timestampOutputType" -> "TIMESTAMP_MILLIS",
        "spark.sql.zorder.optimize.encoder" -> encoder.toString
      )(keepingRows("t")(optimize("t", "a, at", files = 2)))
    }
  }

  test("a struct whose old fields are gone does not become NULL") {
    withTable("t") {
      createTable(
        "t",
        spark.range(50).selectExpr("id AS k", "named_struct('a', id) AS s"),
        properties = Map("delta.columnMapping.mode" -> "name"))
      sql("ALTER TABLE t ADD COLUMN s.b INT")
      sql("ALTER TABLE t DROP COLUMN s.a")
      def rewrite() = withSQLConf("spark.sql.legacy.parquet.returnNullStructIfAllFieldsMissing" -> "true") {
        optimize("t", "k", files = 2)
      }
      if (TestedSpark.isAtLeast("4.1")) {
        rewrite()
        assert(spark.table("t").where("s IS NULL").isEmpty)
      } else {
        val before = filesOf("t")
        val refused = intercept[ZOrderAnalysisException](rewrite())
        assert(refused.getCondition === "ZORDER_STRUCTS_WITHOUT_FIELDS" && filesOf("t") === before)
        // Without a struct nothing can be taken for NULL.
        sql("ALTER TABLE t DROP COLUMN s")
        keepingRows("t")(rewrite())
      }
    }
  }

  test("column mapping by name: columns renamed and dropped") {
    assume(TestedSpark.isAtLeast("4.1"), "Spark 4.0 reads structs of fields that are gone as NULL: the test above")
    withTable("t") {
      createTable(
        "t",
        events(1000).selectExpr("id", "a", "c", "struct(b AS x, id AS y) AS s", "day"),
        partitionBy = Seq("day"),
        properties = Map("delta.columnMapping.mode" -> "name")
      )
      sql("ALTER TABLE t RENAME COLUMN a TO `new a`")
      sql("ALTER TABLE t RENAME COLUMN s.x TO z")
      sql("ALTER TABLE t RENAME COLUMN day TO date")
      sql("ALTER TABLE t DROP COLUMN id")
      val result = keepingRows("t")(optimize("t", "`new a`, s.z", files = 4, where = "date > '2024-01-01'"))
      val schema = snapshot("t").schema
      val inner = schema("s").dataType.asInstanceOf[org.apache.spark.sql.types.StructType]("z")
      requireCurveOrder(
        "t",
        s"`${DeltaColumnMapping.getPhysicalName(schema("new a"))}`",
        s"`${DeltaColumnMapping.getPhysicalName(schema("s"))}`.`${DeltaColumnMapping.getPhysicalName(inner)}`"
      )
      assert(result.getSeq[Row](2).map(_.getString(0)) === Seq("`new a`", "s.z"))
      val described = sql("DESCRIBE LAYOUT t ON (`new a`, s.z)").collect()
      assert(described.forall(r => r.getAs[String]("min") != null && r.getAs[Double]("point_read_share") < 1.0))
      assert(sql("DESCRIBE LAYOUT EXTENDED t ON (s.z)").select("partition").head().getString(0).startsWith("date="))
    }
  }

  test("row tracking: ids and commit versions stay with their rows") {
    withTable("t") {
      createTable("t", events(600), properties = Map("delta.enableRowTracking" -> "true"))
      events(100).selectExpr("id + 1000 AS id", "a", "b", "c", "day").writeTo("t").append()
      def ids = spark.table("t").select("id", "_metadata.row_id", "_metadata.row_commit_version").collect().toSeq
      val before = ids
      keepingRows("t")(optimize("t", "a, b", files = 3))
      checkAnswer(spark.table("t").select("id", "_metadata.row_id", "_metadata.row_commit_version"), before)
      optimize("t", "b, c", files = 3)
      checkAnswer(spark.table("t").select("id", "_metadata.row_id", "_metadata.row_commit_version"), before)
    }
  }

  test("generated columns, identity, defaults, NOT NULL and CHECK constraints") {
    withTable("t") {
      DeltaTableApi
        .create(spark)
        .tableName("t")
        .addColumn("id", "BIGINT", nullable = false)
        .addColumn("a", "INT")
        .addColumn(DeltaTableApi.columnBuilder(spark, "g").dataType("INT").generatedAlwaysAs("a * 2").build())
        .addColumn(DeltaTableApi.columnBuilder(spark, "n").dataType("BIGINT").generatedAlwaysAsIdentity().build())
        .addColumn(DeltaTableApi.columnBuilder(spark, "p").dataType("INT").generatedAlwaysAs("a % 3").build())
        .partitionedBy("p")
        .execute()
      sql("ALTER TABLE t ADD CONSTRAINT positive CHECK (a >= 0)")
      events(600).select("id", "a").write.format("delta").mode("append").saveAsTable("t")
      keepingRows("t")(optimize("t", "g, n", files = 6))
      requireCurveOrder("t", "g", "n")
      keepingRows("t")(optimize("t", "a", files = 6, where = "p = 1"))
      // What was declared goes on working.
      spark.range(5000, 5010).selectExpr("id", "7 AS a").write.format("delta").mode("append").saveAsTable("t")
      checkAnswer(sql("SELECT DISTINCT g, p FROM t WHERE id >= 5000"), Row(14, 1))
      assert(spark.table("t").select("n").distinct().count() === 610)
      intercept[Exception](sql("INSERT INTO t (id, a) VALUES (1, -1)"))
    }
  }

  test("the change data feed tells of no change") {
    withTable("t") {
      createTable("t", events(300), properties = Map("delta.enableChangeDataFeed" -> "true"))
      keepingRows("t")(optimize("t", "a, b", files = 2))
      checkAnswer(sql(s"SELECT * FROM table_changes('t', ${version("t")})"), Nil)
    }
  }

  test("tables whose log has no statistics") {
    withTable("t") {
      withSQLConf("spark.databricks.delta.stats.collect" -> "false") {
        createTable("t", events(1000))
        assert(filesOf("t").forall(_.numLogicalRecords.isEmpty))
        keepingRows("t")(optimize("t", "a, b", files = 4))
        assert(filesOf("t").size > 2)
      }
      // With statistics from now on
      keepingRows("t")(optimize("t", "a, b", files = 4))
      assert(filesOf("t").flatMap(_.numLogicalRecords).sum === 1000)
      requireCurveOrder("t", "a", "b")
    }
  }

  /** Rewrites the text of the first commit, as a careless writer might have written it. */
  private def editLog(table: String)(edit: String => String): Unit = {
    val folder = JavaPath.of(log(table).logPath.toUri)
    folder.toFile.listFiles.filter(_.getName.endsWith(".crc")).foreach(_.delete())
    val first = folder.resolve("00000000000000000000.json")
    Files.write(first, edit(new String(Files.readAllBytes(first), UTF_8)).getBytes(UTF_8))
    DeltaLog.clearCache()
  }

  for ((name, records) <- Seq("too few" -> "1", "too many" -> "100000", "none" -> "0"))
    test(s"numbers of records in the log that are wrong, $name: all rows stay, and nothing fails") {
      withTable("t") {
        createTable("t", events(1000))
        val count = "\\\"numRecords\\\":"
        editLog("t")(_.replaceAll(Pattern.quote(count) + "[0-9]+", Matcher.quoteReplacement(count + records)))
        assert(filesOf("t").flatMap(_.numLogicalRecords).toSet === Set(records.toLong))
        assert(spark.table("t").collect().length === 1000)
        keepingRows("t")(optimize("t", "a, b", files = 4))
        assert(filesOf("t").flatMap(_.numLogicalRecords).sum === 1000)
      }
    }

  for (ignore <- Seq(false, true))
    test(s"a file that cannot be read fails the statement, and nothing changes (ignoring such files: $ignore)") {
      withTable("t") {
        createTable("t", events(500))
        val broken = JavaPath.of(new Path(locationOf("t", filesOf("t").head)).toUri.getPath)
        Files.write(broken, "no Parquet".getBytes(UTF_8))
        Files.deleteIfExists(broken.resolveSibling(s".${broken.getFileName}.crc"))
        val before = (version("t"), filesOf("t").map(_.path))
        val settings =
          Seq("spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles").map(_ -> ignore.toString)
        withSQLConf(settings: _*)(intercept[Exception](optimize("t", "a, b", files = 4)))
        assert((version("t"), filesOf("t").map(_.path)) === before)
        Files.delete(broken)
        withSQLConf(settings: _*)(intercept[Exception](optimize("t", "a, b", files = 4)))
        assert((version("t"), filesOf("t").map(_.path)) === before)
      }
    }

  // While another writes

  /** All that was read is as another left it, and why. */
  private def requireRefused(outcome: CommitOutcome): Unit = {
    assert(outcome.added.isEmpty && outcome.conflict.map(_.partitions.size) === Some(1))
    assert(outcome.conflict.get.cause.isInstanceOf[java.util.ConcurrentModificationException])
  }

  test("rows appended concurrently stay as they are") {
    withTable("t") {
      createTable("t", events(300))
      val more = events(100).selectExpr("id + 1000 AS id", "a", "b", "c", "day")
      val expected = events(300).union(more).collect().toSeq
      rewriting("t")(more.writeTo("t").append())
      checkAnswer(spark.table("t"), expected)
      assert(
        lastCommit("t").nonEmpty && sql("DESCRIBE HISTORY t LIMIT 1").head().getAs[String]("operation") === "OPTIMIZE")
      // And again, in a table whose partition is being rewritten
      sql("CREATE TABLE p USING delta PARTITIONED BY (day) AS SELECT * FROM t")
      withTable("p") {
        rewriting("p", Some("day = '2024-01-02'"))(sql("DELETE FROM p WHERE day = '2024-01-01'"))
        checkAnswer(spark.table("p"), expected.filter(_.getDate(4).toString != "2024-01-01"))
      }
    }
  }

  test("rows deleted concurrently are a conflict: they do not come back") {
    for (vectors <- Seq(true, false)) withTable("t") {
      createTable("t", events(300), properties = Map("delta.enableDeletionVectors" -> vectors.toString))
      requireRefused(rewriting("t")(sql("DELETE FROM t WHERE id < 10")))
      checkAnswer(spark.table("t"), events(300).where("id >= 10"))
    }
  }

  test("a schema changed concurrently is a conflict") {
    withTable("t") {
      createTable("t", events(300))
      requireRefused(rewriting("t")(sql("ALTER TABLE t ADD COLUMN more INT")))
      assert(spark.table("t").select(col("more"), expr("count(*) over ()")).head() === Row(null, 300L))
    }
  }

  test("a partition in which rows were deleted concurrently stays as it is, the others are rewritten") {
    for (vectors <- Seq(true, false)) withTable("t") {
      createTable(
        "t",
        events(300),
        partitionBy = Seq("day"),
        properties = Map("delta.enableDeletionVectors" -> vectors.toString))
      val outcome = rewriting("t")(sql("DELETE FROM t WHERE day = '2024-01-02' AND id < 100"))
      assert(outcome.conflict.get.partitions.size === 1)
      assert(outcome.added.map(_.partitionName).distinct.sorted === Seq("day=2024-01-01", "day=2024-01-03"))
      assert(added("t").map(_.path).sorted === outcome.added.map(_.path).sorted)
      checkAnswer(spark.table("t"), events(300).where("NOT (day = '2024-01-02' AND id < 100)"))
    }
  }

  test("an append to a table with an identity column is no conflict") {
    withTable("t") {
      sql("CREATE TABLE t (n BIGINT GENERATED ALWAYS AS IDENTITY, a INT) USING delta")
      sql("INSERT INTO t (a) SELECT a FROM " + "(SELECT explode(sequence(1, 50)) AS a)")
      val outcome = rewriting("t")(sql("INSERT INTO t (a) VALUES (51)"))
      assert(outcome.conflict === None && outcome.added.nonEmpty)
      sql("INSERT INTO t (a) VALUES (52)")
      assert(spark.table("t").select("n").distinct().count() === 52)
      checkAnswer(spark.table("t").select("a"), (1 to 52).map(Row(_)))
    }
  }

  test("a table deleted and recreated, with as many versions, is left alone") {
    withTable("t") {
      createTable("t", events(300))
      val folder = log("t").dataPath.toString
      val e = intercept[ZOrderRuntimeException](rewriting("t") {
        JavaUtils.deleteRecursively(new java.io.File(log("t").dataPath.toUri))
        events(20).write.format("delta").save(folder)
      })
      assert(e.getCondition === "ZORDER_TABLE_CHANGED" && e.getMessage.contains("t"))
      DeltaLog.clearCache()
      checkAnswer(spark.table("t"), events(20))
    }
  }

  test("two rewrites of one table: the second to commit is refused") {
    withTable("t") {
      createTable("t", events(300))
      requireRefused(rewriting("t")(optimize("t", "b", files = 2)))
      checkAnswer(spark.table("t"), events(300))
    }
  }
}

/** As MinIO does: its listings have the milliseconds. */
class WholeSeconds extends QuickLocalFileSystem {

  override def getFileStatus(path: Path): FileStatus = {
    val s = super.getFileStatus(path)
    val seconds = s.getModificationTime / 1000 * 1000
    new FileStatus(s.getLen, s.isDirectory, s.getReplication.toInt, s.getBlockSize, seconds, s.getPath)
  }
}
