// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import io.sparkzorder.format.iceberg.EqualityDeletes

import org.apache.spark.sql.{DataFrame, QueryTest}

/** Queries for the first rows of an Iceberg table in an order, and for extremes: the same rows from fewer files. */
class IcebergFirstRowsSuite extends QueryTest with PrunedQueries {

  /** Ten files of 100 rows, `id` from 0 to 999 in order; `x` lacks a value in every seventh row, and in file 3. */
  private def sorted: DataFrame = spark.range(0, 1000, 1, 10).selectExpr(
    "id",
    "format_string('n%04d', id) AS name",
    "concat('a common beginning ', format_string('%04d', id)) AS long",
    "concat('a beginning, ', format_string('%04d', id), ', and an end') AS cut",
    "if(id % 7 <> 0 AND NOT id BETWEEN 300 AND 399, cast(id AS DOUBLE), NULL) AS x",
    "id % 10 AS ten",
    "timestamp_seconds(1704067200 + id * 3600) AS at",
    "if(id % 100 = 50, NULL, named_struct('i', cast(id AS INT), 'x', id / 3.0D)) AS s"
  )

  private def withRows(version: Int = 2, partitionedBy: String = "", properties: String = "")(body: => Unit): Unit =
    withIceberg {
      create(sorted, version, partitionedBy, properties)
      body
    }

  /** Files read of ten. */
  private def read(query: String): Long = files.size - checkedFirst(query)

  test("the first rows by a column") {
    withRows() {
      assert(files.size === 10)
      assert(read(s"SELECT * FROM $t ORDER BY id LIMIT 10") === 1)
      assert(read(s"SELECT * FROM $t ORDER BY id DESC LIMIT 10") === 1)
      assert(read(s"SELECT ID AS k FROM $t ORDER BY ID DESC LIMIT 10") === 1)
      assert(read(s"SELECT name, id + 1 AS n FROM $t ORDER BY name DESC, id LIMIT 150") === 2)
      assert(read(s"SELECT id AS k FROM $t ORDER BY cast(id AS double) LIMIT 1") === 1)
      assert(read(s"SELECT id FROM $t ORDER BY date(at) DESC, id DESC LIMIT 30") === 2)
      assert(read(s"SELECT * FROM $t ORDER BY -id LIMIT 10") === 1)
      assert(read(s"SELECT id FROM $t ORDER BY id LIMIT 5 OFFSET 98") === 2)
      assert(read(s"SELECT * FROM $t ORDER BY id LIMIT 2000") === 10)
      assert(read(s"SELECT id % 7 FROM $t ORDER BY id % 7 LIMIT 10") === 10)
      // Rows of equal keys are in every file.
      assert(read(s"SELECT ten FROM $t ORDER BY ten LIMIT 10") === 10)
      assert(read(s"SELECT ten, id FROM $t ORDER BY ten, id DESC LIMIT 10") === 10)
    }
  }

  test("bounds of text that are cut") {
    withRows() {
      for (direction <- Seq("", "DESC")) {
        assert(read(s"SELECT long FROM $t ORDER BY long $direction LIMIT 10") === 10)
        assert(read(s"SELECT cut FROM $t ORDER BY cut $direction LIMIT 10") < 4)
        assert(read(s"SELECT max(cut), max(long) FROM $t WHERE id >= 0") === 10)
      }
    }
  }

  test("NULLs are where the query wants them, also where the struct around them is NULL") {
    withRows() {
      // Every file has some.
      assert(read(s"SELECT x FROM $t ORDER BY x LIMIT 10") === 10)
      assert(read(s"SELECT x FROM $t ORDER BY x NULLS LAST LIMIT 50") === 10)
      assert(read(s"SELECT name FROM $t ORDER BY name NULLS LAST LIMIT 50") === 1)
      for (value <- Seq("-1", "500", "5000"); direction <- Seq("", "DESC"))
        read(s"SELECT coalesce(x, $value) AS y FROM $t ORDER BY coalesce(x, $value) $direction LIMIT 20")
      for {
        field <- Seq("s.i", "s.x", "coalesce(s.i, 5)")
        order <- Seq("", "DESC", "NULLS LAST", "DESC NULLS FIRST")
        n <- Seq(3, 40)
      } read(s"SELECT $field FROM $t ORDER BY $field $order LIMIT $n")
      assert(read(s"SELECT max(s.i), max(s.x) FROM $t WHERE ten < 99") > 0)
    }
  }

  test("NaN, both zeros, and files of nothing else") {
    withIceberg {
      val values =
        "element_at(array(double('NaN'), -0.0D, 0.0D, id / 2.0D, double('-Infinity'), NULL), cast(id / 10 AS INT) % 7 + 1)"
      for (key <- Seq("DOUBLE", "FLOAT")) {
        create(spark.range(0, 60, 1, 6).selectExpr("id", s"cast($values AS $key) AS x"))
        append(spark.range(100, 400, 1, 3).selectExpr("id", s"cast(if(id % 50 = 3, double('NaN'), id) AS $key) AS x"))
        for {
          order <- Seq("", "DESC", "NULLS LAST", "DESC NULLS FIRST")
          n <- Seq(1, 10, 11, 35, 61)
        } read(s"SELECT x + 0.0D FROM $t ORDER BY x $order LIMIT $n") // In which order both zeros come is up to chance.
        // How many of each there are is not, where none is left. The outer order is asked for, as answers are compared in
        // their order where a query has one anywhere.
        for ((order, n) <- Seq("" -> 40, "NULLS LAST" -> 30)) {
          val first = s"SELECT cast(x AS STRING) AS y FROM $t ORDER BY x $order LIMIT $n"
          read(s"SELECT y, count(*) FROM ($first) GROUP BY y ORDER BY y")
        }
        assert(read(s"SELECT x FROM $t ORDER BY x NULLS LAST LIMIT 10") < 9)
        read(s"SELECT max(x), min(x) FROM $t WHERE id >= 0")
        read(s"SELECT x FROM $t WHERE x < 390 ORDER BY x DESC LIMIT 20")
        sql(s"DROP TABLE $t PURGE")
      }
    }
  }

  test("filters that statistics decide, and others") {
    withRows() {
      // Iceberg has left out files by these before.
      assert(checkedFirst(s"SELECT id FROM $t WHERE id >= 250 ORDER BY id LIMIT 10") === 6)
      assert(checkedFirst(s"SELECT id FROM $t WHERE id >= 200 AND name < 'n0900' ORDER BY id DESC LIMIT 10") === 6)
      assert(checkedFirst(s"SELECT id FROM $t WHERE ten = 3 ORDER BY id LIMIT 10") === 0)
      assert(checkedFirst(s"SELECT id FROM $t WHERE id >= 200 AND x IS NOT NULL ORDER BY id LIMIT 10") < 7)
      assert(checkedFirst(s"SELECT max(name), max(id) FROM $t WHERE id < 500") === 4)
      assert(checkedFirst(s"SELECT min(id) FROM $t WHERE id > 50") === 8)
      assert(checkedFirst(s"SELECT min(id), count(*) FROM $t WHERE id > 50") === 0)
      assert(checkedFirst(s"SELECT ten, min(id) FROM $t WHERE id > 50 GROUP BY ten") === 0)
    }
  }

  for ((version, kind) <- Seq(2 -> "position deletes", 3 -> "deletion vectors"))
    test(s"rows that are deleted do not count: $kind") {
      withRows(version, properties = "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'") {
        sql(s"DELETE FROM $t WHERE id < 200 AND ten <> 4 AND id <> 0")
        sql(s"DELETE FROM $t WHERE id = 999")
        assert(tasks.count(_.deletes.size > 0) === 3)
        assert(read(s"SELECT id FROM $t ORDER BY id LIMIT 5") === 1)
        assert(read(s"SELECT id FROM $t ORDER BY id LIMIT 15") === 2)
        assert(read(s"SELECT id FROM $t ORDER BY id LIMIT 25") === 3)
        assert(read(s"SELECT id FROM $t ORDER BY id DESC LIMIT 99") === 1)
        assert(read(s"SELECT id FROM $t ORDER BY id DESC LIMIT 100") === 2)
        // Iceberg answers these by its metadata where nothing is deleted.
        assert(read(s"SELECT min(id), max(id) FROM $t") === 2)
        sql(s"UPDATE $t SET id = id + 5000 WHERE id BETWEEN 201 AND 298")
        assert(read(s"SELECT id FROM $t ORDER BY id LIMIT 25") === files.size - 7)
        assert(read(s"SELECT id FROM $t ORDER BY id DESC LIMIT 25") === 1)
      }
    }

  test("rows that an equality deletes do not count, however many they are") {
    withRows() {
      EqualityDeletes.of(table, "id", 1L, 2L)
      sql(s"REFRESH TABLE $t")
      assert(tasks.count(_.deletes.size > 0) === 1)
      assert(read(s"SELECT id FROM $t ORDER BY id LIMIT 1") === 2)
      assert(read(s"SELECT id FROM $t ORDER BY id DESC LIMIT 1") === 1)
      EqualityDeletes.of(table, "ten", 0L to 8L: _*)
      sql(s"REFRESH TABLE $t")
      assert(read(s"SELECT id FROM $t ORDER BY id LIMIT 5") === 10)
      append(sorted)
      sql(s"REFRESH TABLE $t")
      assert(read(s"SELECT id FROM $t ORDER BY id LIMIT 5") === 2)
    }
  }

  test("versions, branches, columns that came later, and partitions by several specs") {
    withRows(partitionedBy = "ten") {
      val first = current.snapshotId
      assert(files.size === 10)
      // Each file has values from all over the column.
      assert(read(s"SELECT id FROM $t ORDER BY id LIMIT 3") === 10)
      // Of a partition, which Iceberg's own planning decides.
      assert(read(s"SELECT ten, id FROM $t WHERE ten > 3 ORDER BY ten LIMIT 3") < 10)
      assert(read(s"SELECT ten FROM $t ORDER BY ten DESC LIMIT 100") === 1)
      assert(read(s"SELECT ten FROM $t ORDER BY ten DESC LIMIT 101") === 2)
      sql(s"ALTER TABLE $t REPLACE PARTITION FIELD ten WITH days(at)")
      sql(s"ALTER TABLE $t CREATE BRANCH other")
      sql(s"INSERT INTO $t.branch_other SELECT id + 1000, name, long, cut, x, ten, at, s FROM $t WHERE id > 900")
      sql(s"ALTER TABLE $t ADD COLUMN late INT")
      sql(s"INSERT INTO $t SELECT id - 100, name, long, cut, x, ten, at, s, id FROM $t WHERE id < 20")
      for {
        of <- Seq(t, s"$t.branch_other", s"(SELECT * FROM $t VERSION AS OF $first)")
        key <- Seq("id", "ten", "name", "at")
        order <- Seq("", "DESC")
      } checkedFirst(s"SELECT $key FROM $of ORDER BY $key $order LIMIT 7")
      assert(checkedFirst(s"SELECT id FROM $t ORDER BY id LIMIT 7") > 0)
      assert(checkedFirst(s"SELECT id FROM $t.branch_other ORDER BY id DESC LIMIT 7") > 0)
      for (order <- Seq("", "DESC", "NULLS LAST", "DESC NULLS FIRST"))
        checkedFirst(s"SELECT late FROM $t ORDER BY late $order LIMIT 25")
    }
  }

  test("files without bounds are read, and a file that is there twice") {
    withRows(properties =
      "'write.metadata.metrics.column.name' = 'none', 'write.metadata.metrics.column.id' = 'counts'") {
      assert(read(s"SELECT name FROM $t ORDER BY name LIMIT 10") === 10)
      assert(read(s"SELECT id FROM $t ORDER BY id LIMIT 10") === 10)
      assert(read(s"SELECT at FROM $t ORDER BY at LIMIT 10") === 1)
      table.newFastAppend().appendFile(files.head).appendFile(files.last).commit()
      sql(s"REFRESH TABLE $t")
      for (order <- Seq("", "DESC")) checkedFirst(s"SELECT at FROM $t ORDER BY at $order LIMIT 150")
    }
  }

  test("parts of a query, and what uses other rows, too") {
    withRows() {
      checkedFirst(s"SELECT * FROM $t x JOIN (SELECT id AS k FROM $t ORDER BY id LIMIT 3) ON x.id = k")
      checkedFirst(s"(SELECT id FROM $t ORDER BY id LIMIT 3) UNION ALL (SELECT id FROM $t ORDER BY id LIMIT 300)")
      checkedFirst(s"SELECT * FROM $t WHERE id = (SELECT max(id) FROM $t WHERE id < 500)")
      assert(checkedFirst(s"SELECT count(*) AS n FROM $t GROUP BY ten ORDER BY n LIMIT 3") === 0)
      assert(checkedFirst(s"SELECT id FROM (SELECT * FROM $t LIMIT 990) ORDER BY id DESC LIMIT 3") === 0)
      assert(checkedFirst(s"SELECT id, row_number() OVER (ORDER BY name DESC) AS r FROM $t ORDER BY id LIMIT 3") === 0)
      // One file, of which nothing is left.
      checkedFirst(s"SELECT min(x) FROM $t WHERE id BETWEEN 310 AND 330")
    }
  }

  test("EXPLAIN says which rows are needed, and EXPLAIN SKIPPING foresees the files") {
    withRows() {
      val query = s"SELECT * FROM $t ORDER BY id LIMIT 10"
      assert(sql(query).queryExecution.toString.contains("first 10 by id"))
      val row = sql(s"EXPLAIN SKIPPING $query").head()
      assert(row.getAs[Long]("files_read") === 1 && row.getAs[Long]("files_total") === 10)
      assert(!row.getAs[String]("note").contains("a run may read"))
    }
  }
}
