// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.jdk.CollectionConverters._

import org.apache.iceberg.expressions.Expressions
import org.apache.iceberg.spark.{Spark3Util, SparkTableCache}
import org.apache.spark.sql.{QueryTest, Row}

/** What Iceberg's tests of a rewrite promise of rows, columns and names. */
class IcebergRewriteRowsSuite extends QueryTest with IcebergPromises {

  for (version <- 1 to 4) {
    test(s"a table without a snapshot gets none, version $version") {
      withIceberg {
        sql(s"CREATE TABLE $t (a INT, b STRING) USING iceberg TBLPROPERTIES ('format-version' = '$version')")
        assert(swapped(sql(s"OPTIMIZE $t ZORDER BY (a, b)").head()) === ((0, 0)))
        assert(current === null && dataOnDisk.isEmpty)
      }
    }

    test(s"many files become one, and the result tells what was removed, version $version") {
      withIceberg {
        create(promised(400).repartition(10), version)
        val bytes = files.map(_.fileSizeInBytes).sum
        val numbers = if (version >= 3) Some(lineage) else None
        val result = optimize("ZORDER BY (a, c)")
        assert(swapped(result) === ((10, 1)) && files.size === 1)
        assert(bytesRemoved(result) === bytes)
        assertBytes(result)
        numbers.foreach(before => assert(lineage === before))
      }
    }
  }

  test("equal rows stand together in a file, in the order of the curve, also beside a column of nothing but NULL") {
    withIceberg {
      val two = spark.range(40).selectExpr(
        "cast(id % 2 AS int) + 1 AS a",
        "if(id % 2 = 0, 'foo', 'bar') AS c",
        "cast(NULL AS binary) AS d")
      create(two.repartition(10))
      for ((columns, first) <- Seq("a, c" -> 1, "a" -> 1, "c, d" -> 2, "d, c" -> 2)) {
        optimize(s"ZORDER BY ($columns)")
        val found = sql(s"SELECT a FROM $t ORDER BY _file, _pos").collect().map(_.getInt(0)).toSeq
        assert(files.size === 1 && found === Seq.fill(20)(first) ++ Seq.fill(20)(3 - first))
      }
    }
  }

  for (isDropped <- Seq(false, true))
    test(
      s"VARIANT, in files that were shredded by a setting which is off again, and in others; dropped since: $isDropped") {
      withIceberg {
        sql(s"CREATE TABLE $t (id BIGINT, v VARIANT, s STRUCT<v: VARIANT>) USING iceberg TBLPROPERTIES ('format-version' = '3')")
        val value = """parse_json('{"name": "a", "age": ' || id || '}')"""
        for (shreds <- Seq("true", "false")) withSQLConf("spark.sql.iceberg.shred-variants" -> shreds)(
          sql(s"INSERT INTO $t SELECT id, $value, struct($value) FROM range(500)"))
        def rows = sql(s"SELECT id, to_json(v), to_json(s.v) FROM $t").collect().toSeq
        val before = rows
        assert(before.size === 1000)
        if (isDropped) sql(s"ALTER TABLE $t DROP COLUMNS v, s")
        if (isDropped) sql(s"OPTIMIZE $t ZORDER BY (id)").collect() else optimize("ZORDER BY (id)")
        if (isDropped) checkAnswer(sql(s"SELECT id FROM $t"), before.map(r => Row(r.getLong(0))))
        else assert(QueryTest.sameRows(before, rows).isEmpty)
      }
    }

  test("columns of every type that has an order, all at once") {
    withIceberg {
      create(spark.range(0, 100, 1, 10).selectExpr(
        "id AS long_",
        "cast(id AS int) AS int_",
        "cast(id AS float) AS float_",
        "if(id = 3, double('NaN'), cast(-id AS double)) AS double_",
        "cast(id AS decimal(20, 3)) AS decimal_",
        "date_add(date'2025-01-01', cast(id AS int)) AS date_",
        "timestamp_seconds(id * 100000) AS at_",
        "cast(timestamp_seconds(-id * 100000) AS timestamp_ntz) AS ntz_",
        "if(id % 7 = 0, NULL, cast(id AS string)) AS string_",
        "id > 50 AS boolean_",
        "cast(cast(id AS string) AS binary) AS binary_"
      ))
      // Arrays of bytes are compared by what is in them.
      def all = rows(sql(s"SELECT *, hex(binary_) FROM $t").drop("binary_"))
      val (names, before) = (table.schema.columns.asScala.map(_.name), all)
      def clustered(columns: String, parts: Int): Unit = {
        val size = files.map(_.fileSizeInBytes).sum / parts
        sql(s"OPTIMIZE $t ZORDER BY ($columns) OPTIONS (target_file_size = '$size')")
        sql(s"REFRESH TABLE $t")
        assert(all === before)
      }
      clustered(names.mkString(", "), 1)
      assert(files.size === 1 && table.snapshots.asScala.size === 2)
      // Some of them alone, too, in files that are apart in it.
      for (column <- Seq("float_", "decimal_", "ntz_", "binary_")) {
        clustered(column, 4)
        assert(files.size > 2 && share(column) < 0.7, column)
      }
    }
  }

  // Iceberg's own z-order refuses the first of them.
  test("columns that have the names of what a rewrite adds to rows") {
    withIceberg {
      val names = Seq("ICEZVALUE", "_zorder_position", "_zorder_section", "_zorder_rows", "bucket", "_zorder_block")
      val columns = names.zipWithIndex.map { case (name, i) => s"cast(pmod(hash(id, $i), 7) AS int) AS `$name`" }
      create(samples(300).repartition(4).selectExpr("id" +: columns: _*), partitionedBy = "bucket(2, id)")
      optimize("ZORDER BY (ICEZVALUE, _zorder_position, bucket) OPTIONS (target_file_size = '1k')")
      sql(s"ALTER TABLE $t ADD PARTITION FIELD _zorder_rows")
      optimize("ZORDER BY (_zorder_section, id)")
      assert(files.groupBy(_.partition.toString).size === 14)
    }
  }

  test("a table whose name has signs of all kinds") {
    val special = "ice.db.`table:with.special:chars`"
    try {
      sql(s"CREATE TABLE $special (a INT, c STRING) USING iceberg")
      samples(100).selectExpr("a", "c").repartition(5).writeTo(special).append()
      val before = rows(sql(s"SELECT * FROM $special"))
      for (where <- Seq("", "WHERE c IS NOT NULL", "WHERE c IS NULL")) {
        val overlapping = if (where.isEmpty) "" else "OPTIONS (where_files = 'overlapping')"
        sql(s"OPTIMIZE $special $where ZORDER BY (a, c) $overlapping").collect()
        sql(s"REFRESH TABLE $special")
        assert(rows(sql(s"SELECT * FROM $special")) === before)
      }
      val found = Spark3Util.loadIcebergTable(spark, special)
      found.refresh()
      assert(found.currentSnapshot.summary.get("total-data-files") === "1" && found.snapshots.asScala.size === 3)
      assert(!SparkTableCache.get.tables.asScala.exists(_.uuid == found.uuid))
    } finally sql(s"DROP TABLE IF EXISTS $special PURGE")
  }

  for (curve <- Seq("zorder", "hilbert")) test(s"queries on each column and on both read fewer files: $curve") {
    withIceberg {
      create(promised(4000).repartition(20))
      val filters = Seq(
        Expressions.equal("c", "user-23"),
        Expressions.equal("a", 321),
        Expressions.and(Expressions.equal("c", "user-23"), Expressions.equal("a", 321)))
      assert(filters.map(needed).take(2) === Seq(20, 20))
      val size = files.map(_.fileSizeInBytes).sum / 40
      val result = optimize(s"ZORDER BY (c, a) OPTIONS (curve = '$curve', target_file_size = '$size')")
      assert(swapped(result)._1 === 20 && files.size >= 26 && files.size <= 54, files.size)
      val found = filters.map(needed(_).toDouble / files.size)
      assert(found.zip(Seq(0.4, 0.4, 0.15)).forall { case (share, most) => share < most }, found)
    }
  }
}
