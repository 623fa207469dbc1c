// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import org.apache.spark.sql.QueryTest

/** What Iceberg's tests of a rewrite promise of the rows that its filter names: which files they choose. */
class IcebergRewriteFiltersSuite extends QueryTest with IcebergPromises {

  private val overlapping = "OPTIONS (where_files = 'overlapping')"

  /** Five files with `a` = 1 alone, and five with 2; in partitions by `c`, `foo` or `bar`, where that is asked for. */
  private def twoKinds(partitionedBy: String = ""): Unit = {
    val rows = spark.range(0, 100, 1, 10).selectExpr(
      "if(id < 50, 1, 2) AS a",
      "if(id < 50, 'foo', 'bar') AS c",
      "cast(NULL AS string) AS d",
      "timestamp_seconds(1672531200 + id * 3600) AS at",
      "id")
    create(rows, partitionedBy = partitionedBy, properties = scattered)
  }

  private def chosen(where: String, options: String = "", by: String = "id"): (Long, Long) =
    swapped(optimize(s"WHERE $where ZORDER BY ($by) $options"))

  /** Runs a statement that has no file to rewrite: no version comes of it. */
  private def choosesNone(where: String, options: String): Unit =
    assert(swapped(optimize(s"WHERE $where ZORDER BY (id) $options", snapshots = 0)) === ((0, 0)), where)

  test("a filter on columns of data takes the files that may have such rows, and rewrites all their rows") {
    withIceberg {
      twoKinds()
      assert(chosen("A = 1 AND c IS NOT NULL", overlapping) === ((5, 1)))
      assert(files.size === 6)
      // Of ten row groups, of which the filter names a part.
      val small = "'write.parquet.row-group-size-bytes' = '100'"
      sql(s"DROP TABLE $t PURGE")
      create(samples(200).selectExpr("*", "cast(id % 4 AS string) AS e").repartition(2), properties = small)
      assert(chosen("e = '0'", overlapping) === ((2, 1)) && files.head.recordCount === 200)
    }
  }

  test("a filter that is always true takes all files, one that is always false none") {
    withIceberg {
      twoKinds("c")
      for (options <- Seq("", overlapping))
        for (where <- Seq("0 = 1", "false", "c = 'foo' AND 1 > 2", "CAST(NULL AS BOOLEAN)")) choosesNone(where, options)
      assert(chosen("1 = 1") === ((10, 2)) && chosen("1 = 1", overlapping) === ((2, 2)))
    }
  }

  for (where <- Seq("c = 'bar'", "C IN ('bar', 'baz')", "c LIKE 'ba%'", "substr(c, 2) = 'ar'", "NOT c = 'foo'"))
    test(s"a filter on the column of a partition takes that partition: $where") {
      withIceberg {
        twoKinds("c")
        assert(chosen(where) === ((5, 1)) && files.size === 6)
      }
    }

  test("a filter on columns of which partitions are made") {
    withIceberg {
      create(promised(400).repartition(2), partitionedBy = "p, truncate(6, c)", properties = scattered)
      val before = files.size
      assert(chosen("p = 1 AND c LIKE 'user-3%'") === ((2, 1)) && files.size === before - 1)
      val second = files.filter(_.partition.get(0, classOf[Integer]) == 2)
      // All of the partition may have rows of the bucket.
      assert(
        chosen("p = 2 AND ice.system.bucket(2, c) = 0") ===
          ((second.size, second.map(_.partition.toString).distinct.size)))
    }
  }

  test("filters of every kind that match no row choose no file") {
    withIceberg {
      twoKinds("c")
      for (where <- Seq(
          "a = 3",
          "a > 3",
          "a >= 3",
          "a < 0",
          "a <= 0",
          "a IN (3, 4, 5)",
          "a IS NULL",
          "d IS NOT NULL",
          "a = 3 AND c = 'bar'",
          "a = 3 OR a = 5",
          "a <=> NULL",
          "c LIKE 'car%'",
          "NOT (a <= 2 OR a IS NULL)",
          "a NOT IN (1, 2)",
          "c LIKE '%car'",
          "c LIKE '%car%'"
        ))
        choosesNone(where, overlapping)
    }
  }

  test("a filter by the catalog's functions, as partitions are made by them") {
    withIceberg {
      twoKinds("bucket(2, c)")
      val buckets =
        sql(s"SELECT DISTINCT c, ice.system.bucket(2, c) FROM $t").collect().map(r => r.getString(0) -> r.getInt(1))
      assert(buckets.map(_._2).toSet === Set(0, 1))
      for ((_, bucket) <- buckets) assert(chosen(s"ice.system.bucket(2, c) = $bucket") === ((5, 1)))
      choosesNone("ice.system.bucket(2, c) > 1", "")
    }
    for (transform <- Seq("years", "months", "days", "hours")) withIceberg {
      twoKinds(s"$transform(at)")
      val where = s"ice.system.$transform(at) >= ${if (transform == "days") "date'2023-01-03'" else "1"}"
      val having = sql(s"SELECT DISTINCT _file FROM $t WHERE $where").count()
      assert((having < files.size) === (transform == "days") && chosen(where)._1 === having)
    }
    withIceberg {
      twoKinds("truncate(10, id)")
      assert(chosen("ice.system.truncate(10, id) >= 50", by = "a") === ((5, 5)))
    }
  }

  test("filters that cannot choose files, or are wrong") {
    withIceberg {
      twoKinds("bucket(2, c)")
      def wrong(where: String, condition: String) = refused(s"OPTIMIZE $t WHERE $where ZORDER BY (id)", condition)
      wrong("substr(encode(c, 'utf-8'), 2) = 'fo'", "ZORDER_ICEBERG_PREDICATE")
      wrong("substr(c, 2) = 'fo'", "ZORDER_ICEBERG_PREDICATE")
      wrong("substr(c, 2) LIKE 'fo%'", "ZORDER_ICEBERG_PREDICATE")
      wrong("e = 3", "UNRESOLVED_COLUMN.WITH_SUGGESTION")
      wrong("a = 3", "ZORDER_PREDICATE_ON_DATA_COLUMN")
      // Where any column may be named, what has no bounds leaves out no file.
      assert(chosen("substr(d, 2) = 'fo'", overlapping) === ((10, 2)))
      assert(chosen("substr(d, 2) LIKE 'fo%'", overlapping) === ((2, 2)))
    }
  }
}
