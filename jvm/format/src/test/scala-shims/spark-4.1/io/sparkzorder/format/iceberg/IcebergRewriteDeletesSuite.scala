// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.QueryTest

/** What Iceberg's tests of a rewrite promise of deletes, and of sequence numbers, by which these hold. */
class IcebergRewriteDeletesSuite extends QueryTest with IcebergPromises {

  private def recorded: Long = sql(s"SELECT * FROM $t.delete_files").count()

  // A filter that Iceberg cannot express, so that rows are deleted and not whole files.
  private def deleteWhere(condition: String): Unit = sql(s"DELETE FROM $t WHERE $condition AND pmod(id, 2) < 2")

  for (version <- 2 to 4; mode <- Seq("full", "incremental"))
    test(s"files of which all rows are deleted go, with their deletes: version $version, $mode") {
      withIceberg {
        create(samples(100).repartition(5), version, properties = mergeOnRead)
        deleteWhere("id >= 0")
        assert(files.size === 5 && recorded === 5)
        val result = optimize(s"ZORDER BY (a, b) OPTIONS (mode = '$mode')")
        assert(swapped(result) === ((5, 0)))
        assert(files.isEmpty && recorded === 0)
        for (total <- Seq("data-files", "delete-files", "records", "position-deletes"))
          assert(summary(s"total-$total") === "0", total)
        val manifests = current.dataManifests(table.io).asScala
        assert(manifests.forall(m => m.existingFilesCount == 0 && m.addedFilesCount == 0))
        assert(manifests.map(_.deletedFilesCount.toInt).sum === 5)
      }
    }

  test("files with several deletes each, and files without") {
    withIceberg {
      // By partition; Iceberg's writes put the deletes of one file together.
      val granularity = "'write.delete.granularity' = 'partition'"
      create(
        promised(800).repartition(2),
        partitionedBy = "p",
        properties = s"$scattered, $mergeOnRead, $granularity")
      for (ids <- Seq("0, 4, 8, 12, 1", "16, 20, 24, 28, 5", "9")) deleteWhere(s"id IN ($ids)")
      assert(tasks.map(_.deletes.size).max >= 2 && tasks.count(_.deletes.isEmpty) === 4)
      val deleted = recorded
      assert(swapped(optimize("ZORDER BY (a, c)")) === ((8, 4)))
      assert(sql(s"SELECT * FROM $t").count() === 789 && recorded === 0)
      assert(summary("removed-position-deletes") === "11" && summary("removed-delete-files").toLong === deleted)
    }
  }

  for (version <- 3 to 4) test(s"deletion vectors go with their files, and rows keep their numbers, version $version") {
    withIceberg {
      create(promised(800).repartition(2), version, "p", s"$scattered, $mergeOnRead")
      deleteWhere("id % 40 IN (0, 1, 5, 2, 3)")
      val (numbers, before) = (lineage, recorded)
      assert(before === 8)
      optimize("WHERE p < 2 ZORDER BY (a, c)")
      assert(lineage === numbers && recorded === 4 && summary("removed-dvs") === "4")
      val of = sql(s"SELECT referenced_data_file FROM $t.delete_files").collect().map(_.getString(0)).toSet
      assert(of === tasks.filterNot(_.deletes.isEmpty).map(_.file.location).toSet)
      optimize("ZORDER BY (a, c)")
      assert(lineage === numbers && recorded === 0 && summary("total-position-deletes") === "0")
    }
  }

  for (version <- 2 to 4)
    test(s"deletes of positions and of equalities in a partition go when its spec has changed since, version $version") {
      withIceberg {
        create(promised(400).repartition(2), version, "p", s"$scattered, $mergeOnRead")
        for (p <- Seq(1, 2)) EqualityDeletes.beside(partitionFile(p), table, "c", s"user-2$p")
        deleteWhere("id IN (5, 9)")
        // The delete of the other partition is of no file now.
        val second = table.newDelete()
        files.filter(isIn(2)).foreach(file => second.deleteFile(file))
        second.commit()
        sql(s"ALTER TABLE $t ADD PARTITION FIELD truncate(6, c)")
        append(promised(20, 1000).where("p <> 2"))
        sql(s"REFRESH TABLE $t")
        assert(sql(s"SELECT * FROM $t WHERE p = 1 AND c = 'user-21' AND id < 1000").isEmpty)
        val (others, sequence) = (files.filterNot(isIn(1)).map(_.location), current.sequenceNumber)
        optimize("WHERE p = 1 ZORDER BY (a)")
        assert(files.filterNot(isIn(1)).map(_.location) === others)
        val now = files.filter(isIn(1))
        assert(now.forall(f => f.specId == table.spec.specId && f.dataSequenceNumber == sequence))
        assert(deletes.isEmpty && summary("total-position-deletes") === "0")
        // What was of no file before is none of the statement's, as for Iceberg without `remove-dangling-deletes`.
        assert(recorded === 1)
        optimize("ZORDER BY (a)")
        assert(recorded === 0)
      }
    }

  private def isIn(p: Int)(file: org.apache.iceberg.DataFile): Boolean = file.partition.get(0, classOf[Integer]) == p

  private def partitionFile(p: Int) = files.find(isIn(p)).get

  for (version <- 1 to 4) test(s"new files have the sequence number of the version that was read, version $version") {
    withIceberg {
      create(promised(400).repartition(2), version, "p", scattered)
      append(promised(100, 400))
      val before = current.sequenceNumber
      optimize("ZORDER BY (a, c)")
      assert(files.size === 4 && files.forall(_.dataSequenceNumber == before))
      if (version == 1) assert(before === 0 && current.sequenceNumber === 0)
      else assert(current.sequenceNumber === before + 1 && files.forall(_.fileSequenceNumber == before + 1))
      val entries = sql(s"SELECT sequence_number FROM $t.entries WHERE status = 1").collect().map(_.getLong(0))
      assert(entries.toSet === Set(before))
    }
  }

  test("rows that come to be numbered after a rewrite were last changed by what wrote them") {
    withIceberg {
      create(samples(4).repartition(2))
      val written = current.sequenceNumber
      optimize("ZORDER BY (a, b)")
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('format-version' = '3')")
      table.rewriteManifests().rewriteIf(_ => true).commit()
      sql(s"REFRESH TABLE $t")
      val found =
        sql(s"SELECT _row_id, _last_updated_sequence_number FROM $t").collect().map(r => r.getLong(0) -> r.getLong(1))
      assert(found.toSet === (0L until 4L).map(_ -> written).toSet)
      val before = lineage
      optimize("ZORDER BY (b, a) OPTIONS (target_file_size = '100')")
      assert(lineage === before)
    }
  }
}
