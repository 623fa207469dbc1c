// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import java.io.File

import scala.util.Random

import io.sparkzorder.{DailyTest, LongSuite, TestRing}
import io.sparkzorder.skipping.scan.{IndexedScanExec, SkippingSession}

import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.functions._

/** Random joins, subqueries and first rows over random tables have the rows that they have with skipping off. */
class RandomJoinsSuite extends QueryTest with SkippingSession with LongSuite {

  override protected def inShortRing: Set[String] = Set("random queries")

  private val queries = TestRing.cases(short = 20, long = 60)

  /** Columns that joins compare, by name, with values of few kinds; NULL, NaN and -0.0 among them. */
  private val columns: Seq[(String, String)] = Seq(
    "l" -> "cast(v AS bigint)",
    "i" -> "cast(v AS int)",
    "d" -> "CASE v % 11 WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D ELSE v / 4.0D END",
    "t" -> "concat(chr(97 + v % 5), v)",
    "n" -> "cast(v AS decimal(9, 2))",
    "y" -> "date_add(DATE'2024-01-01', v)",
    "m" -> "timestamp_seconds(v * 3601)"
  )

  /** Rows with a value `v` below `most` and the columns made of it, each NULL now and then. */
  private def rows(count: Int, most: Int, seed: Int): DataFrame = {
    val nullable = columns.zipWithIndex.map { case ((name, value), i) =>
      s"if(pmod(xxhash64(id, $seed, $i), 9) = 0, NULL, $value) AS $name"
    }
    spark.range(count).selectExpr("id", s"cast(pmod(xxhash64(id, $seed), $most) AS int) AS v").selectExpr(
      Seq("id", "v") ++ nullable: _*)
  }

  private def withTables(body: => Unit): Unit = withTempPath { root =>
    val folders = Seq(300, 60, 300).zipWithIndex.map { case (most, i) =>
      val folder = new File(root, s"f$i")
      // Files of neighbours, which overlap.
      rows(400, most, i).repartitionByRange(8, expr(s"v + pmod(id, ${20 * i + 1})")).write.parquet(folder.getPath)
      folder
    }
    val names = folders.indices.map(i => s"f$i") ++ Seq("small", "few")
    withTempView(names: _*) {
      indexed(folders: _*) {
        folders.zipWithIndex.foreach { case (f, i) => spark.read.parquet(f.getPath).createOrReplaceTempView(s"f$i") }
        rows(12, 300, 7).localCheckpoint().createOrReplaceTempView("small")
        rows(3, 60, 8).localCheckpoint().createOrReplaceTempView("few")
        body
      }
    }
  }

  private class Queries(random: Random) {
    private def oneOf[A](options: A*): A = options(random.nextInt(options.size))

    private def fact: String = s"f${random.nextInt(3)}"
    private def side: String = oneOf("small", "few", "small", "few", fact)
    private def column: String = columns(random.nextInt(columns.size))._1

    private def filter(of: String): String = oneOf(
      "true",
      s"$of.v < ${random.nextInt(200)}",
      s"$of.i BETWEEN ${random.nextInt(60)} AND ${random.nextInt(300)}",
      s"$of.${column} IS NOT NULL",
      s"$of.t LIKE 'b%'",
      s"$of.id % 3 = 0"
    )

    /** Rows of a fact table, as queries have them below joins. */
    private def below: String = oneOf(
      s"(SELECT * FROM $fact)",
      s"(SELECT * FROM $fact)",
      fact,
      s"(SELECT id, v + 0 AS v, ${columns.map(_._1).mkString(", ")} FROM $fact x WHERE ${filter("x")})",
      s"(SELECT * FROM $fact UNION ALL SELECT * FROM $fact)",
      s"(SELECT x.* FROM $fact x LEFT JOIN $side z ON x.${column} = z.${column})",
      s"(SELECT x.* FROM $fact x LEFT ANTI JOIN $side z ON x.l = z.l)",
      s"(SELECT max(id) AS id, v, ${columns.map(c => s"max(${c._1}) AS ${c._1}").mkString(", ")} FROM $fact GROUP BY v)",
      s"(SELECT id, v, ${columns.map(_._1).mkString(", ")} FROM (SELECT *, count(*) OVER (PARTITION BY v) AS c FROM $fact) " +
        "WHERE c > 1)"
    )

    private def on(a: String, b: String): String = {
      val (x, y) = (column, column)
      oneOf(
        s"$a.$x = $b.$x",
        s"$a.$x = $b.$x",
        s"$a.$x = $b.$x AND $a.$y = $b.$y",
        s"$a.$x <=> $b.$x",
        s"$a.$x = $b.$x AND $a.v >= $b.v",
        s"$a.l = $b.i",
        s"$a.i = $b.n",
        s"cast($a.l AS double) = $b.d",
        s"$a.v BETWEEN $b.v AND $b.v + 3",
        s"$a.d >= $b.d AND $a.d < $b.d + 3",
        s"$a.$x = $b.$x OR $a.v = $b.v"
      )
    }

    private def hint: String =
      oneOf("", "", "/*+ BROADCAST(a) */", "/*+ BROADCAST(b) */", "/*+ MERGE(a) */", "/*+ SHUFFLE_HASH(b) */")

    private val all = columns.map(c => s"a.${c._1}").mkString(", ")

    def next(): String = oneOf(
      s"SELECT $hint a.id, $all, b.v FROM $below a ${oneOf("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")} $side b " +
        s"ON ${on("a", "b")} WHERE ${filter("a")} AND ${filter("b")}",
      s"SELECT $hint a.id, b.v FROM $side b ${oneOf("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")} $below a ON ${on("a", "b")}",
      s"SELECT $hint a.* FROM $below a ${oneOf("LEFT SEMI JOIN", "LEFT ANTI JOIN")} $side b ON ${on("a", "b")}",
      s"SELECT a.* FROM $below a WHERE a.$column ${oneOf("IN", "IN", "NOT IN")} (SELECT b.${column} FROM $side b WHERE ${filter("b")}) " +
        s"AND ${filter("a")}",
      s"SELECT a.* FROM $below a WHERE ${oneOf("EXISTS", "NOT EXISTS")} (SELECT 1 FROM $side b WHERE ${on("a", "b")})",
      s"SELECT a.id, b.v, c.v FROM $below a JOIN $side b ON ${on("a", "b")} JOIN $side c ON ${on("a", "c")}",
      s"SELECT count(*), sum(a.v) FROM $below a JOIN $side b ON ${on("a", "b")}", {
        val key = column
        s"SELECT a.$key FROM $below a WHERE ${filter("a")} AND ${filter("a")} ORDER BY a.$key ${oneOf("", "DESC")} " +
          s"${oneOf("", "NULLS FIRST", "NULLS LAST")} LIMIT ${1 + random.nextInt(30)}"
      },
      s"SELECT min(a.$column), max(a.$column) FROM $below a WHERE ${filter("a")}"
    )
  }

  test("random queries", DailyTest) {
    val random = new Random(20261126)
    val queries = new Queries(random)
    var (ran, failed, pruned) = (0, 0, 0L)
    withTables {
      for (_ <- 1 to this.queries) {
        val query = queries.next()
        withSQLConf(
          "spark.sql.adaptive.enabled" -> (random.nextInt(4) != 0).toString,
          "spark.sql.autoBroadcastJoinThreshold" -> (if (random.nextBoolean()) "10m" else "-1")) {
          val expected =
            try Some(withSQLConf("spark.sql.zorder.skipping.enabled" -> "false")(spark.sql(query).collect().toSeq))
            // Types that cannot be compared, and casts that fail.
            catch { case _: Exception => None }
          expected match {
            case None => failed += 1
            case Some(rows) =>
              val data = spark.sql(query)
              assert(multiset(data.collect().toSeq) == multiset(rows), query)
              ran += 1
              pruned += scans(data).flatMap(_.metrics.get(IndexedScanExec.FilesPrunedByKeys)).map(_.value).sum
          }
        }
      }
    }
    info(s"$ran queries, $failed that fail by themselves, $pruned files pruned by keys")
    assert(ran > this.queries / 2 && pruned > this.queries / 4)
  }

  private def multiset(rows: Seq[Row]): Map[String, Int] = rows.groupMapReduce(_.toString)(_ => 1)(_ + _)
}
