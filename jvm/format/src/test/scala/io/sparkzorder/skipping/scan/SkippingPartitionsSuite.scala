// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import java.io.File

import io.sparkzorder.LongSuite

import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.catalyst.TableIdentifier

/** Partitioned tables: odd names of folders, catalog and path tables, static and dynamic pruning. */
class SkippingPartitionsSuite extends QueryTest with SkippingSession with LongSuite {

  private def folderOf(table: String): File =
    new File(spark.sessionState.catalog.getTableMetadata(TableIdentifier(table)).location)

  private val odd = Seq("plain", "a b", "50%", "x%20y", "#1", "q?v", "k=v", "a/b", "\u00e9\u00fc\u6f22", "'", "", null)

  test("partition values with characters that are escaped somewhere") {
    import testImplicits._
    withTempPath { folder =>
      val rows = for ((p, i) <- odd.zipWithIndex; j <- 0 until 20) yield (i * 100 + j, p)
      rows.toDF("v", "p").write.partitionBy("p").parquet(folder.getPath)
      indexed(folder) {
        def read = spark.read.parquet(folder.getPath)
        val all = FilesOfTable.parquetFiles(folder).size
        for (i <- odd.indices) {
          val (files, pruned) = filesOf(checked(read.where(s"v >= ${i * 100} AND v < ${i * 100 + 100}")))
          assert(files > 0 && files + pruned === all && pruned >= all * 0.8, s"partition $i")
        }
      }
    }
  }

  test("a path table: its folder is above the partitions that are read") {
    withTempPath { folder =>
      spark.range(0, 400, 1, 4).selectExpr(
        "id",
        "id % 2 p",
        "id % 3 q").write.partitionBy("p", "q").parquet(folder.getPath)
      indexed(folder) {
        val (files, pruned) = filesOf(checked(spark.read.parquet(s"$folder/p=0/q=1").where("id < 100")))
        assert((files, pruned) === ((1, 3)))
        val some = checked(spark.read.option(
          "basePath",
          folder.getPath).parquet(s"$folder/p=0", s"$folder/p=1").where("id < 100"))
        assert(filesOf(some) === ((6, 18)))
      }
    }
  }

  for (managed <- Seq("true", "false")) test(s"catalog tables; partitions in the catalog: $managed") {
    withSQLConf("spark.sql.hive.manageFilesourcePartitions" -> managed) {
      withTable("t") {
        spark.range(0, 1000, 1, 5).selectExpr("id", "id % 4 p").write.partitionBy("p").saveAsTable("t")
        indexed(folderOf("t")) {
          def table = spark.table("t")
          assert(filesOf(checked(table.where("id < 100"))) === ((4, 16)))
          val one = checked(table.where("id < 100 AND p = 2"))
          assert(filesOf(one) === ((1, 4)))
          assert(metric(scans(one).head, "numPartitions") === 1)
          assert(filesOf(checked(table.where("p = 2"))) === ((5, -1)))
          assert(filesOf(checked(table.where("id < 100 AND (p = 2 OR id = 3)"))) === ((4, 16)))
          // Columns of the same name in the files play no part.
          assert(filesOf(checked(table.where("id = p"))) === ((20, 0)))
        }
      }
    }
  }

  test("a partition elsewhere, of which the index knows nothing, is read") {
    withTable("t") {
      withTempPath { elsewhere =>
        spark.range(0, 100, 1, 2).selectExpr("id", "id % 2 p").write.partitionBy("p").saveAsTable("t")
        spark.range(500, 600, 1, 1).write.parquet(elsewhere.getPath)
        spark.sql(s"ALTER TABLE t ADD PARTITION (p = 7) LOCATION '${elsewhere.toURI}'")
        indexed(folderOf("t")) {
          assert(filesOf(checked(spark.table("t").where("id = 3"))) === ((3, 2)))
          checkAnswer(spark.table("t").where("id = 555").select("id"), Row(555))
        }
      }
    }
  }

  test("dynamic partition pruning") {
    withTable("fact", "dim") {
      spark.range(0, 1000, 1, 5).selectExpr("id", "id % 10 p").write.partitionBy("p").saveAsTable("fact")
      spark.range(10).selectExpr("id p", "id * 2 k").coalesce(1).write.saveAsTable("dim")
      indexed(folderOf("fact"), folderOf("dim")) {
        for (on <- Seq("true", "false")) withSQLConf("spark.sql.adaptive.enabled" -> on) {
          val data = checked(spark.sql(
            "SELECT f.id FROM fact f JOIN dim d ON f.p = d.p WHERE d.k = 6 AND f.id < 300"))
          val Seq(fact) = scans(data).filter(_.relation.partitionSchema.nonEmpty)
          assert(fact.partitionFilters.exists(_.toString.contains("dynamicpruning")))
          // Of the five files in the only partition that is read, two reach below 300.
          assert((metric(fact, "numFiles"), metric(fact, IndexedScanExec.FilesPruned)) === ((2, 3)))
        }
      }
    }
  }

  test("each side of a join leaves out files by its own filter") {
    withTable("l", "r") {
      spark.range(0, 400, 1, 4).selectExpr("id", "id % 7 a").write.saveAsTable("l")
      spark.range(0, 400, 1, 4).selectExpr("id", "id % 5 b").write.saveAsTable("r")
      indexed(folderOf("l"), folderOf("r")) {
        val data = checked(spark.sql("SELECT * FROM l JOIN r USING (id) WHERE l.id < 150 AND r.b < 100 AND r.id > 50"))
        assert(scans(data).map(s => metric(s, "numFiles")) === Seq(2, 2))
        val outer = checked(spark.sql("SELECT * FROM l LEFT JOIN r ON l.id = r.id AND r.id < 50 WHERE l.id >= 300"))
        assert(metric(scans(outer).head, "numFiles") === 1)
        val self =
          checked(spark.sql("SELECT x.id, y.a FROM l x JOIN l y ON x.id = y.id + 200 WHERE x.id < 250 AND y.id < 20"))
        assert(scans(self).map(s => metric(s, "numFiles")) === Seq(3, 1))
        checked(spark.sql("SELECT count(*), sum(a) FROM l WHERE id IN (SELECT id FROM r WHERE id > 390) AND id > 100"))
      }
    }
  }
}
