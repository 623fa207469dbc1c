// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.{DeltaSession, LongSuite}

import org.apache.spark.sql.{AnalysisException, QueryTest, Row}

/** `OPTIONS (curve = ...)` and `DRY RUN` of `OPTIMIZE ... ZORDER BY`. */
class CurveAndDryRunSuite extends QueryTest with DeltaSession with LongSuite {

  private def statement(curve: String, suffix: String = ""): String =
    s"OPTIMIZE t ZORDER BY (id, a) OPTIONS (curve = '$curve', target_file_size = '${bytesOf("t") / 32}') $suffix"

  private def shares(result: Row): Seq[Double] =
    result.getSeq[Row](2).map(_.getAs[Double]("point_read_share_after"))

  private def filesAdded(result: Row): Long = result.getStruct(1).getAs[Long]("numFilesAdded")

  for (curve <- Seq("zorder", "hilbert"))
    test(s"a dry run along $curve changes nothing and foresees what the run does") {
      withTable("t") {
        createTable("t", events(20000), files = 6)
        val foreseen = changingNothing("t")(sql(statement(curve, "DRY RUN")).head())
        val done = keepingRows("t")(sql(statement(curve)).head())
        // The sample is the table, so the estimate is exact but for sizes.
        assert(filesAdded(foreseen) === filesAdded(done))
        assert(shares(foreseen) === shares(done))
        assert(foreseen.getSeq[Row](2).map(_.getString(0)) === Seq("id", "a"))
      }
    }

  test("a dry run over partitions, a value spread over files, NULLs and an empty table") {
    withTable("t", "spread", "empty") {
      createTable("t", events(6000), files = 2, partitionBy = Seq("day"))
      val result =
        changingNothing("t")(sql("OPTIMIZE t ZORDER BY (b) OPTIONS (target_file_size = '5k') DRY RUN").head())
      assert(result.getStruct(1).getAs[Long]("partitionsOptimized") === 3)
      createTable("spread", events(6000).selectExpr("id", "CAST(NULL AS INT) AS a"))
      val spread = changingNothing("spread") {
        sql("OPTIMIZE spread ZORDER BY (a) OPTIONS (target_file_size = '3k') DRY RUN").head()
      }
      assert(filesAdded(spread) > 1 && spread.getSeq[Row](2).head.isNullAt(2))
      sql("CREATE TABLE empty (a INT) USING delta")
      assert(filesAdded(changingNothing("empty")(sql("OPTIMIZE empty ZORDER BY (a) DRY RUN").head())) === 0)
    }
  }

  test("the curve of the session holds where the statement names none") {
    withTable("t") {
      createTable("t", events(20000), files = 6)
      val dry = s"OPTIMIZE t ZORDER BY (id, a) OPTIONS (target_file_size = '${bytesOf("t") / 32}') DRY RUN"
      val byStatement = shares(sql(statement("hilbert", "DRY RUN")).head())
      withSQLConf("spark.sql.zorder.curve" -> "HILBERT") {
        assert(shares(sql(dry).head()) === byStatement)
        assert(shares(sql(statement("zorder", "DRY RUN")).head()) !== byStatement)
      }
      assert(shares(sql(dry).head()) === shares(sql(statement("ZOrder", "DRY RUN")).head()))
      intercept[IllegalArgumentException](withSQLConf("spark.sql.zorder.curve" -> "peano")(sql(dry)))
    }
  }

  test("a curve that does not exist") {
    withTable("t") {
      createTable("t", events(100))
      val e = changingNothing("t")(intercept[AnalysisException](sql(statement("peano"))))
      checkError(
        e,
        "ZORDER_INVALID_OPTION",
        "22023",
        Map(
          "statement" -> "OPTIMIZE ... ZORDER BY",
          "option" -> "curve",
          "value" -> "peano",
          "allowed" -> "'zorder' or 'hilbert'"))
    }
  }
}
