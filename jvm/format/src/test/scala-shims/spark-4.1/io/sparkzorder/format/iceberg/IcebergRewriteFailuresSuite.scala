// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.iceberg.rewrite.OpenWrites

import org.apache.iceberg.io.SupportsPrefixOperations
import org.apache.iceberg.spark.{FileRewriteCoordinator, Spark3Util}
import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.functions.{col, lit, raise_error, when}

/** What Iceberg's tests of a rewrite promise of partial progress, and of groups that fail. */
class IcebergRewriteFailuresSuite extends QueryTest with IcebergPromises {

  private def partitionBytes: Long =
    files.groupBy(_.partition.toString).values.map(_.map(_.fileSizeInBytes).sum).max

  test("as many commits as batches, at most one for each partition, and one where no batches are asked for") {
    withIceberg {
      inPartitions()
      val of = partitionBytes
      for ((size, batches) <- Seq("1" -> 4, (of * 2 + 10).toString -> 2, (of * 10).toString -> 1)) {
        val result = optimize(inBatches(size), snapshots = batches)
        assert(metrics(result).getAs[Long]("numBatches") === batches)
        assert(swapped(result)._2 === 4 && orphans.isEmpty)
        sql(s"DROP TABLE $t PURGE")
        inPartitions()
      }
      assert(swapped(optimize("ZORDER BY (a, c)")) === ((20, 4)))
    }
  }

  test("files that others take for orphans are missed") {
    withIceberg {
      inPartitions()
      val writes = new OpenWrites(table)
      val Seq(one, two, three) = files.map(_.location).take(3)
      writes.wrote("1", Seq(one, two, three))
      assert(writes.gone("1").isEmpty && writes.gone("2").isEmpty)
      writes.wrote("1", Seq(one, s"$two-gone", three, s"$one-gone"))
      assert(writes.gone("1") === Seq(s"$one-gone", s"$two-gone").sorted)
    }
  }

  test("a data file that is cut short is named") {
    withIceberg {
      inPartitions()
      val file = onDisk(files.head.location)
      Files.write(file, Files.readAllBytes(file).take(Files.size(file).toInt / 2))
      val error = intercept[ZOrderRuntimeException](sql(s"OPTIMIZE $t ZORDER BY (a, c)").collect())
      assert(error.getCondition === "ZORDER_UNREADABLE_FILE" && error.getMessage.contains(file.getFileName.toString))
    }
  }

  private def onDisk(location: String): Path = Paths.get(new java.net.URI(location).getPath)

  for (batches <- Seq(false, true))
    test(s"a group that cannot be rewritten ends the statement, and what was committed before stays: batches $batches") {
      withIceberg {
        inPartitions()
        val before = (rows(sql(s"SELECT * FROM $t")), dataOnDisk.size)
        val last = files.filter(_.partition.get(0, classOf[Integer]) == 3).map(f => onDisk(f.location)).last
        val away = Files.move(last, Files.createTempDirectory("away").resolve(last.getFileName))
        val clauses = if (batches) inBatches(1) else "ZORDER BY (a, c)"
        val error = intercept[ZOrderRuntimeException](sql(s"OPTIMIZE $t $clauses").collect())
        assert(error.getCondition === "ZORDER_UNREADABLE_FILE" && error.getMessage.contains(last.getFileName.toString))
        Files.move(away, last)
        sql(s"REFRESH TABLE $t")
        val done = snapshots - 1
        assert(if (batches) done > 0 && done < 4 else done === 0, done)
        assert(rows(sql(s"SELECT * FROM $t")) === before._1 && dataOnDisk.size === before._2 + done)
        assert(orphans.isEmpty && FileRewriteCoordinator.get.fetchSetIds(table).isEmpty)
        assert(swapped(optimize(clauses, if (batches) 4 - done else 1))._2 === (if (batches) 4 - done else 4))
      }
    }

  for (name <- Seq("`table:with.special:chars %20`", "t"))
    test(s"a write that fails leaves nothing behind in any place: $name") {
      val special = s"ice.db.$name"
      val place = s"$warehouseUri/elsewhere/a b:c%20/data"
      try {
        sql(s"CREATE TABLE $special (id BIGINT, a INT) USING iceberg")
        if (name == "t") sql(s"ALTER TABLE $special SET TBLPROPERTIES ('write.data.path' = '$place')")
        samples(2000).select("id", "a").repartition(4).writeTo(special).append()
        val found = Spark3Util.loadIcebergTable(spark, special)
        def there = {
          val files = found.io.asInstanceOf[SupportsPrefixOperations]
          files.listPrefix(if (name == "t") place else s"${found.location}/data").asScala.map(_.location).toSet
        }
        val before = there
        assert(before.size === 4)
        val e = intercept[Exception](withRewrite(found, special) { rewrite =>
          // One of four tasks fails at its last rows, when others have ended.
          val a = when(col("id") === 1999, raise_error(lit("stop"))).otherwise(col("a"))
          rewrite.write(
            rewrite.input.repartition(4, col("id")).sortWithinPartitions("id").withColumn("a", a),
            (_, _) => None)
        })
        assert(e.getMessage.contains("stop") && there === before, e)
        sql(s"OPTIMIZE $special ZORDER BY (a)")
        assert(there.size === 5)
      } finally sql(s"DROP TABLE IF EXISTS $special PURGE")
    }
}
