// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import org.apache.spark.sql.QueryTest

/** Deletes leave the table with the last of the files that they are of, and not before. */
class IcebergDeletesSuite extends QueryTest with IcebergSession {

  private def deletes: Long = sql(s"SELECT * FROM $t.delete_files").count()

  private def mergeOnRead(granularity: String) =
    s"'write.delete.mode' = 'merge-on-read', 'write.delete.granularity' = '$granularity'"

  for ((version, granularity) <- Seq(2 -> "file", 2 -> "partition", 3 -> "file"))
    test(s"a rewrite of all files leaves no delete: version $version, by $granularity") {
      withIceberg {
        create(samples(400).repartition(4), version, properties = mergeOnRead(granularity))
        sql(s"DELETE FROM $t WHERE id % 7 = 0")
        assert(deletes > 0)
        val before = current.snapshotId
        keepingAll(cluster("a, b", 4))
        assert(deletes === 0 && tasks.forall(_.deletes.isEmpty))
        assert(sql(s"SELECT * FROM $t VERSION AS OF $before WHERE id % 7 = 0").isEmpty)
      }
    }

  test("an equality that is deleted of other files, too, stays until these are rewritten") {
    withIceberg {
      create(samples(400))
      cluster("a", 8)
      EqualityDeletes.of(table, "id", 7L, 8L, 350L)
      sql(s"REFRESH TABLE $t")
      assert(sql(s"SELECT * FROM $t").count() === 397)
      keepingAll(cluster("a", 8, "a < 200", ", where_files = 'overlapping'"))
      assert(deletes === 1 && sql(s"SELECT * FROM $t").count() === 397)
      keepingAll(cluster("a", 8))
      assert(deletes === 0 && sql(s"SELECT * FROM $t").count() === 397)
    }
  }

  test("deletes of one partition stay when another one is rewritten") {
    withIceberg {
      create(samples(400), partitionedBy = "days(at)", properties = mergeOnRead("partition"))
      sql(s"DELETE FROM $t WHERE id % 5 = 0")
      val before = deletes
      assert(before > 1)
      keepingAll(cluster("a, b", 4, "at < TIMESTAMP'2024-01-02'"))
      assert(deletes < before && deletes > 0)
      keepingAll(cluster("a, b", 4))
      assert(deletes === 0 && sql(s"SELECT * FROM $t WHERE id % 5 = 0").isEmpty)
    }
  }
}
