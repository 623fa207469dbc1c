// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import java.io.File

import io.sparkzorder.{AfterDelta, BeforeDelta, BesideDelta, DailyTest, LongSuite, TestedSpark}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{QueryTest, Row}

/** OPTIMIZE without ZORDER BY, which Delta's parser reads too, in either order of the two extensions. */
abstract class CompactionBesideDeltaSuite extends QueryTest with BesideDelta {

  protected def files(path: String): Int =
    new File(path).listFiles.map(f =>
      if (f.isDirectory && f.getName.contains('=')) files(f.getPath)
      else if (f.getName.endsWith(".parquet")) 1 else 0).sum

  protected def inFolder(body: String => Unit): Unit = withTempDir { dir =>
    val path = new File(dir, "t").getCanonicalPath
    spark.range(100).selectExpr("id", "id % 2 AS p").repartition(3).write.partitionBy("p").parquet(path)
    body(path)
    assert(spark.read.parquet(path).selectExpr("sum(id)", "count(*)").head() == Row(4950L, 100L))
  }

  private def condition(statement: String): String =
    intercept[Exception with SparkThrowable](sql(statement).collect()).getCondition

  protected def isOurs(row: Row): Boolean = row.schema.fieldNames.contains("layout")

  test("a Parquet folder, as it can be named", DailyTest) {
    for (name <- Seq[String => String](
        p => s"parquet.`$p`",
        p => s"'$p'",
        p => s"PARQUET.`file:$p`",
        p => s"TABLE parquet.`$p`"))
      inFolder { path =>
        assert(isOurs(sql(s"OPTIMIZE ${name(path)}").head()))
        assert(files(path) == 2)
      }
  }

  test("WHERE, OPTIONS and DRY RUN, which Delta's parser takes for a part of the predicate") {
    inFolder { path =>
      assert(isOurs(sql(s"OPTIMIZE '$path' WHERE p = 1 DRY RUN").head()) && files(path) == 6)
      assert(
        isOurs(sql(s"OPTIMIZE parquet.`$path` OPTIONS (target_file_size = '1') dry\nrun").head()) && files(path) == 6)
      assert(isOurs(
        sql(s"OPTIMIZE parquet.`$path` WHERE p = 1 OPTIONS (target_file_size = '1')").head()) && files(path) == 6)
      assert(isOurs(
        sql(s"OPTIMIZE parquet.`$path` WHERE p = 1 OPTIONS (target_file_size = '1m')").head()) && files(path) == 4)
      assert(isOurs(sql(s"OPTIMIZE parquet.`$path` WHERE p < 1").head()) && files(path) == 2)
      assert(condition(s"OPTIMIZE parquet.`$path` WHERE p = 1 DRYRUN") == "ZORDER_SYNTAX_ERROR.MISSPELLED")
      assert(condition(s"OPTIMIZE parquet.`$path` WHERE id = 1") == "ZORDER_PREDICATE_ON_DATA_COLUMN")
    }
  }

  test("a Parquet table of the catalog, whatever the setting for Delta's own statement says") {
    for (takeover <- Seq("true", "false")) withTable("t")(withSQLConf("spark.sql.zorder.delta.takeover" -> takeover) {
      spark.range(100).repartition(3).write.format("parquet").saveAsTable("t")
      val row = sql("OPTIMIZE t").head()
      assert(isOurs(row) && row.getStruct(1).getAs[Long]("numFilesRemoved") == 3)
      assert(spark.table("t").selectExpr("sum(id)", "count(*)").head() == Row(4950L, 100L))
    })
  }

  test("z-order of a folder of files, which Delta's parser reads first, too") {
    inFolder(path => assert(isOurs(sql(s"OPTIMIZE parquet.`$path` ZORDER BY (id)").head())))
    inFolder(path => assert(isOurs(sql(s"OPTIMIZE '$path' WHERE p = 1 ZORDER BY (id)").head())))
  }

  test("Delta tables keep Delta's statement", DailyTest) {
    withTempDir { dir =>
      val path = new File(dir, "t").getCanonicalPath
      spark.range(100).selectExpr("id", "id % 2 AS p").repartition(3).write.format("delta").partitionBy("p").save(path)
      for (name <- Seq(s"delta.`$path`", s"'$path'"); where <- Seq("", "WHERE p = 1"))
        assert(!isOurs(sql(s"OPTIMIZE $name $where").head()))
      val ours =
        Seq("DRY RUN", "OPTIONS (target_file_size = '1m')", "WHERE p = 1 DRY RUN", "WHERE p = 1 OPTIONS (force = true)")
      for (clauses <- ours)
        assert(condition(s"OPTIMIZE delta.`$path` $clauses") == "ZORDER_OWN_COMPACTION", clauses)
      assert(condition(s"OPTIMIZE parquet.`$path`").startsWith("ZORDER_"))
      sql(s"REORG TABLE delta.`$path` APPLY (PURGE)")
      assert(spark.read.format("delta").load(path).count() == 100)
    }
  }

  test("what is no table keeps Delta's error, and what is wrong with a Parquet folder is said") {
    assert(condition("OPTIMIZE '/no/such/table'") == "DELTA_TABLE_ONLY_OPERATION")
    withTempDir { dir =>
      val path = new File(dir, "t").getCanonicalPath
      spark.range(10).selectExpr("id").write.parquet(path)
      spark.range(10).selectExpr("CAST(id AS STRING) AS id").write.mode("append").parquet(path)
      val before = files(path)
      assert(condition(s"OPTIMIZE '$path'").startsWith("ZORDER_CLASHING") && files(path) == before)
    }
  }

  test("tables of other formats keep Delta's error") {
    withTable("t") {
      sql("CREATE TABLE t (a INT) USING orc")
      val e = intercept[Exception](sql("OPTIMIZE t").collect())
      assert(e.getMessage.contains("Delta"), e)
    }
  }
}

/** Delta's extension first: ours is the outer parser. */
class CompactionAfterDeltaSuite extends CompactionBesideDeltaSuite with AfterDelta with LongSuite {

  // Delta's own parser drops parameters where it is asked first.
  test("parameters, and a script") {
    assume(TestedSpark.isAtLeast("4.1"), "The parser of Spark 4.0 knows no values, and scripts are behind a setting")
    val one = Map("one" -> 1)
    inFolder { path =>
      assert(isOurs(spark.sql(s"OPTIMIZE parquet.`$path` WHERE p = :one", one).head()) && files(path) == 4)
      assert(isOurs(spark.sql(
        "OPTIMIZE IDENTIFIER(:t) WHERE p = :p",
        Map[String, Any]("t" -> s"parquet.`$path`", "p" -> 0)).head()))
      assert(files(path) == 2)
    }
    inFolder { path =>
      assert(isOurs(spark.sql(s"OPTIMIZE parquet.`$path` WHERE p = ? DRY RUN", Array(1)).head()) && files(path) == 6)
      sql(s"BEGIN OPTIMIZE parquet.`$path` WHERE p = 1; SELECT 1; END").collect()
      assert(files(path) == 4)
    }
    withTable("d") {
      spark.range(100).selectExpr(
        "id",
        "id % 2 AS p").repartition(3).write.format("delta").partitionBy("p").saveAsTable("d")
      assert(!isOurs(spark.sql("OPTIMIZE d WHERE p = :one", one).head()))
      assert(spark.table("d").inputFiles.length == 4)
      sql("BEGIN OPTIMIZE d WHERE p = 0; END").collect()
      assert(spark.table("d").inputFiles.length == 2)
    }
  }
}

/** Ours first: Delta's is the outer parser. */
class CompactionBeforeDeltaSuite extends CompactionBesideDeltaSuite with BeforeDelta
