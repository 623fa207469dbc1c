// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{QueryTest, Row}

/** OPTIMIZE of Iceberg tables: rows, partitions, deletes, versions. */
class IcebergOptimizeSuite extends QueryTest with IcebergSession {

  test("files are clustered, and who wrote them stands in the snapshot") {
    withIceberg {
      create(samples(4000))
      val before = current
      val result = keepingAll(cluster("a, b", 16))
      assert(files.size >= 12 && files.size <= 20)
      assert(result.getAs[Row]("metrics").getAs[Long]("numFilesAdded") === files.size)
      assert(current.operation === "replace" && current.parentId === before.snapshotId)
      assert(current.summary.get("spark-zorder.columns") === "a, b" && current.summary.get(
        "spark-zorder.curve") === "zorder")
      // As on Delta and Parquet: a quarter of 16 files in each of two columns.
      assert(share("a") <= 0.32 && share("b") <= 0.36, s"${share("a")} ${share("b")}")
      // Time travel still reads the files that were replaced.
      assert(rows(sql(s"SELECT * FROM $t VERSION AS OF ${before.snapshotId}")) === rows(sql(s"SELECT * FROM $t")))
      assert(files.forall(_.sortOrderId == 0))
      assert(files.forall(f => f.lowerBounds.size == 5 && f.recordCount > 0))
    }
  }

  for (version <- Seq(2, 3))
    test(s"deleted rows stay deleted, format version $version") {
      withIceberg {
        create(
          samples(3000),
          version,
          properties = "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'")
        append(samples(1000, 3000))
        sql(s"DELETE FROM $t WHERE id % 10 = 0")
        sql(s"UPDATE $t SET c = 'other' WHERE id % 10 = 1")
        assert(tasks.exists(!_.deletes.isEmpty))
        keepingAll(cluster("a, b", 8))
        assert(tasks.forall(_.deletes.isEmpty))
        assert(files.map(_.recordCount).sum === 3600)
        assert(sql(s"SELECT * FROM $t WHERE id % 10 = 0").isEmpty)
        // All rows of all files deleted.
        sql(s"DELETE FROM $t WHERE a >= 0")
        keepingAll(sql(s"OPTIMIZE $t ZORDER BY (a, b)").collect())
      }
    }

  test("row lineage stays as it was, format version 3") {
    withIceberg {
      create(samples(1000), version = 3)
      append(samples(1000, 1000))
      sql(s"UPDATE $t SET b = 1 WHERE id = 5")
      val lineage = s"SELECT id, _row_id, _last_updated_sequence_number FROM $t"
      val before = rows(sql(lineage))
      keepingAll(cluster("a, b", 4))
      assert(rows(sql(lineage)) === before)
    }
  }

  test("partitions by transforms are rewritten apart, and WHERE chooses among them") {
    withIceberg {
      create(
        samples(3000),
        partitionedBy = "days(at), bucket(2, id), truncate(6, c)",
        properties = "'write.distribution-mode' = 'hash'")
      val old = files.map(f => (f.partition.toString, f.location)).toSet
      keepingAll(cluster(
        "a, b",
        20,
        where = "at >= TIMESTAMP'2024-01-02 00:00:00Z' AND at < TIMESTAMP'2024-01-03 00:00:00Z'"))
      val (kept, added) = files.partition(f => old((f.partition.toString, f.location)))
      assert(added.nonEmpty && kept.nonEmpty)
      val day = java.time.LocalDate.of(2024, 1, 2).toEpochDay
      assert(added.forall(_.partition.get(0, classOf[Integer]) == day))
      assert(kept.forall(_.partition.get(0, classOf[Integer]) != day))
      keepingAll(cluster("a, b", 20))
      assert(files.forall(f => !old((f.partition.toString, f.location))))
      val count = files.groupBy(_.partition.toString).size
      assert(count === old.map(_._1).size)
    }
  }

  for (version <- Seq(2, 3)) test(s"files of an older partition spec come into the current one: version $version") {
    withIceberg {
      create(samples(2000), version)
      sql(s"ALTER TABLE $t ADD PARTITION FIELD days(at)")
      append(samples(500, 2000))
      sql(s"ALTER TABLE $t ADD PARTITION FIELD c")
      append(samples(500, 2500))
      assert(files.map(_.specId).distinct.size === 3)
      val result = keepingAll(cluster("a, b", 10))
      assert(files.map(_.specId).distinct === Seq(table.spec.specId))
      assert(files.size === 150)
      assert(result.getAs[Row]("metrics").getAs[Long]("numFilesAdded") === 150)
      // Back to none at all
      sql(s"ALTER TABLE $t DROP PARTITION FIELD days(at)")
      sql(s"ALTER TABLE $t DROP PARTITION FIELD c")
      val removed = keepingAll(cluster("a, b", 10)).getAs[Row]("metrics").getAs[Long]("numFilesRemoved")
      assert(removed === 150 && files.size < 20 && files.forall(_.specId == table.spec.specId))
    }
  }

  test("columns that were added, dropped and renamed") {
    withIceberg {
      create(samples(1000).selectExpr("*", "named_struct('x', a, 'y', c) AS s"))
      sql(s"ALTER TABLE $t ADD COLUMN z INT")
      sql(s"ALTER TABLE $t DROP COLUMN c")
      sql(s"ALTER TABLE $t ADD COLUMN c DOUBLE")
      sql(s"ALTER TABLE $t RENAME COLUMN a TO aa")
      sql(s"ALTER TABLE $t ALTER COLUMN aa TYPE BIGINT")
      sql(s"ALTER TABLE $t RENAME COLUMN s.x TO xx")
      sql(s"ALTER TABLE $t ADD COLUMN s.n INT AFTER xx")
      sql(
        s"INSERT INTO $t SELECT id + 1000, aa, b, at, named_struct('xx', cast(aa AS INT), 'n', 7, 'y', 'v'), 3, 2.5 FROM $t")
      keepingAll(cluster("aa, s.xx, z", 8))
      assert(sql(s"SELECT count(c), count(s.n) FROM $t").head() === Row(1000, 1000))
    }
  }

  test("tags keep their files, branches their rows") {
    withIceberg {
      create(samples(1000))
      sql(s"ALTER TABLE $t CREATE TAG old")
      sql(s"ALTER TABLE $t CREATE BRANCH other")
      sql(s"INSERT INTO $t.branch_other SELECT id + 5000, a, b, c, at FROM $t")
      keepingAll(cluster("a, b", 4))
      assert(sql(s"SELECT * FROM $t VERSION AS OF 'old'").count() === 1000)
      assert(sql(s"SELECT * FROM $t VERSION AS OF 'other'").count() === 2000)
      assert(rows(sql(s"SELECT * FROM $t VERSION AS OF 'old'")) === rows(sql(s"SELECT * FROM $t")))
    }
  }

  test("a dry run changes nothing") {
    withIceberg {
      create(samples(1000))
      val before = (current.snapshotId, dataOnDisk)
      val row = sql(s"OPTIMIZE $t ZORDER BY (a, b) OPTIONS (target_file_size = '5000') DRY RUN").head()
      assert(row.getAs[Row]("metrics").getAs[Long]("numFilesAdded") > 1)
      assert((current.snapshotId, dataOnDisk) === before)
    }
  }

  test("properties of the table for its files hold") {
    withIceberg {
      create(
        samples(1000),
        properties = "'write.parquet.compression-codec' = 'gzip', 'write.metadata.metrics.column.c' = 'none', " +
          "'write.object-storage.enabled' = 'true'"
      )
      keepingAll(cluster("a, b", 4))
      val c = table.schema.findField("c").fieldId
      assert(files.forall(f => !f.lowerBounds.containsKey(c)))
      assert(files.forall(_.location.contains("/data/")))
      val properties = table.snapshots.asScala.size
      assert(properties === 2)
    }
  }
}
