// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import java.io.File

import io.sparkzorder.{DailyTest, LongTest}
import io.sparkzorder.DeltaSession

import org.apache.spark.sql.{QueryTest, Row}

/** Where no query can skip a file of the new layout `summary` says so, and files that cannot be had back stay. */
class NothingToGainSuite extends QueryTest with DeltaSession {

  private val oneFile = "all rows fit in one file of 8.39 MB, so that no query can skip any"

  private def dataFiles(table: String): Set[String] =
    new File(
      spark.sessionState.catalog.getTableMetadata(spark.sessionState.sqlParser.parseTableIdentifier(table)).location)
      .listFiles.map(_.getName).filter(_.endsWith(".parquet")).toSet

  private def withSmallTable(format: String)(body: => Unit): Unit = withTable("t") {
    events(400).repartition(4).write.format(format).saveAsTable("t")
    body
  }

  private def summary(statement: String): String = sql(statement).head().getAs[String]("summary")

  private def removed(row: Row): Long = row.getStruct(1).getAs[Long]("numFilesRemoved")

  test("a Parquet table that fits in one file is left as it is, unless it is asked for") {
    withSmallTable("parquet") {
      val before = dataFiles("t")
      for (mode <- Seq("full", "incremental"); end <- Seq("", " DRY RUN")) {
        val row = sql(s"OPTIMIZE t ZORDER BY (a, b) OPTIONS (mode = '$mode')$end").head()
        assert(row.getAs[String]("summary") === s"Nothing to gain by skipping, and nothing was changed: $oneFile. " +
          "OPTIONS (force = true) rewrites the files all the same, into fewer where they are many.")
        assert(removed(row) === 0 && row.getAs[Seq[Row]]("layout") === Nil)
      }
      assert(dataFiles("t") === before)

      val forced = sql("OPTIMIZE t ZORDER BY (a, b) OPTIONS (force = true)").head()
      assert(removed(forced) === 4 && forced.getAs[String]("summary").endsWith(s"; $oneFile"))
      assert(dataFiles("t").size === 1 && spark.table("t").count() === 400)
      // What it left is known to it.
      assert(summary("OPTIMIZE t ZORDER BY (a, b) OPTIONS (mode = 'incremental')").startsWith("Nothing to do"))
    }
  }

  test("whoever names a size or a compression gets files of it", LongTest) {
    for (option <- Seq("target_file_size = '256m'", "compression = 'zstd'"))
      withSmallTable("parquet") {
        assert(removed(sql(s"OPTIMIZE t ZORDER BY (a, b) OPTIONS ($option)").head()) === 4, option)
      }
    withSmallTable("parquet") {
      withSQLConf("spark.sql.zorder.targetFileSize" -> "256m") {
        // The option goes before the session's setting.
        assert(summary("OPTIMIZE t ZORDER BY (a) OPTIONS (target_file_size = 'auto')").startsWith("Nothing to gain"))
        assert(removed(sql("OPTIMIZE t ZORDER BY (a)").head()) === 4)
      }
    }
  }

  test("a Delta table is compacted, as its users expect, and the summary says what that is not worth", DailyTest) {
    withSmallTable("delta") {
      assert(summary("OPTIMIZE t ZORDER BY (a, b) DRY RUN").endsWith(s"; $oneFile"))
      val row = sql("OPTIMIZE t ZORDER BY (a, b)").head()
      assert(removed(row) === 4 && row.getAs[String]("summary").endsWith(s"; $oneFile"))
    }
  }

  test("columns of NULL alone, or of one value", LongTest) {
    withTable("t") {
      sql("CREATE TABLE t USING parquet AS SELECT id, CAST(NULL AS INT) AS n, 7 AS c FROM range(100)")
      assert(summary("OPTIMIZE t ZORDER BY (n, c) OPTIONS (target_file_size = '100')").endsWith(
        "; n has no value but NULL, c has the same value in every row, and no query can skip files by that"))
      assert(!summary("OPTIMIZE t ZORDER BY (n, id) OPTIONS (target_file_size = '100')").contains("no query"))
    }
  }

  test("partitions, each of which fits in one file", DailyTest) {
    withTable("t") {
      sql("CREATE TABLE t USING delta PARTITIONED BY (p) AS SELECT id, id % 2 AS p FROM range(100)")
      assert(summary("OPTIMIZE t ZORDER BY (id)").endsWith(
        "; the rows of each partition fit in one file of 8.39 MB, so that no query of a partition can skip any"))
    }
  }

  test("files that WHERE chooses have others beside them, which queries skip") {
    withSmallTable("parquet") {
      val row = sql("OPTIMIZE t WHERE a < 10 ZORDER BY (a) OPTIONS (where_files = 'overlapping')").head()
      assert(removed(row) > 0 && !row.getAs[String]("summary").contains("no query can skip"))
    }
  }
}
