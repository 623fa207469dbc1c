// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import java.io.File

import io.sparkzorder.{DailyTest, LongSuite}
import io.sparkzorder.skipping.scan.{IndexedScanExec, IndexesInMemory, SkippingSession}

import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.execution.FileSourceScanExec

/** Joins that shuffle both sides, and joins by ranges, leave out files by the bounds of the smaller side's keys. */
class BoundedJoinKeysSuite extends QueryTest with SkippingSession with LongSuite {

  override protected def inShortRing: Set[String] = Set("a join whose smaller side is filtered")

  /** Ten files of 5,000 facts, `id` from 0 to 49,999 in order, and a file of 500 dimensions with every hundredth `id`. */
  private def withTables(body: => Unit): Unit = withTempPath { root =>
    val (facts, dimensions) = (s"$root/facts", s"$root/dimensions")
    spark.range(0, 50000, 1, 10).selectExpr(
      "id",
      "CAST(id AS INT) AS i",
      "format_string('n%05d', id) AS name",
      "IF(id % 7 = 0, NULL, id / 2.0D) AS x",
      "hash(id) AS h").write.parquet(facts)
    spark.range(0, 50000, 100, 1).selectExpr(
      "id AS d",
      "CAST(id AS INT) AS di",
      "id AS f",
      "format_string('n%05d', id) AS dname",
      "CASE WHEN id = 200 THEN double('NaN') WHEN id % 300 = 0 THEN NULL ELSE id / 2.0D END AS dx"
    ).write.parquet(dimensions)
    withTempView("fact", "dim", "kept") {
      indexed(new File(facts)) {
        spark.read.parquet(facts).createOrReplaceTempView("fact")
        spark.read.parquet(dimensions).createOrReplaceTempView("dim")
        withSQLConf("spark.sql.autoBroadcastJoinThreshold" -> "-1")(adaptive(body))
      }
    }
  }

  private def factScans(data: DataFrame): Seq[FileSourceScanExec] =
    scans(data).filter(_.relation.location.rootPaths.exists(_.getName == "facts"))

  /** Files that the facts' only scan reads, after a check of the rows. */
  private def read(query: String): Long = {
    val Seq(scan) = factScans(checked(spark.sql(query)))
    metric(scan, "numFiles")
  }

  test("a join whose smaller side is filtered", DailyTest) {
    withTables {
      for (hint <- Seq("", "/*+ SHUFFLE_HASH(dim) */", "/*+ MERGE(fact) */")) {
        assert(read(s"SELECT $hint * FROM fact JOIN dim ON id = d WHERE f + 0 BETWEEN 5100 AND 9900") === 1)
        assert(read(s"SELECT $hint * FROM dim JOIN fact ON id = d WHERE f + 0 > 44900") === 1)
      }
      val Seq(scan) = factScans(checked(spark.sql("SELECT * FROM fact JOIN dim ON id = d WHERE f + 0 < 4900")))
      assert(metric(scan, IndexedScanExec.FilesPrunedByKeys) === 9)
      assert(scan.asInstanceOf[IndexedScanExec].pushedDownFilters.mkString.contains("LessThanOrEqual(id,4800)"))
    }
  }

  test("keys of other types, several keys, subqueries, several joins") {
    withTables {
      assert(read("SELECT * FROM fact JOIN dim ON name = dname WHERE f + 0 < 4900") === 1)
      assert(read("SELECT * FROM fact JOIN dim ON i = d WHERE f + 0 < 4900") === 1)
      assert(read("SELECT * FROM fact JOIN dim ON x = dx WHERE f + 0 BETWEEN 300 AND 4900") === 1)
      // NaN is above all numbers.
      assert(read("SELECT * FROM fact JOIN dim ON x = dx WHERE f + 0 BETWEEN 200 AND 4900") === 10)
      assert(read("SELECT * FROM fact JOIN dim ON id = d AND name = dname WHERE f + 0 < 4900") === 1)
      assert(read("SELECT * FROM fact WHERE id IN (SELECT d FROM dim WHERE f + 0 < 4900)") === 1)
      assert(read("SELECT * FROM fact WHERE EXISTS (SELECT 1 FROM dim WHERE id = d AND f + 0 < 4900)") === 1)
      assert(read("SELECT * FROM fact JOIN dim a ON id = a.d JOIN dim b ON name = b.dname " +
        "WHERE a.f + 0 < 12000 AND b.f + 0 > 11000") === 1)
      assert(read(
        "SELECT * FROM (SELECT *, id + 1 AS k FROM fact WHERE h <> 5) JOIN dim ON id = d WHERE f + 0 < 4900") === 1)
      // No row of dimensions, and none with a key.
      for (none <- Seq("id = d WHERE f + 0 < 0", "x = dx WHERE f + 0 = 300")) {
        val data = checked(spark.sql(s"SELECT * FROM fact JOIN dim ON $none"))
        assert(factScans(data).map(metric(_, "numFiles")).sum === 0)
      }
    }
  }

  test("outer joins: only the side whose rows need a match") {
    withTables {
      spark.table("dim").localCheckpoint().createOrReplaceTempView("kept")
      assert(read("SELECT * FROM fact RIGHT JOIN (SELECT * FROM kept WHERE f + 0 < 4900) ON id = d") === 1)
      assert(read("SELECT * FROM (SELECT * FROM kept WHERE f + 0 < 4900) LEFT JOIN fact ON id = d") === 1)
      assert(
        read("SELECT * FROM (SELECT * FROM kept WHERE f + 0 < 4900) LEFT ANTI JOIN fact ON id = d AND h > 0") === 1)
      assert(read("SELECT d, EXISTS (SELECT 1 FROM fact WHERE id = d AND h > 0) FROM kept WHERE f + 0 < 4900") === 1)
      assert(read("SELECT * FROM (SELECT * FROM dim WHERE f + 0 < 4900) LEFT SEMI JOIN fact ON id = d AND h > 0") === 1)
      // A folder may have another row when the join reads it, which came out as one without a match.
      assert(read("SELECT * FROM fact RIGHT JOIN (SELECT * FROM dim WHERE f + 0 < 4900) ON id = d") === 10)
      assert(read("SELECT * FROM (SELECT * FROM dim WHERE f + 0 < 4900) LEFT ANTI JOIN fact ON id = d") === 10)
      // Any row without a value decides.
      assert(read("SELECT d FROM kept WHERE f + 0 < 4900 AND dx NOT IN (SELECT x FROM fact)") === 10)
      for {
        query <- Seq(
          "SELECT * FROM fact LEFT JOIN (SELECT * FROM dim WHERE f + 0 < 4900) ON id = d",
          "SELECT * FROM (SELECT * FROM dim WHERE f + 0 < 4900) RIGHT JOIN fact ON id = d",
          "SELECT * FROM fact FULL JOIN (SELECT * FROM dim WHERE f + 0 < 4900) ON id = d",
          "SELECT * FROM fact LEFT ANTI JOIN (SELECT * FROM dim WHERE f + 0 < 4900) ON id = d",
          "SELECT * FROM fact LEFT JOIN dim ON id = d AND f + 0 < 4900",
          "SELECT id, id IN (SELECT d FROM dim WHERE f + 0 < 4900) FROM fact"
        )
      } assert(read(query) === 10, query)
      // Through a join that keeps each row for itself, and not through one that adds a row where none is left.
      assert(
        read("SELECT * FROM fact LEFT JOIN dim a ON name = a.dname JOIN dim b ON id = b.d WHERE b.f + 0 < 4900") === 1)
      assert(read("SELECT * FROM dim a LEFT JOIN fact ON a.dname = name JOIN dim b ON coalesce(id, 0) = b.d " +
        "WHERE b.f + 0 < 4900") === 10)
    }
  }

  test("a side that may have other rows when it is read again, or costs too much, gives no bounds") {
    withTables {
      spark.udf.register("same", (id: Long) => id)
      for {
        side <- Seq(
          "(SELECT * FROM dim WHERE f + rand(5) < 4900)",
          "(SELECT * FROM dim WHERE same(f) < 4900)",
          "(SELECT * FROM dim WHERE f + 0 < 4900 LIMIT 20)",
          "(SELECT d FROM dim WHERE f + 0 < 4900 GROUP BY d)",
          "(SELECT * FROM dim WHERE f + 0 < (SELECT max(d) FROM dim) / 10)"
        )
      } assert(read(s"SELECT id FROM fact JOIN $side ON id = d") === 10, side)
      // A row that the filter would drop may have a key, too.
      assert(read(
        "SELECT id FROM fact JOIN (SELECT CAST(di AS BIGINT) AS k FROM dim WHERE same(d) > 0 AND f < 5000) ON id = k") === 1)
      // The filter stands before a key, or another filter, that fails without it.
      withSQLConf("spark.sql.ansi.enabled" -> "true") {
        val guarded = "(SELECT CAST(1000 * d / d AS BIGINT) AS k FROM dim WHERE same(d) > 0)"
        assert(read(s"SELECT id FROM fact JOIN $guarded ON id = k") === 10)
        val both = "(SELECT d FROM (SELECT d, 1000 / d AS q FROM dim) WHERE same(d) > 0 AND q > 0.3)"
        assert(read(s"SELECT id FROM fact JOIN $both ON id = d") === 10)
      }
      withSQLConf("spark.sql.files.ignoreMissingFiles" -> "true") {
        assert(read("SELECT * FROM fact JOIN dim ON id = d WHERE f + 0 < 4900") === 10)
      }
      // As large as the side that it would prune.
      val data = checked(spark.sql("SELECT a.id FROM fact a JOIN fact b ON a.id = b.id WHERE b.h + 0 > 2000000000"))
      assert(factScans(data).map(metric(_, "numFiles")) === Seq(10, 10))
    }
  }

  test("joins by ranges, with a broadcast") {
    withTables(withSQLConf("spark.sql.autoBroadcastJoinThreshold" -> "10m") {
      val some = "(SELECT d, d + 300 AS e, dx, CAST(di AS BIGINT) AS l FROM dim WHERE f + 0 BETWEEN 5100 AND 9000)"
      assert(read(s"SELECT id, d FROM fact JOIN $some ON id BETWEEN d AND e") === 1)
      assert(read(s"SELECT id, d FROM $some JOIN fact ON d < id AND e > id") === 1)
      assert(read(s"SELECT id, d FROM fact JOIN $some ON id < d") === 2)
      assert(read(s"SELECT id, d FROM fact JOIN $some ON id >= d AND h > d") === 9)
      assert(read(s"SELECT id FROM fact LEFT SEMI JOIN $some ON i BETWEEN l AND e") === 1)
      assert(read(s"SELECT id, d FROM fact JOIN $some ON x <= dx AND x >= dx - 1") === 1)
      assert(read(s"SELECT id, d FROM $some LEFT JOIN fact ON id BETWEEN d AND e") === 10)
      for (kind <- Seq("LEFT JOIN", "LEFT ANTI JOIN", "FULL JOIN"))
        assert(read(s"SELECT fact.id FROM fact $kind $some ON id BETWEEN d AND e") === 10)
      assert(read(s"SELECT id, d FROM fact JOIN $some ON id BETWEEN d AND e OR h = d") === 10)
      val none = checked(spark.sql(
        "SELECT id, d FROM fact JOIN (SELECT IF(f % 100 = 1, d, NULL) AS d FROM dim WHERE f + 0 < 900) ON id < d"))
      assert(factScans(none).map(metric(_, "numFiles")).sum === 0)
    })
  }

  test("of files of text, which rows are damaged depends on the columns that are read") {
    withTables(withTempPath { folder =>
      val text = """concat('{"k":', id + 2900, ', "v":', if(id = 0, '"abc"', '1'), '}')"""
      spark.range(0, 100, 1, 1).selectExpr(text).write.text(folder.getPath)
      withTempView("texts") {
        spark.read.schema("k BIGINT, v INT, damaged STRING").option("columnNameOfCorruptRecord", "damaged").json(
          folder.getPath).createOrReplaceTempView("texts")
        assert(read("SELECT id, v FROM fact JOIN texts ON id = k WHERE damaged IS NOT NULL") === 10)
      }
    })
  }

  test("readers of Parquet get no bounds of floating-point numbers, whose zeros they tell apart") {
    withTables(withTempPath { folder =>
      spark.range(0, 200, 1, 1).selectExpr("IF(id % 2 = 0, double('-0.0'), -1D) AS z").write.parquet(folder.getPath)
      withTempView("zeros") {
        indexed(folder) {
          spark.read.parquet(folder.getPath).createOrReplaceTempView("zeros")
          val ranges = "(VALUES (0D, 5D), (0D, 4D)) AS r(low, high)"
          val found =
            checked(spark.sql(s"SELECT /*+ BROADCAST(r) */ z FROM zeros JOIN $ranges ON z >= low AND z <= high"))
          assert(found.count() === 200)
        }
      }
    })
  }

  test("a bound that cannot be computed is of a row that the join does not ask for it") {
    withTables {
      val ranges = "(VALUES (1, '100', 200L), (2, 'none', 300L)) AS r(kind, first, last)"
      assert(read(s"SELECT /*+ BROADCAST(r) */ id, first FROM fact JOIN $ranges " +
        "ON (kind <> 2 OR i < 0) AND id >= CAST(first AS INT) AND id <= last + 5") === 1)
    }
  }

  test("a broadcast join above a join that shuffles") {
    withTables {
      def ids(dimensions: String) = s"SELECT /*+ BROADCAST(b) */ id, other FROM $dimensions b JOIN " +
        "(SELECT /*+ MERGE(fact) */ id, other FROM fact JOIN (SELECT id AS other, h FROM fact WHERE i >= 0) o " +
        "ON fact.h = o.h) ON id = d"
      def files(query: String) = factScans(checked(spark.sql(query))).map(metric(_, "numFiles")).sorted
      assert(files(ids("(SELECT d FROM dim WHERE f + 0 < 4900)")) === Seq(1, 10))
      // Without a filter, and through a join that keeps rows without a match, they read all.
      assert(files(ids("(SELECT d FROM dim)")) === Seq(10, 10))
      assert(files(ids("(SELECT d FROM dim WHERE f + 0 < 4900)").replace("b JOIN", "b RIGHT JOIN")) === Seq(10, 10))
    }
  }

  test("as many subqueries with such a join as Spark runs at once") {
    withTables {
      val subqueries = (1 to 20).map(i => s"(SELECT count(*) FROM fact JOIN dim ON id = d WHERE f + $i < 4900)")
      val row = spark.sql(subqueries.mkString("SELECT ", ", ", "")).head()
      assert(row === Row.fromSeq(Seq.fill(20)(49L)))
    }
  }

  test("the smaller side is read once more for all keys, and not at all where the table has no statistics") {
    def dimScans(query: String) = scans(checked(spark.sql(query)))
      .filter(_.relation.location.rootPaths.exists(_.getName == "dimensions")).filter(_.metrics("numFiles").value > 0)
      .distinctBy(System.identityHashCode)
    val join = "SELECT * FROM fact JOIN dim ON id = d AND name = dname AND i = di WHERE f + 0 < 4900"
    withTables {
      assert(read(join) === 1)
      assert(dimScans(join).size === 2)
    }
    withTables {
      IndexesInMemory.clear()
      assert(read(join) === 10)
      assert(dimScans(join).size === 1)
    }
  }

  test("a table that is read twice is shuffled once") {
    withTables {
      val query = Seq("< 4900", "> 44900").map(f => s"SELECT id, f FROM fact JOIN dim ON id = d WHERE f + 0 $f")
      val data = checked(spark.sql(query.mkString(" UNION ALL ")))
      assert(factScans(data).map(_.canonicalized).distinct.size === 1)
    }
  }

  test("a scan that is pruned is no other's, though all else is equal") {
    withTables {
      val query = Seq("f + 0 < 4900", "f + 0 > 44900", "f + 0 < 4900").map { which =>
        s"SELECT id, name, f FROM fact JOIN dim ON id = d WHERE $which"
      }.mkString(" UNION ALL ")
      checked(spark.sql(s"$query UNION ALL SELECT id, name, id FROM fact JOIN (SELECT id AS k FROM fact) ON id = k"))
      checked(
        spark.sql("SELECT count(*) FROM fact a JOIN dim ON a.id = d JOIN fact b ON a.name = b.name WHERE f + 0 < 4900"))
    }
  }

  test("what depends on the rows that are left out reads all of them") {
    withTables {
      for {
        below <- Seq(
          "(SELECT * FROM fact LIMIT 40000)",
          "(SELECT *, row_number() OVER (ORDER BY name) AS r FROM fact)",
          "(SELECT *, rand(5) AS r FROM fact)",
          "(SELECT sum(i) AS id FROM fact)",
          "(SELECT /*+ REPARTITION(3) */ * FROM fact)"
        )
      } assert(read(s"SELECT b.* FROM $below b JOIN dim ON id = d WHERE f + 0 < 4900") === 10, below)
    }
  }

  test("the plan says so, EXPLAIN starts no job, and either setting turns it off") {
    withTables {
      val query = "SELECT * FROM fact JOIN dim ON id = d WHERE f + 0 < 4900"
      val jobs = jobsOf {
        val text = spark.sql(s"EXPLAIN FORMATTED $query").head().getString(0)
        assert(text.contains("BETWEEN (keys of join)"), text)
      }
      assert(jobs === Nil)
      for (setting <- Seq("skipping.dynamic", "skipping.enabled"))
        withSQLConf(s"spark.sql.zorder.$setting" -> "false")(assert(read(query) === 10))
    }
  }
}
