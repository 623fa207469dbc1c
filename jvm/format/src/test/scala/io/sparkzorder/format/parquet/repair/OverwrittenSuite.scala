// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.repair

import java.io.File
import java.nio.file.Files

import io.sparkzorder.LongTest

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{DataFrame, QueryTest, Row}

/** INSERT OVERWRITE of another session while a rewrite is open: its rows are the table's, and no old one comes back. */
class OverwrittenSuite extends DamagedTables {

  private val theirs = 10000

  // What ends a process that finds another's files in the place of its own.
  private val told = Set("ZORDER_FILES_CHANGED", "ZORDER_REWRITE_OVERTAKEN", "ZORDER_CANNOT_CREATE")

  private def others: DataFrame = events(300, first = theirs).where("p < 2")

  private def overwrites: Seq[(String, String => Unit, Int => Boolean)] = Seq(
    ("the folder", path => others.write.mode("overwrite").partitionBy("p").parquet(path), _ => true),
    (
      "the folder, in a table",
      _ => {
        others.createOrReplaceTempView("theirs")
        spark.sql("INSERT OVERWRITE overwritten SELECT * FROM theirs").collect(): Unit
      },
      _ => true),
    (
      "a partition",
      _ => {
        others.where("p = 1").drop("p").createOrReplaceTempView("theirs")
        spark.sql("INSERT OVERWRITE overwritten PARTITION (p = 1) SELECT * FROM theirs").collect(): Unit
      },
      _ == 1),
    (
      "a partition, dynamically",
      path =>
        others.where("p = 1").write.mode("overwrite").option("partitionOverwriteMode", "dynamic").partitionBy("p")
          .parquet(path),
      _ == 1),
    (
      "a partition, dynamically, in a table",
      _ => {
        others.where("p = 1").createOrReplaceTempView("theirs")
        withSQLConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic")(
          spark.sql("INSERT OVERWRITE overwritten SELECT * FROM theirs").collect(): Unit)
      },
      _ == 1)
  )

  private def table(body: String => Unit): Unit = inFolder { path =>
    write(path)
    spark.sql(s"CREATE TABLE overwritten (id BIGINT, a INT, b DOUBLE, c STRING, p INT) USING parquet PARTITIONED BY (p) LOCATION '$path'")
    withTable("overwritten") {
      spark.sql("MSCK REPAIR TABLE overwritten")
      body(path)
    }
  }

  private def expected(before: Seq[Row], isOverwritten: Int => Boolean): Seq[Row] =
    before.filterNot(r => isOverwritten(r.getInt(4))) ++
      others.select("id", "a", "b", "c", "p").collect().filter(r => isOverwritten(r.getInt(4)))

  private def rewrite(path: String): Unit =
    optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k')"): Unit

  for {
    stage <- Seq("between the moves", "before the verdict", "half of the old files deleted")
    other <- overwrites.indices
  }
    test(s"interrupted $stage, then ${overwrites(other)._1}", LongTest) {
      table { path =>
        val (what, overwrite, isOverwritten) = overwrites(other)
        val before = read(path)
        until(path, stage)(rewrite(path))
        spark.catalog.refreshByPath(path)
        overwrite(path)
        val rows = expected(before, isOverwritten)
        QueryTest.sameRows(rows, read(path)).foreach(d => fail(s"$what, read: $d".take(600)))
        analyze(path)
        requireSame(path, rows, what)
        rewrite(path)
        requireSame(path, rows, what)
      }
    }

  for {
    stage <- Seq(
      "before the moves",
      "between the moves",
      "before the verdict",
      "after the verdict",
      "half of the old files deleted")
    other <- Seq(0, 2, 3)
  }
    test(s"${overwrites(other)._1} while OPTIMIZE sleeps $stage", LongTest) {
      table { path =>
        val (what, overwrite, isOverwritten) = overwrites(other)
        val before = read(path)
        try
          withSQLConf(DyingFiles.settings: _*) {
            DyingFiles.pausing(stages(stage)())(withSQLConf(
              "fs.file.impl" -> classOf[io.sparkzorder.QuickLocalFileSystem].getName)(overwrite(path)))(rewrite(
              path)): Unit
          }
        catch { case e: SparkThrowable => assert(told(e.getCondition), what) }
        spark.catalog.refreshByPath(path)
        unlock(path)
        val rows = expected(before, isOverwritten)
        def missing = rows.diff(read(path))
        assert(missing.isEmpty, s"$what: lost")
        val extra = read(path).diff(rows)
        analyze(path)
        assert(missing.isEmpty, s"$what: lost after ANALYZE")
        assert(extra.isEmpty, "old rows came back")
      }
    }

  test("a program that edits a new file while old ones are deleted: the index has nothing of what was there before") {
    table { path =>
      val old = dataFiles(path).toSet
      def edit(): Unit = (dataFiles(path).toSet -- old).take(2).foreach { file =>
        withTempDir { dir =>
          val edited = spark.read.parquet(file.getPath).selectExpr("id", "a + 5000 AS a", "b", "c").coalesce(1)
          edited.write.parquet(s"$dir/edited")
          Files.write(file.toPath, Files.readAllBytes(dataFiles(s"$dir/edited").head.toPath))
          new File(file.getParentFile, s".${file.getName}.crc").delete()
        }
      }
      withSQLConf(DyingFiles.settings: _*) {
        assert(DyingFiles.pausing(stages("half of the old files deleted")())(withSQLConf(
          "fs.file.impl" -> classOf[io.sparkzorder.QuickLocalFileSystem].getName)(edit()))(rewrite(path)))
      }
      spark.catalog.refreshByPath(path)
      def found = spark.read.parquet(path).where("a >= 5000").count()
      assert(found > 0 && found === withSkipping(false)(found))
      analyze(path)
      assert(found === withSkipping(false)(found))
    }
  }
}
