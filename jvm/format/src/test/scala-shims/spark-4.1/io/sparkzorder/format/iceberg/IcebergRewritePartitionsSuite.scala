// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.iceberg.PartitionStatsHandler
import org.apache.iceberg.spark.{FileRewriteCoordinator, ScanTaskSetManager}
import org.apache.iceberg.types.{Conversions, Types}
import org.apache.spark.sql.QueryTest
import org.scalatest.concurrent.Eventually
import org.scalatest.time.{Seconds, Span}

/** What Iceberg's tests of a rewrite promise of partitions and of specs that change. */
class IcebergRewritePartitionsSuite extends QueryTest with IcebergPromises with Eventually {

  for (version <- 1 to 4) test(s"each partition becomes one file, all by one commit, version $version") {
    withIceberg {
      create(promised(800).repartition(5), version, "p", scattered)
      assert(files.size === 20)
      val numbers = if (version >= 3) Some(lineage) else None
      val result = optimize("ZORDER BY (a, c)")
      assert(swapped(result) === ((20, 4)) && metrics(result).getAs[Long]("partitionsOptimized") === 4)
      assert(files.map(_.partition.get(0, classOf[Integer])).toSet === Set(0, 1, 2, 3))
      assertBytes(result)
      numbers.foreach(before => assert(lineage === before))
    }
  }

  test("statistics of partitions that were kept of the version before come to the same rows, in fewer files") {
    withIceberg {
      create(promised(800).repartition(5), partitionedBy = "p", properties = scattered)
      def statistics(): Map[String, (Long, Int)] = {
        val now = table
        now.updatePartitionStatistics().setPartitionStatistics(
          PartitionStatsHandler.computeAndWriteStatsFile(now)).commit()
        Using.resource(table.newPartitionStatisticsScan().scan())(_.asScala.map { s =>
          s.partition.toString -> ((s.dataRecordCount.toLong, s.dataFileCount.toInt))
        }.toMap)
      }
      val before = statistics()
      optimize("ZORDER BY (a, c)")
      assert(before.values.toSet === Set((200L, 5)))
      assert(statistics() === before.map { case (partition, _) => partition -> ((200L, 1)) })
    }
  }

  private def string(bound: ByteBuffer): String =
    Conversions.fromByteBuffer[CharSequence](Types.StringType.get, bound).toString

  for (field <- Seq("bucket(4, id)", "p", "days(at)"))
    test(s"files from before a partition field are rewritten with it, sorted by one column in each partition: $field") {
      withIceberg {
        create(promised(2000).repartition(20))
        sql(s"ALTER TABLE $t ADD PARTITION FIELD $field")
        val size = files.map(_.fileSizeInBytes).sum / 12
        val result = optimize(s"ZORDER BY (c) OPTIONS (target_file_size = '$size')")
        assert(swapped(result)._1 === 20 && files.forall(_.specId == table.spec.specId))
        assert(files.groupBy(_.partition.toString).values.forall(_.size > 1))
        assertApart("c", string)
        assertBytes(result)
      }
    }

  for (number <- Seq("DOUBLE", "FLOAT"))
    test(s"zeros of either sign come from older files into partitions of their own: $number") {
      withIceberg {
        sql(s"CREATE TABLE $t (id BIGINT, d $number) USING iceberg")
        sql(s"INSERT INTO $t SELECT id, cast(d AS $number) FROM VALUES (1, '0.0'), (2, '-0.0'), (3, 'NaN'), (4, NULL) AS v (id, d)")
        sql(s"ALTER TABLE $t ADD PARTITION FIELD d")
        optimize("ZORDER BY (id)")
        assert(files.size === 4)
        assert(rows(sql(s"SELECT id, cast(d AS STRING) FROM $t")).keySet.map(_.toString) ===
          Set("[1,0.0]", "[2,-0.0]", "[3,NaN]", "[4,null]"))
      }
    }

  for (values <- Seq("-0.0, 0.0, 4, 5, 6, double('NaN')", "0.0, -0.0, 1, 2, 3, 4, 5, 6, 7"))
    test(s"no partition is left, where there is one for zeros of each sign: $values") {
      withIceberg {
        sql(s"CREATE TABLE $t (id BIGINT, d DOUBLE) USING iceberg PARTITIONED BY (d)")
        for (_ <- 1 to 2) sql(s"INSERT INTO $t SELECT id, explode(array($values)) FROM range(40)")
        val before = files.map(_.location).toSet
        keepingAll(sql(s"OPTIMIZE $t ZORDER BY (id)").collect())
        assert(files.size === before.size / 2 && !files.map(_.location).exists(before))
        val now = files.map(_.location)
        keepingAll(sql(s"OPTIMIZE $t ZORDER BY (id) OPTIONS (mode = 'incremental')").collect())
        assert(files.map(_.location) === now)
      }
    }

  test("files come into the current spec of the table, whichever it had before") {
    withIceberg {
      create(promised(400).repartition(10))
      for (field <- Seq("truncate(6, c)", "bucket(2, a)")) {
        sql(s"ALTER TABLE $t ADD PARTITION FIELD $field")
        optimize("ZORDER BY (id)")
        assert(files.map(_.specId).toSet === Set(table.spec.specId))
        assert(files.forall(_.partition.size == table.spec.fields.size))
      }
      sql(s"ALTER TABLE $t DROP PARTITION FIELD truncate(6, c)")
      sql(s"ALTER TABLE $t DROP PARTITION FIELD bucket(2, a)")
      optimize("ZORDER BY (id)")
      assert(files.size === 1 && files.head.specId === table.spec.specId)
    }
  }

  test("Iceberg is left with nothing to remember of a statement") {
    withIceberg {
      create(promised(400).repartition(5), partitionedBy = "p", properties = scattered)
      optimize("ZORDER BY (a, c)")
      assert(FileRewriteCoordinator.get.fetchSetIds(table).isEmpty)
      // What reads the files may be asked for them as long as somebody has it.
      eventually(timeout(Span(30, Seconds)), interval(Span(1, Seconds))) {
        System.gc()
        assert(ScanTaskSetManager.get.fetchSetIds(table).isEmpty)
      }
    }
  }
}
