// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.{DeltaSession, LongSuite}
import io.sparkzorder.command.WriterPlan
import io.sparkzorder.errors.ZOrderAnalysisException

import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.functions.expr

/** `OPTIMIZE ... ZORDER BY` on Delta tables: what it does to the files, and that it does nothing to the rows. */
class OptimizeCommandSuite extends QueryTest with DeltaSession with LongSuite {

  override protected def validatesPlans: Boolean = true

  override protected def generatedCode: Boolean = true

  /** Z-orders and checks what every run must keep: rows, order in files, files apart on the curve. */
  private def checked(table: String, columns: Seq[String], files: Int, where: String = ""): Row = {
    val result = keepingRows(table)(optimize(table, columns.mkString(", "), files, where))
    requireCurveOrder(table, columns: _*)
    result
  }

  test("a whole table: same rows, files near the number asked, each sorted along the curve") {
    withTable("t") {
      createTable("t", events(5000))
      checked("t", Seq("a", "b"), files = 8)
      assert(math.abs(filesOf("t").size - 8) <= 2)
      assert(filesOf("t").flatMap(_.numLogicalRecords).sum === 5000)
      checked("t", Seq("c", "b", "a"), files = 6)
      checked("t", Seq("b"), files = 6)
      checked("t", Seq("c"), files = 6)
    }
  }

  test("it reads fewer files for a point, and says so") {
    withTable("t") {
      createTable("t", events(5000), files = 8)
      val Row(path: String, _: Row, layout: scala.collection.Seq[_], summary: String) =
        optimize("t", "a, b", files = 16)
      assert(
        summary.matches(
          "a 100 % -> [0-9]+ %, b 100 % -> [0-9]+ % of files per point lookup; 8 -> 1[0-9] files; .* [kM]?B; .* s"),
        summary)
      assert(path === snapshot("t").dataPath.toString)
      assert(layout.map(_.asInstanceOf[Row].getString(0)) === Seq("a", "b"))
      layout.foreach { case Row(_, before: Double, after: Double, depthBefore: Double, depthAfter: Double) =>
        assert(before > 0.99 && after < 0.45)
        assert(depthBefore === 8.0 && depthAfter < 8.0)
      }
      val dry = sql("OPTIMIZE t ZORDER BY (a, b) DRY RUN").head().getAs[String]("summary")
      assert(
        dry.matches(
          "dry run, nothing was changed: a \\d+ % -> 100 %, .* of files per point lookup; 1[0-9] -> 1 file; " +
            ".* [kM]?B; all rows fit in one file .*"),
        dry
      )
      // The sample is the table, so that the share reported is the one that describe_layout finds.
      val described = this.layout("t", "a, b").select("point_read_share", "average_depth").collect()
      layout.map(_.asInstanceOf[Row]).zip(described).foreach { case (reported, found) =>
        assert(math.abs(reported.getDouble(2) - found.getDouble(0)) < 1e-9)
        assert(reported.getDouble(4) === found.getDouble(1))
      }
    }
  }

  test("partitions: none mixed, all of them in one commit, small ones in few tasks") {
    withTable("t") {
      createTable("t", events(3000), partitionBy = Seq("day"))
      val before = version("t")
      checked("t", Seq("a", "b"), files = 9)
      assert(version("t") === before + 1)
      assert(filesOf("t").groupBy(_.partitionValues).size === 3)
      assert(filesOf("t").groupBy(_.partitionValues).values.forall(_.size > 1))
    }
  }

  test("a predicate chooses partitions, and the others keep their files") {
    withTable("t") {
      createTable("t", events(3000), partitionBy = Seq("day"))
      val others = filesOf("t").filter(_.partitionValues("day") != "2024-01-02").map(_.path)
      val result = checked("t", Seq("a", "b"), files = 2, where = "DAY = '2024-01-02'")
      assert(result.getStruct(1).getAs[Long]("partitionsOptimized") === 1L)
      assert(others.forall(filesOf("t").map(_.path).contains))
      assert((added("t").map(_.partitionValues) ++ removed("t").map(_.partitionValues)).toSet ===
        Set(Map("day" -> "2024-01-02")))
      checked("t", Seq("b", "a"), files = 4, where = "day > '2024-01-01' AND day IS NOT NULL")
      assert(filesOf("t").count(_.partitionValues("day") == "2024-01-01") === 3)
    }
  }

  test("a predicate that chooses nothing changes nothing") {
    withTable("t") {
      createTable("t", events(300), partitionBy = Seq("day"))
      val result = changingNothing("t")(optimize("t", "a", files = 2, where = "day = '1999-01-01'"))
      assert(result.getStruct(1).getAs[Long]("numFilesAdded") === 0L)
      changingNothing("t")(optimize("t", "a", files = 2, where = "day IS NULL"))
      changingNothing("t")(optimize("t", "a", files = 2, where = "false"))
    }
  }

  test("several partition columns of awkward values") {
    withTable("t") {
      val data = spark
        .range(600)
        .selectExpr(
          "id",
          "cast(id % 7 as int) AS a",
          "CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN 'a/b=c%d' WHEN 2 THEN 'it''s ' WHEN 3 THEN '\u00fc\ud83d\ude00' ELSE 'x' END AS s",
          "if(id % 2 = 0, TIMESTAMP'2024-03-31 01:30:00.123456', NULL) AS t",
          "cast(id % 3 as decimal(20, 2)) AS d",
          "if(id % 3 = 0, double('NaN'), -0.5D) AS f",
          "id % 2 = 0 AS bool"
        )
      createTable("t", data, files = 2, partitionBy = Seq("s", "t", "d", "f", "bool"))
      for (zone <- Seq("America/Los_Angeles", "Asia/Kolkata")) withSQLConf("spark.sql.session.timeZone" -> zone) {
        checked("t", Seq("a", "id"), files = 1)
        assert(filesOf("t").size === filesOf("t").map(_.partitionValues).distinct.size)
      }
      checked("t", Seq("id"), files = 1, where = "s = 'a/b=c%d'")
      checked("t", Seq("id"), files = 1, where = "s IS NULL AND bool")
    }
  }

  test("two hundred partitions of twenty rows in a few tasks, one file each") {
    withTable("t") {
      createTable("t", spark.range(4000).selectExpr("id", "id % 200 AS p", "id % 13 AS a"), 2, Seq("p"))
      keepingRows("t")(sql("OPTIMIZE t ZORDER BY (a, id)"))
      assert(filesOf("t").size === 200)
      requireCurveOrder("t", "a", "id")
      assert(WriterPlan.shuffleTasks <= 4 * sparkContext.defaultParallelism + 1)
    }
  }

  test("columns in structs, with dots, with back-quotes, in another case") {
    withTable("t") {
      createTable(
        "t",
        events(2000).selectExpr(
          "id",
          "struct(a AS Inner, struct(b AS `d.e`) AS deep) AS s",
          "c AS `x.y`",
          "a + 1 AS `back``tick`",
          "b AS Mixed"))
      checked("t", Seq("s.inner", "S.Deep.`D.E`"), files = 4)
      assert(lastHistory("t").getMap[String, String](1)("zOrderBy") === """["s.Inner","s.deep.`d.e`"]""")
      checked("t", Seq("`X.Y`", "`back``tick`", "MIXED"), files = 4)
      assert(lastHistory("t").getMap[String, String](1)("zOrderBy") === """["`x.y`","`back``tick`","Mixed"]""")
    }
  }

  private def lastHistory(table: String): Row =
    sql(s"DESCRIBE HISTORY $table LIMIT 1").select("operation", "operationParameters", "operationMetrics").head()

  test("the history tells the operation, the columns, the predicate and the metrics") {
    withTable("t") {
      createTable("t", events(2000), partitionBy = Seq("day"))
      val before = filesOf("t")
      optimize("t", "a, b", files = 6, where = "day >= '2024-01-02'")
      val Row(operation, parameters: Map[_, _], metrics: Map[_, _]) = lastHistory("t")
      assert(operation === "OPTIMIZE")
      val named = parameters.asInstanceOf[Map[String, String]]
      assert(named("zOrderBy") === """["a","b"]""")
      assert(named("predicate").contains("day") && named("predicate").contains("2024-01-02"))
      val counts = metrics.asInstanceOf[Map[String, String]].map { case (k, v) => k -> v.toLong }
      val sizes = added("t").map(_.size)
      assert(counts("numRemovedFiles") === before.count(_.partitionValues("day") != "2024-01-01"))
      assert(counts("numAddedFiles") === sizes.size && counts("numAddedBytes") === sizes.sum)
      assert(counts("minFileSize") === sizes.min && counts("maxFileSize") === sizes.max)
      assert(counts("numRemovedBytes") === removed("t").flatMap(_.size).sum)
      // As Delta itself names them.
      sql("OPTIMIZE t")
      assert(lastHistory("t").getMap[String, String](2).keySet === counts.keySet)
    }
  }

  test("nothing in the commit is a change of data") {
    withTable("t") {
      createTable("t", events(500))
      val before = filesOf("t").map(_.path)
      optimize("t", "a, b", files = 2)
      assert(added("t").nonEmpty && added("t").forall(!_.dataChange))
      assert(removed("t").map(_.path).sorted === before && removed("t").forall(!_.dataChange))
      assert(added("t").forall(_.numLogicalRecords.isDefined))
    }
  }

  test("the metrics") {
    withTable("t") {
      createTable("t", events(2000), partitionBy = Seq("day"))
      val before = filesOf("t").map(_.size)
      val result = optimize("t", "a, c", files = 6)
      val metrics = result.getStruct(1)
      val after = filesOf("t").map(_.size)
      def sizes(of: Seq[Long]) = Row(of.min, of.max, of.sum.toDouble / of.size, of.size.toLong, of.sum)
      assert(metrics.getAs[Long]("numFilesAdded") === after.size)
      assert(metrics.getAs[Long]("numFilesRemoved") === before.size)
      assert(metrics.getAs[Row]("filesAdded") === sizes(after))
      assert(metrics.getAs[Row]("filesRemoved") === sizes(before))
      assert(metrics.getAs[Long]("partitionsOptimized") === 3L)
      assert(metrics.getAs[Long]("totalConsideredFiles") === before.size)
      val input = Row(before.size.toLong, before.sum)
      assert(metrics.getAs[Row]("zOrderStats") === Row("all", Row(0L, 0L), input, 0L, input, 3L, null))
      assert(metrics.getAs[Any]("clusteringStats") === null && metrics.getAs[Any]("deletionVectorStats") === null)
      assert(metrics.getAs[Long]("startTimeMs") <= metrics.getAs[Long]("endTimeMs"))
      assert(metrics.getAs[Long]("numTableColumns") === 5L && metrics.getAs[Long]("numTableColumnsWithStats") === 4L)
    }
  }

  test("an empty table: zero metrics, no commit, no error") {
    withTable("t", "p") {
      sql("CREATE TABLE t (a INT, b STRING) USING delta")
      sql("CREATE TABLE p (a INT, b STRING) USING delta PARTITIONED BY (b)")
      for (table <- Seq("t", "p")) {
        val Row(_, metrics: Row, layout: scala.collection.Seq[_], summary: String) =
          changingNothing(table)(sql(s"OPTIMIZE $table ZORDER BY (a)").head())
        assert(metrics.getAs[Long]("numFilesAdded") === 0L && metrics.getAs[Long]("numFilesRemoved") === 0L)
        assert(summary === "Nothing to do: the table has no files.")
        assert(metrics.getAs[Row]("filesAdded") === Row(null, null, 0.0, 0L, 0L))
        assert(metrics.getAs[Long]("totalConsideredFiles") === 0L)
        assert(layout.isEmpty)
      }
    }
  }

  test("one row, one file, and files without a row") {
    withTable("t") {
      createTable("t", events(1), files = 1)
      checked("t", Seq("a", "b"), files = 1)
      assert(filesOf("t").size === 1)
      createOrReplaceEmptyFiles()
      checked("t", Seq("a", "b"), files = 1)
      // Far more files asked than there are rows.
      sql("OPTIMIZE t ZORDER BY (a, b) OPTIONS (target_file_size = 1)")
      assert(spark.table("t").count() === 1)
    }
  }

  /** Adds a file whose rows are all deleted in it, which is as empty as a Delta file gets. */
  private def createOrReplaceEmptyFiles(): Unit = {
    sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = true)")
    events(10).where("id > 0").coalesce(1).writeTo("t").append()
    sql("DELETE FROM t WHERE id > 0")
  }

  test("NULL everywhere, in one column and in all") {
    withTable("t") {
      createTable("t", events(500).selectExpr("id", "cast(NULL AS int) AS a", "if(id < 490, NULL, id) AS b", "c"))
      checked("t", Seq("a", "b"), files = 3)
      checked("t", Seq("a"), files = 3)
      checked("t", Seq("b", "c"), files = 3)
      assert(filesOf("t").size > 1)
    }
  }

  test("a value of nine rows in ten is spread over files of its own, which hold nothing else") {
    withTable("t") {
      val data = events(5000).selectExpr("id", "if(id % 10 > 0, 7, a) AS k", "c")
      createTable("t", data)
      checked("t", Seq("k"), files = 10)
      val files = spark.table("t").groupBy("_metadata.file_path").agg(
        expr("count_if(k = 7) AS heavy"),
        expr("count(*) AS rows")).collect()
      val heavy = files.filter(_.getLong(1) > 0)
      assert(heavy.length === 9)
      assert(heavy.forall(f => f.getLong(1) == f.getLong(2)))
      assert(heavy.map(_.getLong(2)).max < 1.5 * heavy.map(_.getLong(2)).min)
    }
  }

  test("a limit of records per file in the session does not split the files") {
    withTable("t") {
      createTable("t", events(4000))
      withSQLConf("spark.sql.files.maxRecordsPerFile" -> "10") {
        checked("t", Seq("a", "b"), files = 4)
        assert(filesOf("t").size <= 6)
      }
    }
  }

  test("a DataFrame opened before goes on reading") {
    withTable("t") {
      createTable("t", events(1000))
      val open = spark.table("t")
      val rows = open.collect().toSeq
      optimize("t", "a, b", files = 4)
      checkAnswer(open, rows)
      checkAnswer(sql("SELECT * FROM t VERSION AS OF 0"), rows)
    }
  }

  test("the same table gives the same files, run after run") {
    withTable("t", "u") {
      for (table <- Seq("t", "u")) {
        createTable(table, events(4000).coalesce(1), files = 1)
        optimize(table, "b, c", files = 7)
      }
      def layout(table: String) = sql(s"DESCRIBE LAYOUT EXTENDED $table ON (b, c)")
        .selectExpr("rows", "column", "min", "max", "null_count")
        .collect()
        .map(_.toString)
        .sorted
        .toSeq
      assert(layout("t") === layout("u"))
      val first = layout("t")
      optimize("t", "b, c", files = filesOf("t").size)
      assert(filesOf("t").size >= 5)
      assert(layout("u") === first)
    }
  }

  test("the file size: the statement's, the table's, Delta's setting, ours") {
    withTable("t") {
      createTable("t", events(4000))
      val tenth = bytesOf("t") / 10
      def filesAfter(statement: String): Int = {
        sql(statement)
        filesOf("t").size
      }
      assert(filesAfter("OPTIMIZE t ZORDER BY (a, b)") === 1)
      withSQLConf("spark.sql.zorder.targetFileSize" -> tenth.toString) {
        assert(filesAfter("OPTIMIZE t ZORDER BY (a, b)") > 5)
        withSQLConf("spark.databricks.delta.optimize.maxFileSize" -> (1L << 30).toString) {
          assert(filesAfter("OPTIMIZE t ZORDER BY (a, b)") === 1)
          // Delta's open source does not know the property; tables from elsewhere have it.
          withSQLConf("spark.databricks.delta.allowArbitraryProperties.enabled" -> "true") {
            sql(s"ALTER TABLE t SET TBLPROPERTIES ('delta.targetFileSize' = '$tenth')")
          }
          assert(filesAfter("OPTIMIZE t ZORDER BY (a, b)") > 5)
          assert(filesAfter("OPTIMIZE t ZORDER BY (a, b) OPTIONS (target_file_size = '1g')") === 1)
          for (none <- Seq("0", "auto", "-1", "99999999999g"))
            withSQLConf("spark.databricks.delta.allowArbitraryProperties.enabled" -> "true") {
              sql(s"ALTER TABLE t SET TBLPROPERTIES ('delta.targetFileSize' = '$none')")
              val e = intercept[ZOrderAnalysisException](sql("OPTIMIZE t ZORDER BY (a, b)"))
              assert(
                e.getCondition === "ZORDER_INVALID_TABLE_PROPERTY" && e.getMessage.contains("delta.targetFileSize"))
            }
        }
      }
    }
  }

  test("a sample smaller than the table keeps the rows and the order of the curve") {
    withTable("t") {
      createTable("t", events(5000))
      withSQLConf("spark.sql.zorder.sampleSize" -> "500") {
        keepingRows("t")(optimize("t", "a, b", files = 8))
      }
      assert(math.abs(filesOf("t").size - 8) <= 3)
      val shares = layout("t", "a, b").select("point_read_share").collect().map(_.getDouble(0))
      assert(shares.forall(_ < 0.7))
    }
  }

  test("tables by path, in other databases, and names that need quotes") {
    withTempDir { dir =>
      val path = new java.io.File(dir, "it is a table").getPath
      events(500).write.format("delta").save(path)
      for (name <- Seq(s"delta.`$path`", s"'$path'"))
        assert(sql(s"OPTIMIZE $name ZORDER BY (a)").head().getStruct(1).getAs[Long]("numFilesAdded") === 1L)
      checkAnswer(spark.read.format("delta").load(path), events(500))
    }
    withDatabase("other") {
      sql("CREATE DATABASE other")
      createTable("other.`select`", events(100))
      for (name <- Seq("other.`select`", "spark_catalog.other.`select`"))
        sql(s"OPTIMIZE $name ZORDER BY (a)")
      sql("DROP TABLE other.`select`")
    }
  }
}
