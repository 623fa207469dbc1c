// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.{DeltaSession, LongTest}

import org.apache.spark.sql.{QueryTest, Row}

/** Where OPTIMIZE does nothing, `summary` says why; in a dry run, too. */
class NothingToDoSuite extends QueryTest with DeltaSession {

  private def summary(statement: String): String = {
    val (result, dry) = (sql(statement).head(), sql(s"$statement DRY RUN").head())
    Seq(result, dry).foreach { row =>
      assert(row.getStruct(1).getAs[Long]("numFilesRemoved") === 0 && row.getAs[Seq[Row]]("layout") === Nil)
    }
    assert(result.getAs[String]("summary") === dry.getAs[String]("summary"))
    result.getAs[String]("summary")
  }

  for (format <- Seq("delta", "parquet")) {
    test(s"$format: an empty table") {
      withTable("t") {
        sql(s"CREATE TABLE t (a INT, p INT) USING $format PARTITIONED BY (p)")
        assert(summary("OPTIMIZE t ZORDER BY (a)") === "Nothing to do: the table has no files.")
        assert(summary("OPTIMIZE t WHERE p = 1 ZORDER BY (a)") === "Nothing to do: the table has no files.")
      }
    }

    test(
      s"$format: no partition matches, nothing new, and something",
      Option.when(format == "delta")(LongTest).toSeq: _*) {
      withTable("t") {
        sql(s"CREATE TABLE t (a INT, p INT) USING $format PARTITIONED BY (p)")
        sql("INSERT INTO t VALUES (1, 1), (2, 1), (3, 2)")
        assert(summary("OPTIMIZE t WHERE p = 7 ZORDER BY (a)") === "Nothing to do: no file matches (p = 7).")
        for (end <- Seq(" DRY RUN", ""))
          assert(
            !sql(s"OPTIMIZE t ZORDER BY (a) OPTIONS (force = true)$end").head().getString(3).startsWith("Nothing"))
        assert(
          summary("OPTIMIZE t ZORDER BY (a) OPTIONS (mode = 'incremental')") ===
            "Nothing to do: every file is clustered by (a) along zorder, and there are no new files.")
        assert(
          summary("OPTIMIZE t WHERE p = 2 ZORDER BY (a) OPTIONS (mode = 'incremental')") ===
            "Nothing to do: every file is clustered by (a) along zorder, and there are no new files.")
      }
    }
  }
}
