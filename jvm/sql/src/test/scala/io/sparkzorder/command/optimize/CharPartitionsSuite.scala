// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import java.io.File

import io.sparkzorder.{DeltaSession, LongSuite}

import org.apache.spark.sql.{QueryTest, Row}

/** Tables partitioned by CHAR(n) and VARCHAR(n), with values of all lengths, also as another writer stores them. */
class CharPartitionsSuite extends QueryTest with DeltaSession with LongSuite {

  private val values = Seq("a", "bb", "abcde")

  private def rows: Seq[Row] = {
    // Spark keeps the plan of a relation, which was padded or not when it was made.
    spark.catalog.refreshTable("t")
    spark.table("t").collect().toSeq
  }

  private def keeping(body: => Unit): Unit = {
    val (before, stored) = (rows, storedRows)
    body
    assert(QueryTest.sameRows(before, rows).isEmpty)
    // Down to the values as they are stored.
    assert(QueryTest.sameRows(stored, storedRows).isEmpty)
  }

  private def storedRows: Seq[Row] = withSQLConf("spark.sql.readSideCharPadding" -> "false")(rows)

  private def create(format: String, charType: String, location: String): Unit =
    sql(s"CREATE TABLE t (id BIGINT, d CHAR(3), p $charType) USING $format PARTITIONED BY (p) LOCATION '$location'")

  private def valuesOf(d: String): String =
    s"SELECT id, '$d' AS d, p FROM range(0, 20, 1, 1) LATERAL VIEW explode(array(${values.mkString("'", "', '", "'")})) AS p"

  /** As SQL stores the values: those of CHAR padded. */
  private def insert(): Unit = sql(s"INSERT INTO t ${valuesOf("x")}")

  /** Of the type, and whether it is read padded. */
  private val variants = Seq("CHAR(5)" -> true, "CHAR(5)" -> false, "VARCHAR(5)" -> true)

  private def withLocation(body: String => Unit): Unit =
    withTempDir(dir => withTable("t")(body(new File(dir, "t").getCanonicalPath)))

  private val statement = "ZORDER BY (id, d)"

  for ((charType, padded) <- variants)
    test(s"Delta, $charType, read ${if (padded) "padded" else "as stored"}")(withLocation { location =>
      withSQLConf("spark.sql.readSideCharPadding" -> padded.toString) {
        create("delta", charType, location)
        insert()
        // As a writer that knows nothing of CHAR stores them.
        withSQLConf("spark.sql.legacy.charVarcharAsString" -> "true") {
          sql(valuesOf("y")).write.format("delta").mode("append").save(location)
        }
        val stored = filesOf("t").map(_.partitionValues("p")).distinct
        assert(stored.contains("a"))
        keeping(sql(s"OPTIMIZE t $statement"))
        assert(filesOf("t").map(_.partitionValues("p")).sorted === stored.sorted)
        keeping(sql(s"OPTIMIZE t WHERE p = 'a' $statement"))
        assert(removed("t").map(_.partitionValues("p")).sorted === stored.filter(_.trim == "a").sorted)
        insert()
        keeping(sql(s"OPTIMIZE t $statement OPTIONS (mode = 'incremental')"))
        assert(layout("t", "id", "p = 'bb'").head().getAs[Long]("rows") === 60)
      }
    })

  for ((charType, padded) <- variants)
    test(s"Parquet, $charType, read ${if (padded) "padded" else "as stored"}")(withLocation { location =>
      withSQLConf("spark.sql.readSideCharPadding" -> padded.toString) {
        create("parquet", charType, location)
        insert()
        sql(valuesOf("y")).write.partitionBy("p").mode("append").parquet(location)
        sql("MSCK REPAIR TABLE t")
        assert(rows.size === 120)
        keeping(sql(s"OPTIMIZE t $statement"))
        keeping(sql(s"OPTIMIZE parquet.`$location` $statement"))
        keeping(sql(s"OPTIMIZE t WHERE p = 'a' $statement"))
        assert(layout("t", "id", "p = 'a'").head().getAs[Long]("rows") === 40)
      }
    })
}
