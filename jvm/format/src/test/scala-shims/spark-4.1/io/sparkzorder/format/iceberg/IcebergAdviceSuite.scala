// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import org.apache.spark.sql.{QueryTest, Row}

/** `ADVISE LAYOUT` of Iceberg tables: as for other tables that OPTIMIZE rewrites, and true when it is followed. */
class IcebergAdviceSuite extends QueryTest with IcebergSession {

  private def advised(rest: String): Seq[Row] = {
    val before = (current.snapshotId, dataOnDisk)
    val rows = sql(s"ADVISE LAYOUT $t $rest").collect().toSeq
    assert((current.snapshotId, dataOnDisk) === before)
    rows
  }

  private def columns(row: Row): Seq[String] = row.getSeq[String](row.fieldIndex("columns"))

  /** The share of the files' bytes that a query reads. */
  private def readShare(query: String): Double = {
    val row = sql(s"EXPLAIN SKIPPING $query").head()
    row.getAs[Long]("files_read").toDouble / row.getAs[Long]("files_total")
  }

  test("the statement that is advised gives the share that was foretold") {
    withIceberg {
      create(samples(6000).repartition(6))
      val queries = Seq(s"SELECT * FROM $t WHERE a = 500", s"SELECT * FROM $t WHERE b BETWEEN 100 AND 110")
      val size = files.map(_.fileSizeInBytes).sum / 16
      val first = advised(s"FOR (${queries.mkString("), (")}) OPTIONS (target_file_size = '$size')").head
      assert(columns(first).toSet === Set("a", "b") && first.getAs[Double]("read_share_now") > 0.95)
      val statement = first.getAs[String]("statement")
      assert(statement.startsWith(s"OPTIMIZE $t ZORDER BY ("))
      keepingAll(sql(statement).collect())
      assert(math.abs(files.size - first.getAs[Long]("files")) <= 3)
      val measured = queries.map(readShare).sum / 2
      assert(math.abs(measured - first.getAs[Double]("read_share")) <= 0.1, s"$measured ${first.json}")
    }
  }

  test("partitions, specs and deletes; columns of partitions are none to choose") {
    withIceberg {
      create(samples(3000), partitionedBy = "c", properties = "'write.delete.mode' = 'merge-on-read'")
      sql(s"ALTER TABLE $t ADD PARTITION FIELD days(at)")
      append(samples(1000, 3000))
      sql(s"DELETE FROM $t WHERE id % 9 = 0")
      val all = advised("OPTIONS (target_file_size = '1000')")
      assert(all.nonEmpty && all.forall(!columns(_).contains("c")))
      val some = advised("ON (a, at) WHERE at < TIMESTAMP'2024-01-02 00:00:00Z' OPTIONS (target_file_size = '1000')")
      assert(some.forall(columns(_).toSet.subsetOf(Set("a", "at"))))
      assert(some.head.getAs[Long]("rewrite_bytes") < all.head.getAs[Long]("rewrite_bytes"))
    }
  }

  test("strings of which Iceberg keeps the same beginning give nothing") {
    withIceberg {
      val long =
        samples(3000).selectExpr("id", "a", "concat('a-beginning-that-is-long-', a) AS s", "concat('s', a) AS u")
      create(long.repartition(6))
      val size = files.map(_.fileSizeInBytes).sum / 12
      def share(column: String) =
        advised(s"ON ($column) OPTIONS (target_file_size = '$size')").head.getAs[Double]("read_share")
      assert(share("s") > 0.999 && share("u") < 0.3)
    }
  }

  test("the size of the last run, and of a branch") {
    withIceberg {
      create(samples(4000))
      cluster("a, b", 20)
      sql(s"ALTER TABLE $t CREATE BRANCH other")
      append(samples(4000, 4000))
      EqualityDeletes.of(table, "id", 1L, 2L)
      val first = advised(s"FOR (SELECT * FROM $t WHERE a = 3), (SELECT * FROM $t WHERE b = 3)").head
      assert(first.getAs[String]("statement").contains("target_file_size"))
      assert(sql(s"ADVISE LAYOUT $t.branch_other ON (id)").head().getAs[Long]("rewrite_bytes") <
        first.getAs[Long]("rewrite_bytes"))
    }
  }
}
