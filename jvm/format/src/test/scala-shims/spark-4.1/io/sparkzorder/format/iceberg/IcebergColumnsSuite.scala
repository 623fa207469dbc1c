// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import io.sparkzorder.errors.ZOrderRuntimeException

import org.apache.iceberg.types.Types
import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.types.BinaryType

/** Columns that Spark has no type of its own for, and files that know columns by their names alone. */
class IcebergColumnsSuite extends QueryTest with IcebergSession {

  /** Rows with bytes as text: arrays are not compared by what is in them. */
  private def all: Map[Row, Int] = {
    val columns = sql(s"SELECT * FROM $t").schema.map(f => if (f.dataType == BinaryType) s"hex(${f.name})" else f.name)
    rows(sql(s"SELECT ${columns.mkString(", ")} FROM $t"))
  }

  private def clustered(columns: String, options: String = ""): Unit = {
    val before = all
    cluster(columns, 4, options = options)
    sql(s"REFRESH TABLE $t")
    assert(all === before, columns)
  }

  for (version <- Seq(2, 3))
    test(s"UUID, FIXED and BINARY, by which rows are clustered and beside them: version $version") {
      withIceberg {
        sql(s"CREATE TABLE $t (id BIGINT, a INT) USING iceberg TBLPROPERTIES ('format-version' = '$version')")
        table
          .updateSchema()
          .addColumn("u", Types.UUIDType.get)
          .addColumn("f", Types.FixedType.ofLength(4))
          .addColumn("b", Types.BinaryType.get)
          .commit()
        sql(s"REFRESH TABLE $t")
        val uuid = "regexp_replace(md5(string(id)), '(.{8})(.{4})(.{4})(.{4})(.{12})', '$1-$2-$3-$4-$5')"
        val fixed = "unhex(lpad(hex(pmod(hash(id), 100000)), 8, '0'))"
        sql(s"INSERT INTO $t SELECT id, pmod(hash(id, 1), 99), if(id % 13 = 0, NULL, $uuid), $fixed, " +
          "if(id % 7 = 0, NULL, unhex(md5(string(id)))) FROM range(0, 600, 1, 3)")
        for (columns <- Seq("a, u", "f", "b, u")) clustered(columns)
        assert(files.size > 2 && share("b") < 0.8)
        clustered("b, u", ", mode = 'incremental'")
        val verdict = sql(s"DESCRIBE LAYOUT $t ON (u)").head()
        assert(verdict.getAs[String]("reason") === "none for UUID in Iceberg")
        val found = all
        for (filter <-
            Seq("substr(b, 1, 1) = X'0A'", "coalesce(b, X'00') = X'00'", "coalesce(u, 'x') = 'x'", "f < X'0000FFFF'"))
          assert(
            rows(sql(s"SELECT id FROM $t WHERE $filter")) ===
              withSQLConf(
                "spark.sql.zorder.skipping.enabled" -> "false")(rows(sql(s"SELECT id FROM $t WHERE $filter"))))
        assert(found.size === 600)
      }
    }

  test("a table that Iceberg cannot open in Spark") {
    withIceberg {
      sql(s"CREATE TABLE $t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '3')")
      table.updateSchema().addColumn("at", Types.TimestampNanoType.withoutZone).commit()
      val query = intercept[UnsupportedOperationException](sql(s"SELECT id FROM $t").collect())
      val e = intercept[ZOrderRuntimeException](sql(s"EXPLAIN SKIPPING SELECT id FROM $t").collect())
      assert(e.getCondition === "ZORDER_QUERY_NOT_PLANNED")
      assert(e.getMessageParameters.get("reason").contains(query.getMessage), e)
    }
  }

  test("files that were added by the names of their columns, which have other names since") {
    withIceberg {
      withTempPath { folder =>
        def add(part: Int): Unit = {
          samples(200, part * 1000).repartition(3).write.parquet(s"$folder/$part")
          sql(s"CALL ice.system.add_files(table => 'db.t', source_table => '`parquet`.`$folder/$part`')").collect()
          sql(s"REFRESH TABLE $t"): Unit
        }
        sql(s"CREATE TABLE $t (id BIGINT, a INT, b DOUBLE, c STRING, at TIMESTAMP) USING iceberg")
        add(1)
        sql(s"ALTER TABLE $t RENAME COLUMN a TO number")
        sql(s"ALTER TABLE $t ADD COLUMN note STRING")
        clustered("number, b")
        add(2)
        sql(s"INSERT INTO $t SELECT id + 5000, number, b, c, at, 'new' FROM $t WHERE id < 1050")
        clustered("number, b", ", mode = 'incremental'")
        clustered("number, b")
        assert(sql(s"SELECT * FROM $t WHERE number IS NULL").isEmpty)
        assert(sql(s"SELECT * FROM $t WHERE note = 'new'").count() === 50 && all.size === 450)
      }
    }
  }
}
