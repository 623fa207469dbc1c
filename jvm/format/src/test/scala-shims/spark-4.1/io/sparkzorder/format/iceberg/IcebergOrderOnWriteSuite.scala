// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import io.sparkzorder.errors.ZOrderAnalysisException

import org.apache.spark.sql.{DataFrame, QueryTest, Row}

/** `SORT BY ZORDER` of Iceberg tables: what is written to them is in the order, where Iceberg's writer leaves rows in place. */
class IcebergOrderOnWriteSuite extends QueryTest with IcebergSession {

  private val columns = "id BIGINT, a INT, b DOUBLE, c STRING, at TIMESTAMP"

  private def createSorted(by: String, more: String = ""): Unit =
    sql(s"CREATE TABLE $t ($columns) USING iceberg $more SORT BY $by TBLPROPERTIES ('write.target-file-size-bytes' = '20000')")

  /** Rows by small files: Iceberg looks at a file's size once in a thousand rows. */
  private def rows(count: Int = 24000): DataFrame = samples(count)

  private def refused(condition: String)(body: => Unit): Unit =
    assert(intercept[ZOrderAnalysisException](body).getCondition === condition)

  private def written(by: => Unit): (Double, Double) = {
    by
    (share("a"), share("b"))
  }

  test("files are narrow in each column, with all rows") {
    withIceberg {
      createSorted("ZORDER (a, b)")
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('sort.scope' = 'global')")
      withTempView("new") {
        rows().createOrReplaceTempView("new")
        val (a, b) = written(sql(s"INSERT INTO $t SELECT * FROM new"): Unit)
        checkAnswer(sql(s"SELECT * FROM $t"), sql("SELECT * FROM new"))
        assert(files.size >= 8 && a < 0.55 && b < 0.55, (files.size, a, b))
        for (write <-
            Seq(s"INSERT OVERWRITE $t SELECT * FROM new", s"INSERT INTO $t REPLACE WHERE true SELECT * FROM new")) {
          assert(written(sql(write): Unit) === ((a, b)), write)
          checkAnswer(sql(s"SELECT * FROM $t"), sql("SELECT * FROM new"))
        }
        sql(s"TRUNCATE TABLE $t")
        assert(written(append(rows())) === ((a, b)))
        val plain = {
          sql(s"ALTER TABLE $t SORT BY ()")
          sql(s"TRUNCATE TABLE $t")
          written(append(rows()))
        }
        assert(plain._1 > 0.9 && plain._2 > 0.9, plain)
      }
    }
  }

  test("CREATE TABLE AS SELECT, columns by name, columns that are left out, one column") {
    withIceberg {
      withTempView("new") {
        rows().createOrReplaceTempView("new")
        sql(s"CREATE TABLE $t USING iceberg SORT BY (a) TBLPROPERTIES ('write.target-file-size-bytes' = '20000', 'sort.scope' = 'global') AS SELECT * FROM new")
        checkAnswer(sql(s"SELECT * FROM $t"), sql("SELECT * FROM new"))
        val share = this.share("a")
        assert(share < 0.2, share)
        sql(s"INSERT OVERWRITE $t (c, a) SELECT c, a FROM new")
        checkAnswer(sql(s"SELECT * FROM $t"), sql("SELECT NULL, a, NULL, c, NULL FROM new"))
        assert(this.share("a") < 0.2)
      }
    }
  }

  test("a table that is replaced has the order of the statement alone") {
    withIceberg {
      def property(name: String) = sql(s"SHOW TBLPROPERTIES $t ('$name')").head().getString(1)
      createSorted("ZORDER (a, b)")
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('sort.scope' = 'global')")
      sql(s"CREATE OR REPLACE TABLE $t (x INT) USING iceberg")
      sql(s"INSERT INTO $t VALUES (1)")
      assert(property("sort.columns") === "")
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('sort.columns' = 'x', 'sort.scope' = 'global', 'sort.key' = 'raw')")
      sql(s"CREATE OR REPLACE TABLE $t USING iceberg SORT BY ZORDER (y, z) AS SELECT 1 AS y, 2 AS z")
      assert(Seq("columns", "order", "scope", "key").map(n => property(s"sort.$n")) === Seq(
        "y,z",
        "ZORDER",
        "local",
        "ranks"))
      sql(s"REPLACE TABLE $t USING iceberg PARTITIONED BY (x) AS SELECT 1 AS x")
      checkAnswer(sql(s"SELECT * FROM $t"), Row(1))
    }
  }

  test("such a catalog makes tables of Iceberg's where a statement names no format") {
    withIceberg {
      sql(s"CREATE TABLE $t (a INT, b INT) SORT BY ZORDER (a, b)")
      sql(s"INSERT INTO $t VALUES (1, 2)")
      assert(sql(s"SHOW TBLPROPERTIES $t ('sort.columns')").head().getString(1) === "a,b")
    }
  }

  test("OPTIMIZE takes the columns of the order") {
    withIceberg {
      createSorted("ZORDER (a, b)")
      append(rows(2000))
      keepingAll(sql(s"OPTIMIZE $t ZORDER").collect(): Unit)
      assert(sql(s"SHOW TBLPROPERTIES $t ('sort.columns')").head().getString(1) === "a,b")
    }
  }

  test("MERGE, UPDATE and DELETE work as ever") {
    withIceberg {
      createSorted("ZORDER (a, b)")
      append(rows(2000))
      sql(s"DELETE FROM $t WHERE id % 5 = 0")
      sql(s"UPDATE $t SET a = -1 WHERE id % 7 = 1")
      sql(s"MERGE INTO $t t USING (SELECT id * 3 AS k FROM range(1000)) s ON t.id = s.k WHEN MATCHED THEN UPDATE SET b = 0 WHEN NOT MATCHED THEN INSERT (id) VALUES (k)")
      assert(sql(s"SELECT * FROM $t").count() === 1600 + (0 until 1000).count(i => i * 3 >= 2000 || i * 3 % 5 == 0))
    }
  }

  test("tables whose rows Iceberg moves are refused, at once or by the next write") {
    withIceberg {
      refused("ZORDER_SORT_OVERRULED")(createSorted("ZORDER (a, b)", "PARTITIONED BY (days(at))"))
      refused("ZORDER_SORT_OVERRULED")(createSorted("ZORDER (a, b)", "PARTITIONED BY (bucket(4, id))"))
      create(samples(10), partitionedBy = "c")
      refused("ZORDER_SORT_OVERRULED")(sql(s"ALTER TABLE $t SORT BY ZORDER (a, b)"): Unit)
    }
    withIceberg {
      createSorted("ZORDER (a, b)")
      sql(s"ALTER TABLE $t WRITE ORDERED BY c")
      refused("ZORDER_SORT_OVERRULED")(append(samples(10)))
      sql(s"ALTER TABLE $t WRITE UNORDERED")
      append(samples(10))
      sql(s"ALTER TABLE $t ADD PARTITION FIELD c")
      refused("ZORDER_SORT_OVERRULED")(append(samples(10)))
      sql(s"ALTER TABLE $t SORT BY ()")
      append(samples(10))
      assert(sql(s"SELECT * FROM $t").count() === 20)
    }
    withIceberg {
      create(samples(10))
      refused("ZORDER_SORT_UNKNOWN_COLUMN")(sql(s"ALTER TABLE $t SORT BY (nothing)"): Unit)
    }
  }
}
