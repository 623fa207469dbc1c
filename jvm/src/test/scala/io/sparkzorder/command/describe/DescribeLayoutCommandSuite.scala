// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.describe

import io.sparkzorder.{DeltaSession, LongSuite}

import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.functions._

/** `DESCRIBE LAYOUT` against what the rows themselves say. */
class DescribeLayoutCommandSuite extends QueryTest with DeltaSession with LongSuite {

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

  /** A row of DESCRIBE LAYOUT, computed by looking at every pair of files and at every row. */
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
        val found = sql("DESCRIBE LAYOUT t ON (a, b, id)").collect()
        found.zip(Seq("a", "b", "id")).foreach { case (row, column) => requireTrue(row, "t", column) }
        optimize("t", "a, b", files = 12)
      }
    }
  }

  test("partitions, chosen or not; the partition column is none of the columns described") {
    withTable("t", "one") {
      createTable("t", events(1500), files = 2, partitionBy = Seq("day"))
      val all = sql("DESCRIBE LAYOUT t").collect()
      assert(all.map(_.getString(0)) === Array("id", "a", "b", "c"))
      all.filter(r => Set("id", "a", "b")(r.getString(0))).foreach(r => requireTrue(r, "t", r.getString(0)))
      val chosen = sql("DESCRIBE LAYOUT t ON (A) WHERE DAY = '2024-01-02'").head()
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
      val nulls = sql("DESCRIBE LAYOUT t ON (n)").head()
      assert(nulls.isNullAt(nulls.fieldIndex("min")) && nulls.isNullAt(nulls.fieldIndex("point_read_share")))
      assert(nulls.getAs[Long]("null_count") === 100L && nulls.getAs[Int]("max_depth") === 1)
      withSQLConf("spark.databricks.delta.stats.collect" -> "false") {
        spark.range(50).selectExpr("id", "1 AS n").coalesce(1).writeTo("t").append()
      }
      val unknown = sql("DESCRIBE LAYOUT t ON (id, n)").collect()
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
      val row = sql("DESCRIBE LAYOUT t ON (a)").head()
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

  test("a limit on point lookups samples the rows and keeps the share near") {
    withTable("t") {
      createTable("t", events(4000), files = 4)
      optimize("t", "a, b", files = 8)
      def share = sql("DESCRIBE LAYOUT t ON (a)").head().getAs[Double]("point_read_share")
      val exact = share
      withSQLConf("spark.sql.zorder.describe.rowLimit" -> "1000") {
        assert(share === share && math.abs(share - exact) < 0.05)
      }
    }
  }
}
