// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import scala.util.Random

import io.sparkzorder.TestRing
import io.sparkzorder.format.iceberg.EqualityDeletes
import io.sparkzorder.skipping.scan.IndexedScanExec

import org.apache.spark.sql.QueryTest

/** Queries with filters, for first rows and with joins over random histories of Iceberg tables have the same rows without dynamic skipping. */
class RandomIcebergQueriesSuite extends QueryTest with PrunedQueries {

  // ZORDER_QUERIES=7-50 runs fifty other histories, beginning with another seed.
  private val (seed, histories) = sys.env.get("ZORDER_QUERIES").map(_.split('-').map(_.toInt)) match {
    case Some(Array(first, number)) => (first, number)
    case _ => (20261127, TestRing.cases(short = 1, long = 2))
  }

  private val random = new Random(seed)

  private val filters = new RandomFilters(random)

  private def one[T](of: Seq[T]): T = of(random.nextInt(of.size))

  private val keys = Seq(
    "id",
    "i",
    "x",
    "y",
    "s",
    "d",
    "st.n",
    "st.z",
    "p",
    "i + 1",
    "-id",
    "coalesce(x, 3)",
    "date(at)",
    "cast(i AS BIGINT)",
    "substr(s, 1, 3)",
    "at")

  private def append(): Unit = {
    val (from, width) = (random.nextInt(2000), 1 + random.nextInt(400))
    val nulls = one(Seq("false", "k % 5 = 0", "k % 2 = 0", "true"))
    val text = one(Seq("concat('long common beginning ', k)", "concat(char(65 + k % 26), k)", "string(k)"))
    val x = one(Seq("k / 4.0D", "if(k % 3 = 0, double('NaN'), k)", "if(k % 2 = 0, -0.0D, 0.0D)", "double('NaN')"))
    spark.range(from, from + width, 1, 1 + random.nextInt(3)).withColumnRenamed("id", "k").selectExpr(
      "k AS id",
      s"cast(if($nulls, NULL, k % 700) AS INT) AS i",
      s"if(${one(Seq("k % 4 = 1", "false"))}, NULL, $x) AS x",
      "cast(k AS FLOAT) AS y",
      s"if($nulls, NULL, $text) AS s",
      "date_add(DATE'2024-01-01', cast(k % 90 AS INT)) AS d",
      "timestamp_seconds(1704067200 + k * 977) AS at",
      "if(k % 6 = 0, NULL, named_struct('n', cast(if(k % 5 = 0, NULL, k) AS INT), 'z', cast(k AS DOUBLE))) AS st",
      s"cast(k / ${one(Seq(100, 1000))} AS INT) AS p"
    ).writeTo(t).append()
  }

  private def change(): Unit = random.nextInt(10) match {
    case 0 => sql(s"DELETE FROM $t WHERE id % ${2 + random.nextInt(5)} = 0"): Unit
    case 1 => sql(s"DELETE FROM $t WHERE id BETWEEN ${random.nextInt(1000)} AND ${1000 + random.nextInt(1000)}"): Unit
    case 2 => sql(s"UPDATE $t SET i = i + 10 WHERE p = ${random.nextInt(5)}"): Unit
    case 3 if table.spec.isUnpartitioned =>
      EqualityDeletes.of(table, "id", Seq.fill(5)(random.nextInt(2000).toLong): _*)
      sql(s"REFRESH TABLE $t"): Unit
    case 4 if table.spec.isUnpartitioned =>
      sql(s"ALTER TABLE $t ADD PARTITION FIELD ${one(Seq("p", "bucket(3, id)", "days(at)"))}"): Unit
    case 5 => sql(s"ALTER TABLE $t ALTER COLUMN ${one(Seq("i TYPE BIGINT", "y TYPE DOUBLE"))}"): Unit
    case 6 =>
      val mode = one(Seq("none", "counts", "truncate(2)", "full"))
      sql(
        s"ALTER TABLE $t SET TBLPROPERTIES ('write.metadata.metrics.column.${one(Seq("s", "i", "x", "at"))}' = '$mode')")
      append()
    case _ => (0 to random.nextInt(2)).foreach(_ => append())
  }

  private def condition: String = one(Seq(
    "true",
    "true",
    s"id >= ${random.nextInt(2000)}",
    s"i < ${random.nextInt(700)}",
    s"s > '${('A' + random.nextInt(26)).toChar}'",
    s"p = ${random.nextInt(4)}",
    "x IS NOT NULL",
    s"st.n > ${random.nextInt(500)}",
    "year(d) = 2024 AND id % 3 = 0"
  ))

  // Both zeros are one key.
  private def shown(key: String): String = if (key == "x" || key.contains("x,")) s"$key + 0.0D" else key

  private def query(): (String, String) = random.nextInt(6) match {
    case 4 => s"SELECT * FROM $t WHERE ${filters.next()}" -> IndexedScanExec.FilesPruned
    case 5 => s"SELECT * FROM $t WHERE $condition AND ${filters.next()}" -> IndexedScanExec.FilesPruned
    case 0 =>
      val (key, order) = (one(keys), one(Seq("", "DESC", "NULLS LAST", "DESC NULLS FIRST")))
      val limit = 1 + random.nextInt(one(Seq(3, 60, 900)))
      s"SELECT ${shown(key)} FROM $t WHERE $condition ORDER BY $key $order LIMIT $limit" -> IndexedScanExec.FilesPruned
    case 1 =>
      val (a, b) = (one(keys), one(keys))
      s"SELECT min(${shown(a)}), max(${shown(b)}) FROM $t WHERE $condition" -> IndexedScanExec.FilesPruned
    case _ =>
      val key = one(keys)
      val hint = one(Seq("BROADCAST(k)", "MERGE(k)", "SHUFFLE_HASH(k)"))
      val few = s"(SELECT DISTINCT $key AS v FROM $t WHERE hash(id) % ${1 + random.nextInt(400)} = 0)"
      val join = one(Seq("JOIN", "LEFT JOIN", "RIGHT JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"))
      val small = one(Seq(few, "(SELECT * FROM few)"))
      val keyOf = if (small == few) key else one(Seq("id", "i", "st.n", "i + 1", "cast(i AS BIGINT)"))
      s"SELECT /*+ $hint */ t.id, t.s FROM $t t $join $small k ON $keyOf = k.v" ->
        IndexedScanExec.FilesPrunedByKeys
  }

  test("random histories") {
    var pruned = Map.empty[String, Long]
    for (history <- 1 to histories) withIceberg {
      val version = 2 + history % 2
      sql(s"CREATE TABLE $t (id BIGINT, i INT, x DOUBLE, y FLOAT, s STRING, d DATE, at TIMESTAMP, " +
        s"st STRUCT<n: INT, z: DOUBLE>, p INT) USING iceberg TBLPROPERTIES ('format-version' = '$version', " +
        "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read')")
      withTempView("few") {
        for (number <- 1 to 7) {
          if (number < 3) append() else change()
          val first = random.nextInt(2000)
          spark.range(first, first + 40).selectExpr("id AS v").coalesce(1).createOrReplaceTempView("few")
          for (_ <- 1 to 6) {
            val (text, metric) = query()
            pruned += metric -> (pruned.getOrElse(metric, 0L) + run(text, metric))
          }
        }
      }
    }
    info(s"$pruned")
    assert(pruned.values.forall(_ > 0) && pruned.size == 2)
  }

  private def run(query: String, metric: String): Long = {
    val expected = withSQLConf(dynamic -> "false")(sql(query).collect().toSeq)
    withSQLConf("spark.sql.adaptive.enabled" -> random.nextBoolean().toString) {
      val data = sql(query)
      withClue(query)(checkAnswer(data, expected))
      prunedBy(metric, data.queryExecution.executedPlan)
    }
  }
}
