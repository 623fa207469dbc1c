// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import java.io.File
import java.nio.file.Files

import io.sparkzorder.{DailyTest, LongSuite}
import io.sparkzorder.errors.ZOrderRuntimeException

import org.apache.hadoop.fs.{LocalFileSystem, Path}
import org.apache.spark.SparkConf
import org.apache.spark.sql.{QueryTest, Row}

/** Rows stay in the folders that they come from; files that cannot go, hints and journals of older versions. */
class ParquetFoldersSuite extends ParquetTables with LongSuite {

  private val rewrite = "ZORDER BY (a, b) OPTIONS (target_file_size = '4k')"

  private def rowsIn(path: String): Seq[Row] =
    spark.read.option("basePath", path).parquet(path).select("id", "a", "b", "c").collect().toSeq

  private def keepingRowsIn(folders: Seq[String])(body: => Unit): Unit = {
    val before = folders.map(rowsIn)
    body
    folders.zip(before).foreach { case (folder, rows) =>
      assert(QueryTest.sameRows(rows, rowsIn(folder)).isEmpty, folder)
    }
  }

  test("folders whose names mean one value are partitions of their own") {
    for ((one, other) <- Seq("zip=01" -> "zip=1", "zip=1" -> "zip=1.0")) inFolder { path =>
      events(600).drop("p").repartition(3).write.parquet(s"$path/$one")
      events(500, 600).drop("p").repartition(3).write.parquet(s"$path/$other")
      keepingRowsIn(Seq(s"$path/$one", s"$path/$other")) {
        assert(optimize(path, rewrite).getStruct(1).getAs[Long]("partitionsOptimized") == 2)
      }
    }
  }

  test("a partition's folder whose name has a colon, as programs make it that do not escape one") {
    inFolder { path =>
      for ((name, i) <- Seq("a:b", "12:30:00", "c").zipWithIndex) {
        events(300, 300 * i).drop("p").repartition(3).write.parquet(s"$path/of$i")
        Files.move(new File(path, s"of$i").toPath, new File(path, s"p=$name").toPath)
      }
      analyze(path)
      keepingRows(path) {
        optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k', keep_old = '1 day')")
        spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1").collect()
        optimize(path, rewrite)
      }
      assert(spark.read.parquet(path).where("p = 'a:b' AND a < 100").count() == events(300).where("a < 100").count())
    }
  }

  test("partitions that the catalog has put into folders of any name within the table's", DailyTest) {
    withTable("t") {
      inFolder { path =>
        spark.sql(
          s"CREATE TABLE t (id BIGINT, a INT, b DOUBLE, c STRING, day INT) USING parquet PARTITIONED BY (day) LOCATION '$path'")
        val places = Seq("2024/01", "2024/02", "x=1/a", "x=1/b")
        for ((place, day) <- places.zipWithIndex) {
          spark.sql(s"ALTER TABLE t ADD PARTITION (day = $day) LOCATION '$path/$place'")
          events(300, 300 * day).drop("p").repartition(3).write.mode("overwrite").parquet(s"$path/$place")
        }
        val before = spark.table("t").collect().toSeq
        keepingRowsIn(places.map(p => s"$path/$p")) {
          val metrics = spark.sql(s"OPTIMIZE t $rewrite").head().getStruct(1)
          assert(metrics.getAs[Long]("partitionsOptimized") == 4)
        }
        assert(QueryTest.sameRows(before, spark.table("t").collect().toSeq).isEmpty)
      }
    }
  }

  test("folders below a partition, each of which may be a table of its own") {
    inFolder { path =>
      val folders = for (day <- Seq("01", "02"); name <- Seq("orders", "returns")) yield s"$path/date=$day/$name"
      folders.zipWithIndex.foreach { case (folder, i) =>
        events(300, 300 * i).drop("p").repartition(3).write.parquet(folder)
      }
      keepingRowsIn(folders) {
        val metrics = optimize(path, rewrite).getStruct(1)
        assert(metrics.getAs[Long]("partitionsOptimized") == 4)
      }
      keepingRowsIn(folders)(optimize(path, "OPTIONS (target_file_size = '1m')"))
    }
  }

  test("folders below the table's that a table without partitions is read with") {
    withTable("t") {
      inFolder { path =>
        val folders = Seq(path, s"$path/b", s"$path/b/deep", s"$path/c=1")
        folders.zipWithIndex.foreach { case (folder, i) =>
          events(300, 300 * i).drop("p").repartition(3).write.mode("append").parquet(folder)
        }
        spark.sql(
          s"""CREATE TABLE t (id BIGINT, a INT, b DOUBLE, c STRING) USING parquet
             |OPTIONS (recursiveFileLookup = true) LOCATION '$path'""".stripMargin)
        def rowsOf(folder: String) = dataFiles(folder).filter(_.getParent == folder)
          .map(f => spark.read.parquet(f.getPath).count()).sum
        val before = spark.table("t").collect().toSeq
        assert(before.size == 1200)
        spark.sql(s"OPTIMIZE t $rewrite").collect()
        assert(QueryTest.sameRows(before, spark.table("t").collect().toSeq).isEmpty)
        assert(folders.map(rowsOf) == folders.map(_ => 300L))
        val again = spark.sql(
          s"OPTIMIZE t WHERE a < 100 ZORDER BY (a, b) OPTIONS (target_file_size = '4k', where_files = 'overlapping')").collect()
        assert(again.nonEmpty && folders.map(rowsOf) == folders.map(_ => 300L))
        assert(spark.table("t").where("a = 7").count() == before.count(_.getAs[Int]("a") == 7))
      }
    }
  }

  test("a file whose name is as long as names can be is kept, and restored") {
    inFolder { path =>
      events(600).drop("p").repartition(3).write.parquet(path)
      val old = dataFiles(path).head
      assert(old.renameTo(new File(path, "n" * (255 - ".parquet".length) + ".parquet")))
      new File(old.getParent, s".${old.getName}.crc").delete()
      keepingRowsIn(Seq(path)) {
        val before = dataFiles(path).map(_.length).sorted
        optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k', keep_old = '1 day')")
        spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1").collect()
        assert(dataFiles(path).map(_.length).sorted == before)
      }
    }
  }

  test("two partitions that share a folder are refused, and nothing is changed") {
    withTable("t") {
      inFolder { path =>
        spark.sql(
          s"CREATE TABLE t (id BIGINT, a INT, b DOUBLE, c STRING, p INT) USING parquet PARTITIONED BY (p) LOCATION '$path'")
        events(400).where("p = 1").repartition(3).write.insertInto("t")
        spark.sql(s"ALTER TABLE t ADD PARTITION (p = 7) LOCATION '$path/p=1'")
        val before = spark.table("t").collect().toSeq
        val files = dataFiles(path).toSet
        val e = intercept[ZOrderRuntimeException](spark.sql(s"OPTIMIZE t $rewrite").collect())
        assert(e.getCondition == "ZORDER_SHARED_LOCATION" && e.getMessageParameters.get("location") == "p=1")
        assert(dataFiles(path).toSet == files)
        // One of them alone is a folder as any other.
        spark.sql(s"OPTIMIZE t WHERE p = 7 $rewrite").collect()
        assert(QueryTest.sameRows(before, spark.table("t").collect().toSeq).isEmpty)
      }
    }
  }

  override protected def sparkConf: SparkConf = super.sparkConf
    .set("spark.hadoop.fs.file.impl", classOf[UndeletableFiles].getName)
    .set("spark.hadoop.fs.file.impl.disable.cache", "true")

  private def recover(path: String): Unit = analyze(path)

  private def logFiles(path: String): Map[String, Int] = {
    val names = Option(new File(path, "_zorder/log").list()).toSeq.flatten.filterNot(_.startsWith("."))
    names.groupBy(_.split('.').last).view.mapValues(_.size).toMap
  }

  test("an old file that cannot be deleted fails the statement, and readers leave it out until it can be") {
    inFolder { path =>
      events(600).where("p < 2").repartition(3).write.partitionBy("p").parquet(path)
      keepingRows(path) {
        UndeletableFiles.in("p=1") {
          val e = intercept[ZOrderRuntimeException](optimize(path, rewrite))
          assert(e.getCondition == "ZORDER_CANNOT_DELETE" && e.getMessageParameters.get("files").contains("p=1/"))
          assert(!logFiles(path).contains("closed"))
          keepingRows(path)(spark.catalog.refreshByPath(path))
        }
        recover(path)
      }
      assert(logFiles(path)("closed") == 1)
    }
  }

  test("a hint that is damaged is as good as one that is not, an entry or a verdict that is damaged an error") {
    inFolder { path =>
      events(600).where("p < 2").repartition(3).write.partitionBy("p").parquet(path)
      optimize(path, rewrite)
      def damage(kind: String): File = {
        val file = new File(path, "_zorder/log").listFiles.find(_.getName.endsWith(kind)).get
        Files.write(file.toPath, "{".getBytes)
        file
      }
      damage(".closed")
      keepingRows(path)(optimize(path, rewrite))
      val verdict = damage(".verdict")
      val before = dataFiles(path).toSet
      val e = intercept[ZOrderRuntimeException](optimize(path, rewrite))
      assert(e.getCondition == "ZORDER_UNREADABLE_LOG" && e.getMessageParameters.get("file").endsWith(verdict.getName))
      assert(dataFiles(path).toSet == before)
    }
  }
}

/** The local file system, with a folder whose files cannot be deleted: it answers `false`. */
class UndeletableFiles extends LocalFileSystem {
  override def delete(path: Path, recursive: Boolean): Boolean =
    !(UndeletableFiles.folder.nonEmpty && path.getParent.getName == UndeletableFiles.folder) &&
      super.delete(path, recursive)
}

object UndeletableFiles {

  @volatile private var folder = ""

  def in[T](name: String)(body: => T): T = {
    folder = name
    try body
    finally folder = ""
  }
}
