// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import java.io.File

import io.sparkzorder.LongTest
import io.sparkzorder.errors.ZOrderRuntimeException

import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** Each way to read a table finds each row once while a rewrite has old and new files side by side. */
class PendingRewriteReadersSuite extends QueryTest with SkippingSession {

  private val rows = (0 until 40).map(i => Row(i.toLong, i % 2))

  /**
   * A table with the same rows in two old and two new files of each partition.
   *
   * @param body
   *   is given the folder, and the names of old and of new files, relative to it
   */
  private def withBoth(body: (File, Set[String], Set[String]) => Unit): Unit = withTempPath { folder =>
    def write(): Unit =
      spark.range(40).selectExpr("id", "CAST(id % 2 AS INT) AS p").repartition(2)
        .write.mode("append").partitionBy("p").parquet(folder.getPath)
    def names = FilesOfTable.parquetFiles(folder).map(f => folder.toPath.relativize(f.toPath).toString).toSet
    write()
    val old = names
    write()
    indexed(folder)(body(folder, old, names -- old))
  }

  private def reads(folder: File): Map[String, () => DataFrame] = {
    def read(paths: String*) = () => spark.read.option("basePath", folder.getPath).parquet(paths: _*)
    val at = folder.getPath
    Map(
      "folder" -> read(at),
      "partitions" -> read(s"$at/p=0", s"$at/p=1"),
      "glob of partitions" -> read(s"$at/p=*"),
      "glob of files" -> read(s"$at/p=*/*.parquet"),
      "globs of files" -> read(s"$at/p=0/*.parquet", s"$at/p=1/part-*"),
      "glob and folder" -> read(s"$at/p=0/*.parquet", s"$at/p=1"),
      "SQL" -> (() => spark.sql(s"SELECT * FROM parquet.`$at`"))
    )
  }

  for (v2 <- Seq(false, true); adaptive <- Seq(false, true))
    test(
      s"${if (v2) "V2" else "V1"} reader${if (adaptive) ", adaptive plans" else ""}",
      Option.when(v2 || !adaptive)(LongTest).toSeq: _*) {
      withSQLConf(
        "spark.sql.sources.useV1SourceList" -> (if (v2) "" else "parquet"),
        "spark.sql.adaptive.enabled" -> adaptive.toString) {
        withBoth { (folder, old, added) =>
          for ((how, read) <- reads(folder); out <- Seq(old, added)) {
            IndexesInMemory.leavingOut = (_, _) => Some(out)
            assert(QueryTest.sameRows(rows, read().collect().toSeq).isEmpty, how)
            checkAnswer(read().where("p = 1").groupBy("p").count(), Row(1, 20))
          }
          val read = reads(folder)("folder")
          assert(read().as("x").join(read().as("y"), "id").count() == 40)
          val scans = collect(read().queryExecution.executedPlan) { case s: BatchScanExec => s }
          assert(scans.size == (if (v2) 1 else 0))
        }
      }
    }

  test("files that are named when a rewrite has ended: the new ones alone, or an error, never too few rows") {
    withBoth { (folder, old, added) =>
      // As long as not all new files are listed, a listing is old.
      IndexesInMemory.leavingOut = (listed, isFresh) =>
        if (isFresh || added.subsetOf(listed)) Some(old) else if (listed.exists(old ++ added)) None else Some(Set.empty)
      def read(names: Set[String]) = spark.read.parquet(names.toSeq.map(n => s"${folder.getPath}/$n"): _*).select("id")
      val ids = rows.map(r => Row(r.get(0)))
      assert(QueryTest.sameRows(ids, read(old ++ added).collect().toSeq).isEmpty)
      assert(QueryTest.sameRows(ids, read(added).collect().toSeq).isEmpty)
      assert(read(added.take(1)).count() > 0)
      for (names <- Seq(old, old.take(1), old ++ added.drop(1))) {
        val e = intercept[ZOrderRuntimeException](read(names).collect())
        assert(e.getCondition == "ZORDER_NAMED_FILES_REPLACED" && e.getSqlState == "40001")
        assert(e.getMessageParameters.get("table").endsWith(folder.getPath))
        assert(old(e.getMessageParameters.get("file")))
      }
    }
  }
}
