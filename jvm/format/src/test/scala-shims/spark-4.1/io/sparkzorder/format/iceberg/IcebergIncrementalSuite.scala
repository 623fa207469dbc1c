// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import java.nio.file.{Files, Paths}

import io.sparkzorder.format.{Clustering, ClusteringOf, DataFile => OwnFile}
import io.sparkzorder.format.iceberg.listing.ClusteringInName
import io.sparkzorder.format.iceberg.rewrite.NamedLocations

import org.apache.hadoop.fs.Path
import org.apache.iceberg.{DataFiles, Table}
import org.apache.iceberg.hadoop.HadoopTables
import org.apache.spark.serializer.{JavaSerializer, KryoSerializer}
import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.catalyst.InternalRow

/** Which files of an Iceberg table an incremental run takes for clustered, whatever others did to the table. */
class IcebergIncrementalSuite extends QueryTest with IcebergSession {

  private val mergeOnRead = "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'"

  private def locations: Set[String] = files.map(_.location).toSet

  private def incremental(columns: String = "a, b", options: String = "", where: String = ""): Row =
    keepingAll(cluster(columns, 8, where, s", mode = 'incremental'$options"))

  /** Runs it, which must change nothing. */
  private def hasNothingToDo(columns: String = "a, b"): Unit = {
    val before = current.snapshotId
    assert(incremental(columns).getString(3).contains("Nothing to do"))
    assert(current.snapshotId === before)
  }

  private def ownFiles(of: Table = table): Seq[OwnFile] = new IcebergTable(of, t).snapshot(spark).files(None)

  private def clustered: Int = ownFiles().count(_.clustering.isDefined)

  for (version <- Seq(2, 3)) test(s"files that were added since are rewritten, the others stay: version $version") {
    withIceberg {
      create(samples(4000), version)
      incremental()
      val before = locations
      assert(before.size >= 6 && clustered === before.size)
      hasNothingToDo()
      append(samples(60, 4000))
      val theirs = locations -- before
      val result = incremental()
      assert((before -- locations).size <= 2 && (locations & theirs).isEmpty)
      assert(result.getAs[Row]("metrics").getAs[Long]("numFilesRemoved") < before.size)
      assert(clustered === files.size && ownFiles().flatMap(_.clustering).exists(_.isLayer))
      assert(current.operation === "replace")
      hasNothingToDo()
      // The record is the files' own.
      sql(s"CALL ice.system.expire_snapshots(table => 'db.t', older_than => TIMESTAMP '2999-01-01', retain_last => 1)")
        .collect()
      sql("CALL ice.system.rewrite_manifests('db.t')").collect()
      hasNothingToDo()
    }
  }

  test("partition by partition; WHERE takes some of them") {
    withIceberg {
      create(
        samples(3000),
        partitionedBy = "days(at), truncate(6, c)",
        properties = "'write.distribution-mode' = 'hash'")
      incremental()
      val before = files.map(f => f.location -> f.partition.toString).toMap
      hasNothingToDo()
      val day = "at >= TIMESTAMP'2024-01-02 00:00:00Z' AND at < TIMESTAMP'2024-01-03 00:00:00Z'"
      append(samples(200, 3000))
      incremental(where = day)
      assert(ownFiles().exists(_.clustering.isEmpty))
      val gone = before.keySet -- locations
      val second = java.time.LocalDate.of(2024, 1, 2).toEpochDay.toString
      assert(gone.forall(before(_).contains(second)) && clustered > 0)
      incremental()
      assert(clustered === files.size)
      hasNothingToDo()
    }
  }

  test("renamed columns still count, dropped ones, other columns and other curves do not") {
    withIceberg {
      create(samples(2000).selectExpr("*", "named_struct('x', a, 'y', b) AS s"))
      incremental("a, s.y")
      sql(s"ALTER TABLE $t RENAME COLUMN a TO aa")
      sql(s"ALTER TABLE $t RENAME COLUMN s.y TO yy")
      sql(s"ALTER TABLE $t ALTER COLUMN aa TYPE BIGINT")
      hasNothingToDo("aa, s.yy")
      val before = locations
      val strategy = incremental("aa, b").getAs[Row]("metrics").getAs[Row]("zOrderStats").getString(0)
      assert(strategy.contains("it was clustered by (aa, s.yy) along zorder"))
      assert((before & locations).isEmpty)
      val next = locations
      incremental("aa, b", ", curve = 'hilbert'")
      assert((next & locations).isEmpty)
      sql(s"ALTER TABLE $t DROP COLUMN b")
      sql(s"ALTER TABLE $t ADD COLUMN b DOUBLE")
      val last = locations
      incremental("aa, b", ", curve = 'hilbert'")
      assert((last & locations).isEmpty)
    }
  }

  test("files that others rewrote count as new, those that they left do not") {
    withIceberg {
      create(samples(3000))
      incremental()
      val before = locations
      sql(s"UPDATE $t SET c = 'x' WHERE a < 50")
      val left = before & locations
      assert(left.nonEmpty && left != before)
      assert(clustered === left.size)
      incremental()
      assert(clustered === files.size)
      sql("CALL ice.system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'true'))").collect()
      assert(clustered === 0)
      incremental()
      hasNothingToDo()
      // What was once there may come back, as it was.
      val (clusteredNow, snapshot) = (locations, current.snapshotId)
      append(samples(10, 3000))
      sql(s"CALL ice.system.rollback_to_snapshot('db.t', $snapshot)").collect()
      assert(locations === clusteredNow)
      hasNothingToDo()
    }
  }

  test("rows that an equality may have deleted are not all of the files that a rewrite left") {
    withIceberg {
      create(samples(4000))
      incremental()
      EqualityDeletes.of(table, "id", (0L until 120L): _*)
      def shares = ownFiles().map(f => f.path -> f.deletedShare).toMap
      val before = shares
      assert(before.values.forall(share => share > 0.02 && share < 0.04), before)
      cluster("a, b", 8, where = "a < 500", options = ", where_files = 'overlapping'")
      val left = before.keySet & locations
      assert(left.nonEmpty && left.size < before.size && left.forall(f => shares(f) < 0.04), shares)
      incremental()
      assert((left -- locations).isEmpty)
      hasNothingToDo()
    }
  }

  test("a file that was copied or added again counts as new, in this table and in others") {
    withIceberg {
      create(samples(1000))
      incremental()
      val one = files.head
      table.newDelete().deleteFile(one).commit()
      assert(clustered === files.size)
      table.newAppend().appendFile(one).commit()
      assert(clustered === files.size - 1)
      val folder = Files.createDirectories(warehouse.toPath.resolve("copies"))
      val file = Paths.get(new java.net.URI(if (one.location.contains(":")) one.location else s"file:${one.location}"))
      val copy = Files.copy(file, folder.resolve(file.getFileName))
      val copied = DataFiles.builder(table.spec).copy(one).withPath(copy.toString).build()
      table.newAppend().appendFile(copied).commit()
      assert(clustered === files.size - 2)
      // Of another table, whose versions have the same numbers.
      val other = new HadoopTables(spark.sessionState.newHadoopConf()).create(
        table.schema,
        table.spec,
        java.util.Map.of("format-version", "2"),
        new Path(warehouse.getPath, "other").toString)
      other.newAppend().appendFile(copied).commit()
      assert(ownFiles(other).map(_.clustering) === Seq(None))
      incremental()
      assert(clustered === files.size)
    }
  }

  for ((version, properties) <- Seq(
      2 -> "'write.delete.granularity' = 'file'",
      2 -> "'write.delete.granularity' = 'partition'",
      3 -> "'write.delete.granularity' = 'file'"))
    test(s"files with many deleted rows count as new: version $version, $properties") {
      withIceberg {
        create(samples(4000), version, properties = s"$mergeOnRead, $properties")
        incremental()
        sql(s"DELETE FROM $t WHERE id % 50 = 0")
        assert(tasks.forall(!_.deletes.isEmpty))
        hasNothingToDo()
        sql(s"DELETE FROM $t WHERE a < 100 AND id % 2 = 0")
        val before = locations
        incremental()
        val left = before & locations
        // Deletes of several files do not tell of which.
        if (!properties.contains("partition")) assert(left.nonEmpty)
        assert(left != before)
        hasNothingToDo()
        // Deletes that the files which have just been written leave out are none of theirs.
        sql(s"DELETE FROM $t WHERE id % 3 = 0")
        incremental()
        assert((locations & left).isEmpty)
        hasNothingToDo()
        assert(files.map(_.recordCount).sum === sql(s"SELECT * FROM $t").count())
      }
    }

  test("files with many rows whose key was deleted count as new") {
    withIceberg {
      create(samples(2000))
      incremental()
      val before = locations
      EqualityDeletes.of(table, "id", 1L, 2L, 3L)
      hasNothingToDo()
      EqualityDeletes.of(table, "id", (100L until 300L): _*)
      incremental()
      assert((locations & before).isEmpty && files.map(_.recordCount).sum === 1797)
      hasNothingToDo()
    }
  }

  test("files of an older partition spec count as new, and come into the current one") {
    withIceberg {
      create(samples(2000))
      incremental()
      sql(s"ALTER TABLE $t ADD PARTITION FIELD days(at)")
      assert(clustered === 0)
      append(samples(100, 2000).where("at < TIMESTAMP'2024-01-02 00:00:00Z'"))
      incremental(where = "at < TIMESTAMP'2024-01-02 00:00:00Z'")
      append(samples(300, 2100))
      // Of one partition only there are clustered files, and the old file has rows of all.
      sql(s"ALTER TABLE $t DROP PARTITION FIELD days(at)")
      append(samples(100, 2400))
      sql(s"ALTER TABLE $t ADD PARTITION FIELD days(at)")
      assert(clustered > 0 && clustered < files.size)
      incremental()
      assert(files.map(_.specId).toSet === Set(table.spec.specId) && clustered === files.size)
      hasNothingToDo()
    }
  }

  /** Into a file that is in no partition, of a table that has a partition for each day. */
  private def appendUnpartitioned(rows: DataFrame): Unit = {
    sql(s"ALTER TABLE $t DROP PARTITION FIELD days(at)")
    append(rows.coalesce(1))
    sql(s"ALTER TABLE $t ADD PARTITION FIELD days(at)")
  }

  test("a file of an older spec brings rows into partitions that WHERE does not choose: they count as new there") {
    withIceberg {
      create(samples(3000), partitionedBy = "days(at)", properties = "'write.distribution-mode' = 'hash'")
      incremental()
      assert(clustered === files.size && ownFiles().map(_.partition).distinct.size === 3)
      appendUnpartitioned(samples(600, 3000))
      val (first, others) = ("at < TIMESTAMP'2024-01-02 00:00:00Z'", "2024-01-01")
      keepingAll(cluster("a, b", 30, where = first))
      assert(files.forall(_.specId == table.spec.specId))
      val (ofFirst, ofOthers) = ownFiles().partition(_.partitionName.contains(others))
      assert(ofFirst.forall(_.clustering.isDefined))
      assert(ofOthers.exists(_.clustering.isEmpty) && ofOthers.exists(_.clustering.isDefined))
      incremental()
      assert(clustered === files.size)
      hasNothingToDo()
    }
  }

  test("a table without sequence numbers has no record") {
    withIceberg {
      create(samples(200), version = 1)
      val before = current.snapshotId
      failure("ZORDER_NO_CLUSTERING_RECORD")(cluster("a", 4, options = ", mode = 'incremental'"))
      assert(current.snapshotId === before)
      keepingAll(cluster("a, b", 4))
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('format-version' = '2')")
      assert(clustered === 0)
      incremental()
      hasNothingToDo()
    }
  }

  test("files of layers and others in one partition, by the tasks that write them") {
    withIceberg {
      create(
        samples(2000),
        partitionedBy = "c, bucket(2, id), days(at)",
        properties = "'write.distribution-mode' = 'hash', 'write.object-storage.enabled' = 'true'")
      val snapshot = new IcebergTable(table, t).snapshot(spark)
      val partitions = snapshot.files(None).map(_.partition).distinct
      val (some, others) = partitions.splitAt(partitions.size / 2)
      val record = Clustering(Seq(Seq("2"), Seq("5", "123456")), "hilbert", isLayer = false, "run", 2, 3)
      val of = new ClusteringOf {
        override def apply(task: Option[Int], partition: InternalRow): Option[Clustering] =
          if (!some.contains(partition)) Some(record)
          else task.map(t => record.copy(isLayer = layerTasks(partition)(t)))
        override def layerTasks(partition: InternalRow): Set[Int] = Set(0, 2)
      }
      val all = rows(sql(s"SELECT * FROM $t"))
      new IcebergTable(table, t).change(spark, dryRun = false) { own =>
        val now = own.snapshot(spark)
        val rewrite = now.rewrite(now.files(None), None, Seq(path("a")))
        val sorted = rewrite.input.repartition(3).sortWithinPartitions(
          now.partitionSchema.fieldNames.toIndexedSeq.map(n => org.apache.spark.sql.functions.col(s"`$n`")): _*)
        rewrite.write(sorted, of)
        rewrite.commit(Seq(path("a")))
      }
      sql(s"REFRESH TABLE $t")
      assert(rows(sql(s"SELECT * FROM $t")) === all)
      val found = ownFiles()
      assert(found.forall(_.clustering.isDefined) && others.nonEmpty)
      found.foreach { file =>
        val task = "/(\\d{5})-".r.findFirstMatchIn(file.location).get.group(1).toInt
        val expected = of(Some(task), file.partition).get
        assert(file.clustering.get === expected.copy(run = ClusteringInName.runId("run")), file.location)
      }
      assert(found.exists(_.clustering.get.isLayer) && found.exists(!_.clustering.get.isLayer))
    }
  }

  test("what tasks get goes through both serializers") {
    withIceberg {
      create(samples(10))
      val names = NamedLocations.Names("-x", "-y", Set(7))
      val made = new NamedLocations(table.locationProvider, Map("" -> names))
      val kryo = new KryoSerializer(sparkConf).newInstance()
      val java = new JavaSerializer(sparkConf).newInstance()
      for (copy <- Seq(
          kryo.deserialize[NamedLocations](kryo.serialize(made)),
          java.deserialize[NamedLocations](java.serialize(made)))) {
        assert(copy.newDataLocation("00007-1-id-0-00001.parquet").endsWith("/00007-1-id-0-00001-y.parquet"))
        assert(copy.newDataLocation("00006-1-id-0-00001.orc").endsWith("/00006-1-id-0-00001-x.orc"))
      }
    }
  }

  test("a run in batches goes on where it was interrupted") {
    withIceberg {
      create(samples(1500), partitionedBy = "days(at)", properties = "'write.distribution-mode' = 'hash'")
      val days = files.size
      val statement = s"OPTIMIZE $t ZORDER BY (a, b) OPTIONS (target_file_size = '4000', batch_size = '1')"
      keepingAll(sql(statement).collect())
      assert(table.history.size === 1 + days)
      val last = current
      assert(last.summary.get("spark-zorder.run-finished") === "true")
      // As if the last batch had not come.
      sql(s"CALL ice.system.rollback_to_snapshot('db.t', ${last.parentId})").collect()
      val before = locations
      keepingAll(sql(statement).collect())
      assert(current.parentId === last.parentId && current.summary.get("spark-zorder.run-finished") === "true")
      assert(current.summary.get("spark-zorder.run") === last.summary.get("spark-zorder.run"))
      assert((before -- locations).size === 1)
      assert(clustered === files.size)
      // A finished run is not gone on with.
      keepingAll(sql(statement).collect())
      assert((before & locations).isEmpty)
    }
  }
}
