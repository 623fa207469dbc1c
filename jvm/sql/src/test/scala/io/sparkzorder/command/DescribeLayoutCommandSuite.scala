// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import java.io.File
import java.nio.file.Files

import io.sparkzorder.{DeltaSession, LongSuite}
import io.sparkzorder.errors.ZOrderRuntimeException

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.functions._

/** `DESCRIBE LAYOUT` and `describe_layout` against what the rows themselves say. */
class DescribeLayoutCommandSuite extends QueryTest with DeltaSession with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "for people: sizes, bounds that are cut, a verdict; 120 columns, whatever names there are"
  )

  /** Per file, the range of a column's values as the data has it; None without a value. */
  private def ranges(table: String, column: String): Seq[Option[(Double, Double)]] = spark
    .table(table)
    .groupBy("_metadata.file_path")
    .agg(min(col(column).cast("double")), max(col(column).cast("double")))
    .collect()
    .toSeq
    .map(r => if (r.isNullAt(1)) None else Some((r.getDouble(1), r.getDouble(2))))

  private def values(table: String, column: String): Seq[Double] =
    spark.table(table).select(col(column).cast("double")).na.drop().collect().toSeq.map(_.getDouble(0))

  /** A row of describe_layout, computed by looking at every pair of files and at every row. */
  private def requireTrue(found: Row, table: String, column: String): Unit = {
    val files = ranges(table, column)
    def holding(value: Double) = files.flatten.count { case (low, high) => low <= value && value <= high }
    val all = values(table, column)
    val overlaps = files.map(_.fold(0) { case (low, high) =>
      files.flatten.count { case (l, h) => l <= high && low <= h } - 1
    })
    val depths = files.map(_.fold(1) { case (low, high) =>
      all.filter(v => low <= v && v <= high).distinct.map(holding).max
    })
    def close(name: String, expected: Double) = assert(math.abs(found.getAs[Double](name) - expected) < 1e-9, name)
    assert(found.getAs[String]("column") === column)
    assert(found.getAs[Long]("files") === files.size)
    assert(found.getAs[Long]("rows") === spark.table(table).count())
    assert(found.getAs[Long]("bytes") === bytesOf(table))
    assert(found.getAs[String]("min").toDouble === all.min && found.getAs[String]("max").toDouble === all.max)
    assert(found.getAs[Long]("null_count") === spark.table(table).where(col(column).isNull).count())
    close("average_overlaps", overlaps.sum.toDouble / files.size)
    close("average_depth", depths.sum.toDouble / files.size)
    assert(found.getAs[Int]("max_depth") === depths.max)
    val histogram = found.getAs[scala.collection.Map[Int, Long]]("depth_histogram")
    assert(histogram.values.sum === files.size)
    assert(histogram.filter(_._1 <= 16) === depths.filter(_ <= 16).groupBy(identity).map(d => d._1 -> d._2.size.toLong))
    close("point_read_share", all.map(holding).sum.toDouble / all.size / files.size)
  }

  test("each column, before and after, as the rows tell it") {
    withTable("t") {
      createTable("t", events(1500), files = 6)
      for (_ <- 1 to 2) {
        val found = layout("t", "a, b, id").collect()
        found.zip(Seq("a", "b", "id")).foreach { case (row, column) => requireTrue(row, "t", column) }
        optimize("t", "a, b", files = 12)
      }
    }
  }

  test("partitions, chosen or not; the partition column is none of the columns described") {
    withTable("t", "one") {
      createTable("t", events(1500), files = 2, partitionBy = Seq("day"))
      val all = sql("SELECT * FROM describe_layout('t')").collect()
      assert(all.map(_.getString(0)) === Array("id", "a", "b", "c"))
      all.filter(r => Set("id", "a", "b")(r.getString(0))).foreach(r => requireTrue(r, "t", r.getString(0)))
      val chosen = layout("t", "A", "DAY = '2024-01-02'").head()
      assert(chosen.getAs[String]("column") === "a" && chosen.getAs[Long]("files") === 2L)
      assert(chosen.getAs[Long]("rows") === spark.table("t").where("day = '2024-01-02'").count())
    }
  }

  test("columns without an order are left out, nested ones are in") {
    withTable("t") {
      createTable("t", events(100).selectExpr("id", "struct(a, map(1, 2) AS m) AS s", "array(1) AS l", "c AS `x.y`"))
      assert(sql("DESCRIBE LAYOUT t").collect().map(_.getString(0)).toSeq === Seq("id", "s.a", "`x.y`"))
      val nested = sql("DESCRIBE LAYOUT t ON (S.A)").head()
      assert(nested.getAs[String]("column") === "s.a" && nested.getAs[String]("min") != null)
    }
  }

  test("files of NULLs alone, and files without statistics") {
    withTable("t") {
      createTable("t", spark.range(100).selectExpr("id", "cast(NULL AS int) AS n"), files = 2)
      val nulls = layout("t", "n").head()
      assert(nulls.isNullAt(nulls.fieldIndex("min")) && nulls.isNullAt(nulls.fieldIndex("point_read_share")))
      assert(nulls.getAs[Long]("null_count") === 100L && nulls.getAs[Int]("max_depth") === 1)
      withSQLConf("spark.databricks.delta.stats.collect" -> "false") {
        spark.range(50).selectExpr("id", "1 AS n").coalesce(1).writeTo("t").append()
      }
      val unknown = layout("t", "id, n").collect()
      assert(unknown(0).getAs[Int]("max_depth") === 3)
      assert(
        unknown(0).isNullAt(unknown(0).fieldIndex("rows")) && unknown(0).isNullAt(unknown(0).fieldIndex("null_count")))
      // A point lookup of the value of n reads only the file of which nothing is known.
      assert(unknown(1).getAs[Double]("point_read_share") === 1.0 / 3)
    }
  }

  test("an empty table") {
    withTable("t") {
      sql("CREATE TABLE t (a INT) USING delta")
      checkAnswer(
        sql("DESCRIBE LAYOUT t ON (a)"),
        Row("a", 0L, "0 B", null, null, null, "no files", "nothing to read"))
      val row = layout("t", "a").head()
      assert(row.getAs[Long]("files") === 0L && row.getAs[Long]("rows") === 0L && row.getAs[Int]("max_depth") === 0)
      assert(row.isNullAt(row.fieldIndex("point_read_share")) && row.isNullAt(row.fieldIndex("min")))
      checkAnswer(sql("DESCRIBE LAYOUT EXTENDED t"), Nil)
    }
  }

  test("EXTENDED: each file and column as the rows tell them") {
    withTable("t") {
      createTable("t", events(1200), files = 3, partitionBy = Seq("day"))
      val found = sql("DESCRIBE LAYOUT EXTENDED t ON (a, c)")
      val expected = spark
        .table("t")
        .withColumn("path", col("_metadata.file_path"))
        .groupBy("path", "day")
        .agg(
          count(lit(1)).as("rows"),
          min(col("a")).cast("string").as("min_a"),
          max(col("a")).cast("string").as("max_a"),
          min("c").as("min_c"),
          max("c").as("max_c")
        )
        .collect()
        .flatMap { r =>
          val file = r.getString(0).split('/').takeRight(2).mkString("/")
          val size = filesOf("t").find(_.path == file).get.size
          Seq("a" -> 3, "c" -> 5).map { case (column, i) =>
            Row(file, s"day=${r.getDate(1)}", r.getLong(2), size, 1, column, r.getString(i), r.getString(i + 1), 0L)
          }
        }
      checkAnswer(found, expected.toSeq)
      assert(found.count() === 2 * filesOf("t").size)
      checkAnswer(
        sql("DESCRIBE LAYOUT EXTENDED t ON (a) WHERE day = '2024-01-01'").select("partition").distinct(),
        Row("day=2024-01-01"))
    }
  }

  test("EXTENDED: row groups as they are in the files") {
    withTable("t") {
      withSQLConf("parquet.block.size" -> "100000") {
        createTable("t", spark.range(50000).selectExpr("id", "hex(cast(xxhash64(id) as string)) AS u"), files = 1)
      }
      val groups = sql("DESCRIBE LAYOUT EXTENDED t ON (id)").select("row_groups").head().getInt(0)
      assert(groups > 1)
    }
  }

  /** The share and its standard error by a sample, and the share exactly. */
  private def estimated(table: String, column: String): (Double, Double, Double) = {
    def read(all: Boolean) = sql(
      s"SELECT point_read_share, standard_error FROM describe_layout('$table', array('$column'), all_rows => $all)").head()
    val (sampled, exact) = (read(all = false), read(all = true))
    assert(sampled === read(all = false) && exact.getDouble(1) === 0.0)
    (sampled.getDouble(0), sampled.getDouble(1), exact.getDouble(0))
  }

  test("a sample of the rows is as near as its standard error says, on skewed values, too") {
    withTable("t") {
      // Half of all rows have one of 40 values of 4,000.
      val skewed = "cast(if(id % 2 = 0, pmod(xxhash64(id), 40), pmod(xxhash64(id, 1), 4000)) as int)"
      createTable("t", spark.range(0, 12000, 1, 2).selectExpr(s"$skewed AS s", "xxhash64(id, 2) AS u"), files = 2)
      optimize("t", "s, u", files = 24)
      for (column <- Seq("s", "u")) {
        withSQLConf("spark.sql.zorder.describe.rowLimit" -> "20000") {
          assert(estimated("t", column) match { case (share, error, exact) => share === exact && error === 0.0 })
        }
        withSQLConf("spark.sql.zorder.describe.rowLimit" -> "600") {
          val (share, error, exact) = estimated("t", column)
          assert(
            error > 0 && error < exact / 8 && math.abs(share - exact) < 3 * error,
            s"$column: $share ± $error, $exact")
        }
      }
    }
  }

  test("of many files some are read, and the standard error is that between files") {
    withTable("t") {
      val skewed = "cast(pow(pmod(xxhash64(id), 1000) / 1000.0, 4) * 1000 as int)"
      createTable("t", spark.range(0, 6000, 1, 2).selectExpr(s"$skewed AS s", "xxhash64(id, 2) AS u"), files = 2)
      optimize("t", "s, u", files = 120)
      val files = filesOf("t").size
      assert(files > 80)
      withSQLConf("spark.sql.zorder.describe.rowLimit" -> "20") {
        // 2,000 of the 6,000 rows may be read, which are a third of the files.
        for (column <- Seq("s", "u")) {
          val (share, error, exact) = estimated("t", column)
          assert(error > 0 && error < exact && math.abs(share - exact) < 3 * error, s"$column: $share ± $error, $exact")
        }
      }
    }
  }

  test("a data file that is damaged or missing is named, by ADVISE LAYOUT and the table functions too") {
    withTable("t") {
      createTable("t", events(300), files = 2)
      val file = new File(new Path(locationOf("t", filesOf("t").head)).toUri.getPath)
      def requireNamed(): Unit = for (statement <- Seq(
          "DESCRIBE LAYOUT t ON (a)",
          "DESCRIBE LAYOUT EXTENDED t ON (a)",
          "ADVISE LAYOUT t ON (a)",
          "SELECT * FROM describe_layout('t', array('a'))",
          "SELECT * FROM layout_files('t', array('a'))"
        )) {
        val e = intercept[ZOrderRuntimeException](sql(statement).collect())
        assert(e.getCondition === "ZORDER_UNREADABLE_FILE" && e.getSqlState === "KD001", statement)
        // Delta's tests put signs before a file's name, which Spark encodes.
        assert(e.getMessageParameters.get("file").endsWith(file.getName.dropWhile(_ != '-')), statement)
      }
      Files.write(file.toPath, new Array[Byte](100))
      requireNamed()
      assert(file.delete())
      requireNamed()
    }
  }

  private def verdict(row: Row): (String, String) = (row.getAs[String]("verdict"), row.getAs[String]("reason"))

  private val wide = 120

  /** What show prints. */
  private def shown(statement: String, truncate: Boolean = false): Seq[String] = {
    val out = new java.io.ByteArrayOutputStream
    Console.withOut(out)(sql(statement).show(1000, truncate))
    out.toString("UTF-8").split('\n').toSeq.filter(_.nonEmpty)
  }

  test("for people: sizes, bounds that are cut, a verdict; 120 columns, whatever names there are") {
    withTable("t") {
      val long = "the_name_of_a_column_that_goes_on_and_on"
      createTable(
        "t",
        spark.range(0, 3000, 1, 2).selectExpr(
          "cast(pmod(xxhash64(id), 1000) as int) AS a",
          "7 AS k",
          "cast(NULL AS int) AS n",
          s"named_struct('${long}_first', concat('a long text with the number ', id), '${long}_second', '\\n日本語日本語日本語') AS $long",
          "timestamp_micros(id * 12345678901) AS ts"
        ),
        files = 8
      )
      val all = sql("DESCRIBE LAYOUT t").collect().map(r => r.getString(0) -> r).toMap
      val lines = shown("DESCRIBE LAYOUT t")
      assert(lines.map(org.apache.spark.sql.zorder.SparkInternals.width).max <= wide, lines.mkString("\n"))
      // What show cuts at 20 characters has its verdict whole.
      val cut = shown("DESCRIBE LAYOUT t", truncate = true)
      assert(cut.exists(_.contains("|    poor|")) && cut.exists(_.contains("|constant|")), cut.mkString("\n"))
      assert(all.size === 6 && all.keys.count(_.contains('…')) === 2, all.keys)
      assert(all.keys.exists(_.endsWith("_first")) && all.keys.exists(_.endsWith("second")))
      assert(verdict(all("a")) === ("poor" -> "each file has nearly all values"))
      assert(verdict(all("k")) === ("constant" -> "nothing to skip"))
      assert(verdict(all("n")) === ("no value" -> "only NULL: nothing to look up"))
      assert(all("ts").getAs[String]("min") === "1970-01-01 00:…" || all("ts").getAs[String]("min").length === 14)
      assert(all("a").getAs[String]("size").matches("[0-9.]+ kB") && all("a").getAs[Double]("point_read_share") <= 1.0)
      optimize("t", "a, ts", files = 16)
      val after = sql("DESCRIBE LAYOUT t ON (a, ts)").collect().map(verdict)
      assert(after.forall(found => Set("good", "fair")(found._1)), after.mkString("\n"))
      assert(
        after.forall(_._2.matches("lookups read 0\\.[0-9]{2}(, least 0\\.25| of files)")),
        after.mkString("\n"))
      optimize("t", "a", files = 1)
      assert(verdict(sql("DESCRIBE LAYOUT t ON (a)").head()) === ("one file" -> "nothing to skip"))
    }
  }

  test("a verdict does not hang on what else is asked") {
    withTable("t") {
      createTable("t", events(3000), files = 4)
      optimize("t", "a, c, id", files = 27)
      def verdicts(columns: String) = sql(s"DESCRIBE LAYOUT t ON ($columns)").collect().map(verdict).toSeq
      val together = verdicts("a, c, id")
      assert(together === Seq("a", "c", "id").flatMap(verdicts) && together.head._1 === "good", together)
    }
  }

  test("a column without statistics is said, with how to get them") {
    withTable("t", "p") {
      createTable(
        "t",
        spark.range(100).selectExpr("id", "id % 7 AS x", "id % 2 = 0 AS b"),
        files = 2,
        properties = Map("delta.dataSkippingStatsColumns" -> "id"))
      def verdicts(table: String, column: String) =
        (verdict(sql(s"DESCRIBE LAYOUT $table ON ($column)").head()), verdict(layout(table, column).head()))
      val (short, (word, full)) = verdicts("t", "x")
      assert(short === ("no statistics" -> "set dataSkippingStatsColumns") && word === "no statistics")
      assert(full.startsWith("every file is read: ") && full.contains(
        "'delta.dataSkippingStatsColumns'") && full.contains("OPTIMIZE ") && full.contains(" ZORDER BY (x)"))
      assert(verdicts("t", "b")._1 === ("no statistics" -> "none for this type in Delta"))
      assert(sql("DESCRIBE LAYOUT t").collect().map(_.getString(0)) === Array("id"))
      sql("ALTER TABLE t SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'id,x')")
      assert(verdicts("t", "x")._1 === ("no statistics" -> "OPTIMIZE writes them"))
      sql("OPTIMIZE t ZORDER BY (x)").collect()
      assert(verdicts("t", "x")._1._1 !== "no statistics")
      withSQLConf("spark.sql.parquet.outputTimestampType" -> "INT96") {
        spark.range(100).selectExpr("id", "timestamp_seconds(id) AS ts").write.format("parquet").saveAsTable("p")
      }
      assert(verdicts("p", "ts")._1 === ("no statistics" -> "OPTIMIZE writes them"))
      sql("OPTIMIZE p ZORDER BY (ts) OPTIONS (force = true)").collect()
      assert(verdicts("p", "ts")._1 === ("one file" -> "nothing to skip"))
    }
  }
}
