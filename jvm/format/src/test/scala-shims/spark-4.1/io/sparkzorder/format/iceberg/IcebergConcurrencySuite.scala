// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.jdk.CollectionConverters._

import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.CommitOutcome

import org.apache.iceberg.{BaseTable, HasTableOperations, Table, TableMetadata, TableOperations, TableScan}
import org.apache.iceberg.io.{FileIO, LocationProvider}
import org.apache.iceberg.types.Types.IntegerType
import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.functions.{col, lit, raise_error, when}

/** What concurrent writers and failures leave of a rewrite of an Iceberg table. */
class IcebergConcurrencySuite extends QueryTest with IcebergSession {

  /** Rewrites all files, while `concurrently` runs between the write and the commit. */
  private def rewriting(concurrently: => Unit): CommitOutcome = rewritingOf(table)(concurrently)

  private def rewritingOf(of: Table, branch: Option[String] = None)(concurrently: => Unit): CommitOutcome =
    new IcebergTable(of, t, branch).change(spark, dryRun = false) { own =>
      val snapshot = own.snapshot(spark)
      val rewrite = snapshot.rewrite(snapshot.filesOfPartitions(None), None, Seq(path("a")))
      val by = (snapshot.partitionSchema.fieldNames.toIndexedSeq :+ "a").map(col)
      rewrite.write(rewrite.input.sortWithinPartitions(by: _*), (_, _) => None)
      concurrently
      rewrite.commit(Seq(path("a")))
    }

  private val mergeOnRead = "'write.delete.mode' = 'merge-on-read'"

  test("rows appended concurrently stay") {
    withIceberg {
      create(samples(500))
      val outcome = rewriting(append(samples(100, 500)))
      assert(outcome.conflict.isEmpty && outcome.added.nonEmpty)
      assert(sql(s"SELECT DISTINCT id FROM $t").count() === 600 && sql(s"SELECT * FROM $t").count() === 600)
    }
  }

  for ((version, properties) <- Seq((2, mergeOnRead), (3, mergeOnRead), (2, "'write.delete.mode' = 'copy-on-write'")))
    test(s"rows deleted concurrently stay deleted, and nothing is left behind: version $version, $properties") {
      withIceberg {
        create(samples(500), version, properties = properties)
        var theirs = Set.empty[String]
        val outcome = rewriting {
          sql(s"DELETE FROM $t WHERE id < 10")
          theirs = files.map(_.location).toSet
        }
        assert(outcome.added.isEmpty && outcome.conflict.exists(!_.isFinal))
        assert(
          outcome.conflict.get.cause.asInstanceOf[ZOrderRuntimeException].getCondition === "ZORDER_ICEBERG_CONFLICT")
        assert(files.map(_.location).toSet === theirs)
        assert(sql(s"SELECT * FROM $t").count() === 490)
        assert(!dataOnDisk.exists(_.contains("zorder-")))
        // Again, as the statement itself does it.
        keepingAll(cluster("a, b", 4))
        assert(sql(s"SELECT * FROM $t").count() === 490)
      }
    }

  for (version <- Seq(2, 3)) test(s"rows merged concurrently stay as they were merged: version $version") {
    withIceberg {
      create(samples(500), version, properties = "'write.merge.mode' = 'merge-on-read'")
      val outcome = rewriting(
        sql(
          s"MERGE INTO $t t USING (SELECT id * 100 AS k FROM range(10)) s ON t.id = s.k WHEN MATCHED AND k = 0 THEN DELETE " +
            "WHEN MATCHED THEN UPDATE SET a = -1 WHEN NOT MATCHED THEN INSERT (id, a) VALUES (k, -2)"))
      assert(outcome.conflict.exists(!_.isFinal))
      keepingAll(cluster("a, b", 4))
      checkAnswer(
        sql(s"SELECT count(*), count_if(a = -1), count_if(a = -2), count_if(id = 0) FROM $t"),
        Row(504L, 4L, 5L, 0L))
    }
  }

  test("an equality that was deleted concurrently is deleted of new files, too: rows of the same key stay away") {
    withIceberg {
      create(samples(200))
      EqualityDeletes.of(table, "id", 9L)
      val outcome = rewriting(EqualityDeletes.of(table, "id", 7L, 8L))
      // The one that was there before goes with its files.
      assert(outcome.conflict.isEmpty && sql(s"SELECT * FROM $t.delete_files").count() === 1)
      assert(sql(s"SELECT * FROM $t").count() === 197 && sql(s"SELECT * FROM $t WHERE id IN (7, 8, 9)").isEmpty)
    }
  }

  // Iceberg's commit drops deletes that are older than all files that stay, but for those that it adds.
  for (merges <- Seq(false, true); hadOne <- Seq(false, true))
    test(s"an equality that was deleted before the only files that stay is deleted of new files: $merges, $hadOne") {
      withIceberg {
        create(samples(100), properties = if (merges) "'commit.manifest.min-count-to-merge' = '2'" else "")
        if (hadOne) EqualityDeletes.of(table, "id", 9L)
        val outcome = rewriting {
          EqualityDeletes.of(table, "id", 7L, 8L)
          append(samples(10, 1000))
        }
        assert(outcome.conflict.exists(!_.isFinal))
        keepingAll(cluster("a, b", 4))
        assert(sql(s"SELECT * FROM $t").count() === (if (hadOne) 107 else 108))
        assert(sql(s"SELECT * FROM $t WHERE id IN (7, 8)").isEmpty)
      }
    }

  test("an equality that was deleted in a branch, before a commit to another one, is deleted of new files") {
    withIceberg {
      create(samples(100))
      sql(s"ALTER TABLE $t CREATE BRANCH side")
      val outcome = rewritingOf(table, Some("side")) {
        EqualityDeletes.onBranch("side", table, "id", 7L, 8L)
        append(samples(10, 1000))
      }
      assert(outcome.conflict.exists(!_.isFinal))
      sql(s"REFRESH TABLE $t")
      assert(sql(s"SELECT * FROM $t.branch_side").count() === 98)
    }
  }

  test("an equality holds for new files while a file that is older stays, or came with it") {
    withIceberg {
      create(samples(100))
      val outcome = rewriting {
        append(samples(10, 1000))
        EqualityDeletes.of(table, "id", 7L, 8L)
        append(samples(10, 2000))
      }
      assert(outcome.conflict.isEmpty)
      sql(s"REFRESH TABLE $t")
      assert(sql(s"SELECT * FROM $t").count() === 118 && sql(s"SELECT * FROM $t WHERE id IN (7, 8)").isEmpty)
    }
  }

  test("a file that is added again while it is rewritten keeps its rows") {
    withIceberg {
      create(samples(100).repartition(1))
      val outcome = rewriting {
        table.newAppend().appendFile(files.head).commit()
        sql("CALL ice.system.rewrite_manifests('db.t')").collect()
      }
      assert(outcome.conflict.exists(!_.isFinal))
      sql(s"REFRESH TABLE $t")
      assert(sql(s"SELECT * FROM $t").count() === 200)
    }
  }

  test("columns that differ in the case of letters alone are named") {
    withIceberg {
      create(samples(100))
      table.updateSchema().addColumn("A", IntegerType.get).commit()
      sql(s"REFRESH TABLE $t")
      failure("ZORDER_ICEBERG_NOT_REWRITABLE", "A and a")(cluster("id", 2))
    }
  }

  test("an equality that others deleted and replaced is known of no file: the commit is refused") {
    withIceberg {
      create(samples(100))
      append(samples(100, 1000))
      val outcome = rewriting {
        EqualityDeletes.of(table, "id", 7L)
        table.newRewrite().deleteFile(tasks.flatMap(_.deletes.asScala).head).commit()
      }
      assert(outcome.conflict.exists(!_.isFinal))
    }
  }

  test("a table that comes to number its rows concurrently has them numbered once") {
    withIceberg {
      create(samples(100))
      def numbers = rows(sql(s"SELECT id, _row_id, _last_updated_sequence_number FROM $t"))
      var before = Map.empty[Row, Int]
      val e = intercept[ZOrderRuntimeException](rewriting {
        sql(s"ALTER TABLE $t SET TBLPROPERTIES ('format-version' = '3')")
        append(samples(10, 1000))
        before = numbers
      })
      assert(e.getCondition === "ZORDER_TABLE_CHANGED" && numbers === before)
      assert(!dataOnDisk.exists(_.contains("zorder-")))
    }
  }

  test("rows that a concurrent commit numbers for the first time keep these numbers") {
    withIceberg {
      create(samples(100))
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('format-version' = '3')")
      def numbers = rows(sql(s"SELECT id, _row_id, _last_updated_sequence_number FROM $t"))
      var before = Map.empty[Row, Int]
      val outcome = rewriting {
        append(samples(10, 1000))
        before = numbers
      }
      assert(outcome.conflict.exists(!_.isFinal) && numbers === before)
      // Again, as the statement itself does it.
      cluster("a, b", 4)
      assert(numbers === before)
    }
  }

  test("a table that is dropped and made again concurrently is another one") {
    withIceberg {
      create(samples(100))
      val e = intercept[ZOrderRuntimeException](rewriting {
        sql(s"DROP TABLE $t PURGE")
        create(samples(50))
        append(samples(10, 1000))
      })
      assert(e.getCondition === "ZORDER_TABLE_CHANGED")
      sql(s"REFRESH TABLE $t")
      assert(sql(s"SELECT * FROM $t").count() === 60)
      assert(!dataOnDisk.exists(_.contains("zorder-")))
    }
  }

  for (commits <- 1 to 3) test(s"one that has ${commits + 1} versions after that, where the first had two") {
    withIceberg {
      create(samples(100))
      val e = intercept[ZOrderRuntimeException](rewriting {
        sql(s"DROP TABLE $t")
        create(samples(50, 1000))
        for (n <- 2 to commits) append(samples(10, n * 1000))
      })
      assert(e.getCondition === "ZORDER_TABLE_CHANGED")
      sql(s"REFRESH TABLE $t")
      val found = sql(s"SELECT count(*), min(id) FROM $t").head()
      assert(found === Row(40L + commits * 10, 1000L))
      assert(!dataOnDisk.exists(_.contains("zorder-")))
    }
  }

  test("a table that is dropped concurrently") {
    withIceberg {
      create(samples(100))
      val e = intercept[ZOrderRuntimeException](rewriting(sql(s"DROP TABLE $t")))
      assert(e.getCondition === "ZORDER_TABLE_CHANGED" && e.getSqlState === "40001")
      create(samples(10))
      assert(!dataOnDisk.exists(_.contains("zorder-")))
    }
  }

  test("deletes that are rewritten concurrently are dropped at the next attempt") {
    withIceberg {
      create(samples(500).repartition(4), properties = s"$mergeOnRead, 'write.delete.granularity' = 'partition'")
      for (n <- 0 to 2) sql(s"DELETE FROM $t WHERE id % 50 = $n")
      val outcome = rewriting(
        sql("CALL ice.system.rewrite_position_delete_files(table => 'db.t', options => map('rewrite-all', 'true'))"))
      assert(outcome.added.isEmpty && outcome.conflict.exists(!_.isFinal))
      assert(sql(s"SELECT * FROM $t").count() === 470)
      keepingAll(cluster("a, b", 4))
      assert(sql(s"SELECT * FROM $t.delete_files").isEmpty)
    }
  }

  // Such a delete is for files of its own spec alone.
  test("an equality that was deleted in partitions while files come into another spec is deleted of these, too") {
    withIceberg {
      create(samples(300), partitionedBy = "truncate(5, c)")
      sql(s"ALTER TABLE $t DROP PARTITION FIELD truncate(5, c)")
      sql(s"ALTER TABLE $t ADD PARTITION FIELD bucket(2, a)")
      val old = files.head
      val outcome = rewriting(EqualityDeletes.beside(old, table, "id", 7L, 8L))
      assert(outcome.conflict.exists(!_.isFinal))
      keepingAll(cluster("a, b", 4))
      assert(sql(s"SELECT * FROM $t").count() === 298 && sql(s"SELECT * FROM $t WHERE id IN (7, 8)").isEmpty)
      // Of files that stay in their spec it holds without another attempt.
      val now = files.maxBy(_.recordCount)
      val value = sql(s"SELECT a FROM $t WHERE _file = '${now.location}' LIMIT 1").head().getInt(0)
      assert(rewriting(EqualityDeletes.beside(now, table, "a", value)).conflict.isEmpty)
      sql(s"REFRESH TABLE $t")
      assert(sql(s"SELECT * FROM $t").count() < 298)
    }
  }

  test("an error after the catalog has taken the commit deletes no file of the table") {
    withIceberg {
      create(samples(300))
      val operations = table.asInstanceOf[HasTableOperations].operations
      var fails = false
      val failing = new TableOperations {
        override def current(): TableMetadata = operations.current
        override def refresh(): TableMetadata = operations.refresh()
        override def io(): FileIO = operations.io
        override def metadataFileLocation(name: String): String = operations.metadataFileLocation(name)
        override def locationProvider(): LocationProvider = operations.locationProvider
        override def commit(base: TableMetadata, changed: TableMetadata): Unit = {
          operations.commit(base, changed)
          if (fails) throw new OutOfMemoryError("while the answer was read")
        }
      }
      val before = current.snapshotId
      val e = intercept[OutOfMemoryError](rewritingOf(new BaseTable(failing, table.name)) { fails = true })
      assert(e.getMessage === "while the answer was read")
      sql(s"REFRESH TABLE $t")
      assert(current.parentId === before && sql(s"SELECT * FROM $t").collect().length === 300)
    }
  }

  for (version <- Seq(1, 2, 3)) test(s"a table that has a file twice keeps the rows of both: version $version") {
    withIceberg {
      create(samples(300), version)
      val file = files.head
      table.newAppend().appendFile(file).commit()
      sql(s"REFRESH TABLE $t")
      val before = current.snapshotId
      keepingAll {
        failure("ZORDER_ICEBERG_NOT_REWRITABLE", file.location)(cluster("a, b", 4))
      }
      assert(current.snapshotId === before)
      assert(sql(s"DESCRIBE LAYOUT $t ON (a)").head() != null)
      // As the message says.
      keepingAll {
        sql(s"INSERT OVERWRITE $t SELECT * FROM $t")
        cluster("a, b", 4)
      }
    }
  }

  test("equality deletes are applied") {
    withIceberg {
      create(samples(200))
      EqualityDeletes.of(table, "id", 7L, 8L)
      append(samples(20, 5))
      keepingAll(cluster("a, b", 4))
      assert(sql(s"SELECT * FROM $t").count() === 218)
      assert(files.map(_.recordCount).sum === 218)
    }
  }

  test("a write that fails leaves no file behind") {
    withIceberg {
      create(samples(2000).repartition(4))
      val before = (current.snapshotId, dataOnDisk)
      val e = intercept[Exception] {
        withRewrite(table, t) { rewrite =>
          // One of four tasks fails at its last rows, when others have ended.
          val fails = rewrite.input.repartition(4, col("id")).sortWithinPartitions("id")
            .withColumn("b", when(col("id") === 1999, raise_error(lit("stop"))).otherwise(col("b")))
          rewrite.write(fails, (_, _) => None)
        }
      }
      assert(e.getMessage.contains("stop"), e)
      assert((current.snapshotId, dataOnDisk) === before)
    }
  }

  test("rows that do not come out again stop the rewrite, and nothing is left behind") {
    withIceberg {
      create(samples(500))
      val before = (current.snapshotId, dataOnDisk)
      withRewrite(table, t) { rewrite =>
        val added = rewrite.write(rewrite.input.where("id > 3"), (_, _) => None)
        assert(added.flatMap(_.rows).sum === 496)
        // The statement compares them and ends here.
      }
      assert((current.snapshotId, dataOnDisk) === before)
    }
  }

  for (change <- Seq("ADD PARTITION FIELD c", "DROP COLUMN b"))
    test(s"a table that is changed after its files were listed: $change") {
      withIceberg {
        create(samples(300))
        val loaded = table
        val e = intercept[ZOrderRuntimeException](new IcebergTable(loaded, t).change(spark, dryRun = false) { own =>
          val snapshot = own.snapshot(spark)
          val listed = snapshot.filesOfPartitions(None)
          sql(s"ALTER TABLE $t $change")
          loaded.refresh()
          val rewrite = snapshot.rewrite(listed, None, Seq(path("a")))
          rewrite.write(rewrite.input, (_, _) => None)
        })
        assert(e.getCondition === "ZORDER_TABLE_CHANGED" && !dataOnDisk.exists(_.contains("zorder-")))
      }
    }

  test("a catalog that plans scans, and tells no numbers, is not asked for them") {
    withIceberg {
      create(samples(300), 3)
      append(samples(100, 300))
      val lineage = s"SELECT id, _row_id, _last_updated_sequence_number FROM $t"
      val before = sql(lineage).collect().toSeq
      val operations = table.asInstanceOf[HasTableOperations].operations
      val planning = new BaseTable(operations, t) {
        override def newScan(): TableScan = throw new UnsupportedOperationException
      }
      assert(rewritingOf(planning)(()).conflict.isEmpty)
      checkAnswer(sql(lineage), before)
    }
  }

  test("a table whose columns are changed concurrently keeps its rows") {
    withIceberg {
      create(samples(300))
      rewriting {
        sql(s"ALTER TABLE $t DROP COLUMN b")
        sql(s"ALTER TABLE $t ADD COLUMN z INT")
        sql(s"ALTER TABLE $t ADD PARTITION FIELD c")
      }
      assert(sql(s"SELECT id, a, c, at, z FROM $t").collect().length === 300)
      keepingAll(cluster("a, id", 4))
      assert(files.forall(_.specId == table.spec.specId))
    }
  }
}
