// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.{DeltaSession, LongSuite}

import org.apache.spark.sql.{DataFrame, QueryTest, Row}

/** OPTIMIZE of tables whose writers obey an order. */
class OrderedTableOptimizeSuite extends QueryTest with LongSuite with DeltaSession {

  private def rows(number: Int, from: Int = 0): DataFrame =
    events(number + from).where(s"id >= $from").drop("day").coalesce(1)

  private def inFull(table: String): Row =
    sql(s"OPTIMIZE $table ZORDER OPTIONS (target_file_size = '10k')").head()

  private def incrementally(table: String): Row =
    sql(s"OPTIMIZE $table ZORDER OPTIONS (mode = 'incremental', target_file_size = '10k')").head()

  private def added(result: Row): Long = result.getStruct(1).getAs[Long]("numFilesAdded")

  for (format <- Seq("delta", "parquet"))
    test(s"an incremental run leaves ordered files as a layer, until point lookups read too much: $format") {
      withTable("t", "u") {
        for ((table, order) <- Seq("t" -> "SORT BY ZORDER (a, b)", "u" -> "")) {
          sql(s"CREATE TABLE $table (id BIGINT, a INT, b DOUBLE, c STRING) USING $format $order")
          rows(60000).write.insertInto(table)
        }
        assert(added(inFull("t")) > 16)
        sql("OPTIMIZE u ZORDER BY (a, b) OPTIONS (target_file_size = '10k')")

        rows(100, from = 60000).write.insertInto("t")
        rows(100, from = 60000).write.insertInto("u")
        val kept = incrementally("t")
        assert(added(kept) === 0)
        assert(kept.getString(3).contains("new ones add little to point lookups"), kept.getString(3))
        val strange = sql("OPTIMIZE u ZORDER BY (a, b) OPTIONS (mode = 'incremental', target_file_size = '10k')").head()
        assert(added(strange) > 0)

        for (load <- 1 to 4) rows(100, from = 60000 + 100 * load).write.insertInto("t")
        assert(added(incrementally("t")) > 0)
        checkAnswer(spark.table("t"), rows(60500).collect().toSeq)
      }
    }

  test("an incremental run claims no order of files that are older than the table's order") {
    withTable("t") {
      sql("CREATE TABLE t (id BIGINT, a INT, b DOUBLE, c STRING) USING parquet")
      rows(60000).write.insertInto("t")
      sql("OPTIMIZE t ZORDER BY (a, b) OPTIONS (target_file_size = '10k')")
      rows(100, from = 60000).write.insertInto("t")
      sql("ALTER TABLE t SORT BY ZORDER (a, b)")
      val kept = incrementally("t")
      assert(added(kept) === 0 && !kept.getString(3).contains("ordered by"), kept.getString(3))
    }
  }

  test("OPTIMIZE ... ZORDER without columns takes those of the table") {
    withTable("t") {
      sql("CREATE TABLE t (id BIGINT, a INT, b DOUBLE, c STRING) USING delta SORT BY ZORDER (c, A)")
      rows(3000).write.insertInto("t")
      keepingRows("t")(inFull("t"))
      requireCurveOrder("t", "c", "a")
      assert(inFull("t").getSeq[Row](2).map(_.getString(0)) === Seq("c", "a"))
    }
  }
}
