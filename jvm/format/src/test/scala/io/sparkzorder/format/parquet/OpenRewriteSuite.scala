// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import java.io.File
import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime

import scala.util.Try

import io.sparkzorder.LongTest

import org.apache.spark.sql.{DataFrame, QueryTest, Row}

/** A rewrite with a verdict, whose old files are still there, as a process leaves it that dies before it deletes them. */
class OpenRewriteSuite extends ParquetTables {

  private val files = 6

  private def events: DataFrame = events(1200).selectExpr("id", "a", "b", "c", s"CAST(id % $files AS INT) AS p")

  private def leaveOpen(path: String, name: String): Unit = {
    val old = dataFiles(path).map(_.toPath)
    // A copy of an old file counts: these are the very files.
    val elsewhere = Files.createTempDirectory(Path.of(path).getParent, "_old")
    val saved = old.zipWithIndex.map { case (f, i) => f -> Files.createLink(elsewhere.resolve(i.toString), f) }
    spark.sql(s"OPTIMIZE $name ZORDER BY (a, b) OPTIONS (target_file_size = '8k', force = true)").collect()
    val closed = new File(path, "_zorder/log").listFiles.filter(_.getName.contains(".closed"))
    assert(closed.nonEmpty)
    closed.foreach(f => Files.delete(f.toPath))
    saved.foreach { case (file, link) => Files.move(link, file) }
    Files.delete(elsewhere)
    assert(dataFiles(path).size > old.size)
  }

  private def checked(how: String, data: DataFrame, expected: Seq[Row]): Unit = {
    val found = data.select("id", "a", "b", "c").collect().toSeq
    assert(QueryTest.sameRows(expected, found).isEmpty, s"$how: ${found.size} rows, not ${expected.size}")
  }

  test("partitions of a table that has a partition's name, by their paths and by the catalog") {
    withTempDir { above =>
      val path = new File(above, "region=eu").getCanonicalPath
      events.repartition(2).write.partitionBy("p").parquet(path)
      val rows = events.select("id", "a", "b", "c").collect().toSeq
      leaveOpen(path, s"parquet.`$path`")
      val read = spark.read.option("basePath", path)
      checked("folder", spark.read.parquet(path), rows)
      checked("partitions", read.parquet((0 until files).map(p => s"$path/p=$p"): _*), rows)
      checked("pattern", read.parquet(s"$path/p=*"), rows)
      withTable("of_region") {
        spark.sql(
          s"CREATE TABLE of_region (id LONG, a INT, b DOUBLE, c STRING, p INT) USING parquet PARTITIONED BY (p) " +
            s"LOCATION '$path'")
        spark.sql("MSCK REPAIR TABLE of_region")
        checked("catalog", spark.table("of_region"), rows)
        checked("partitions of the catalog", spark.table("of_region").where("p >= 0"), rows)
      }
    }
  }

  test("several tables that have partitions' names", LongTest) {
    withTempDir { above =>
      val paths = (0 until 5).map(i => new File(above, s"$i/t=$i").getCanonicalPath)
      paths.foreach { path =>
        events.drop("p").repartition(2).write.parquet(path)
        leaveOpen(path, s"parquet.`$path`")
      }
      val rows = events.select("id", "a", "b", "c").collect().toSeq
      checked("tables", spark.read.option("recursiveFileLookup", "true").parquet(paths: _*), paths.flatMap(_ => rows))
    }
  }

  /**
   * A table with an open rewrite, whose partitions the catalog has in folders of other names.
   *
   * @param below
   *   the path of these folders in the table, before their numbers
   * @param body
   *   is given the table's rows under a condition
   */
  private def inElsewhere(path: String, below: String)(body: (String => Seq[Row]) => Unit): Unit =
    withPartitions("elsewhere", path, (0 until files).map(p => s"$path/$below$p")) {
      leaveOpen(path, "elsewhere")
      body(rowsWhere)
    }

  /** A catalog's table at `path` whose partitions are in other folders. */
  private def withPartitions(name: String, path: String, folders: Seq[String])(body: => Unit): Unit = withTable(name) {
    spark.sql(
      s"CREATE TABLE $name (id LONG, a INT, b DOUBLE, c STRING, p INT) USING parquet PARTITIONED BY (p) " +
        s"LOCATION '$path'")
    folders.zipWithIndex.foreach { case (folder, p) =>
      events.where(s"p = $p").drop("p").repartition(2).write.parquet(folder)
      spark.sql(s"ALTER TABLE $name ADD PARTITION (p = $p) LOCATION '$folder'")
    }
    body
  }

  private def rowsWhere(condition: String): Seq[Row] =
    events.where(condition).select("id", "a", "b", "c").collect().toSeq

  test("partitions of a catalog's table in folders of other names", LongTest) {
    inFolder { path =>
      inElsewhere(path, "of/number") { rows =>
        for (where <- Seq("true", "p >= 0", "p = 1", "p = 1 AND a > 500"))
          checked(where, spark.table("elsewhere").where(where), rows(where))
      }
    }
  }

  test("partitions of a catalog's table in folders of another table", LongTest) {
    inFolder { path =>
      events.repartition(2).write.partitionBy("p").parquet(path)
      withTempDir { own =>
        withTable("borrowing") {
          spark.sql(
            "CREATE TABLE borrowing (id LONG, a INT, b DOUBLE, c STRING, p INT) USING parquet PARTITIONED BY (p) " +
              s"LOCATION '${own.getCanonicalPath}'")
          (0 until files).foreach(p =>
            spark.sql(s"ALTER TABLE borrowing ADD PARTITION (p = $p) LOCATION '$path/p=$p'"))
          def check(): Unit = for (where <- Seq("true", "a > 500", "p >= 0", "p = 1"))
            checked(where, spark.table("borrowing").where(where), rowsWhere(where))
          check()
          // Spark keeps the listing.
          spark.sql(s"OPTIMIZE parquet.`$path` ZORDER BY (b) OPTIONS (target_file_size = '9k')").collect()
          check()
          leaveOpen(path, s"parquet.`$path`")
          check()
        }
      }
    }
  }

  private def checkBorrowing(): Unit =
    for (where <- Seq("true", "p >= 1", "p = 3", "p = 3 AND a > 500"))
      checked(where, spark.table("borrowing").where(where), rowsWhere(where))

  for ((kind, place) <- Seq[(String, (String, Int) => String)](
      "below the table's, of a name that is no partition's" -> ((path, p) => s"$path/own/sub$p"),
      "elsewhere, of partitions' names" -> ((path, p) => s"$path-$p/p=$p")
    ))
    test(s"partitions of a catalog's table, each a table of its own, in folders $kind") {
      inFolder { path =>
        val folders = (0 until files).map(place(path, _))
        withPartitions("borrowing", path, folders) {
          checkBorrowing()
          leaveOpen(folders(3), s"parquet.`${folders(3)}`")
          checkBorrowing()
        }
      }
    }

  test("a partition elsewhere that seemed to be empty while it was rewritten") {
    inFolder { path =>
      val folders = (0 until files).map(p => s"$path-other/f$p")
      withPartitions("borrowing", path, folders) {
        val hidden = dataFiles(folders(3)).map(_.toPath)
        def away(file: java.nio.file.Path) = file.resolveSibling(s"_${file.getFileName}")
        hidden.foreach(f => Files.move(f, away(f)))
        // Spark keeps the listing.
        assert(spark.table("borrowing").where("p = 3").count() === 0)
        hidden.foreach(f => Files.move(away(f), f))
        spark.sql(s"OPTIMIZE parquet.`${folders(3)}` ZORDER BY (a, b) OPTIONS (force = true)").collect()
        checkBorrowing()
      }
    }
  }

  test("folders of such partitions, and those above some of them, by their paths", LongTest) {
    for (below <- Seq("number", "of/number", "of/p=")) inFolder { path =>
      inElsewhere(path, below) { rows =>
        (0 until files).foreach(p => Files.delete(new File(s"$path/$below$p/_SUCCESS").toPath))
        val partition = s"$path/${below}1"
        checked("partition", spark.read.parquet(partition), rows("p = 1"))
        checked("with a filter", spark.read.parquet(partition).where("a > 500"), rows("p = 1 AND a > 500"))
        checked("pattern", spark.read.parquet(s"$partition/*.parquet"), rows("p = 1"))
        checked("two", spark.read.parquet(partition, s"$path/${below}2"), rows("p IN (1, 2)"))
        val above = if (below.contains("/")) Seq(s"$path/of") else Nil
        val read = spark.read.option("recursiveFileLookup", "true")
        above.foreach(f => checked("above", read.parquet(f), rows("true")))
        if (below.contains("=")) above.foreach(f => checked("their names", spark.read.parquet(f), rows("true")))
        val left = dataFiles(path).toSet
        val link = new File(path).getParentFile.toPath.resolve("link")
        for (folder <- partition +: above) {
          refusedAsPart(folder, path)
          Files.createSymbolicLink(link, new File(folder).toPath)
          refusedAsPart(link.toString, path)
          Files.delete(link)
        }
        assert(dataFiles(path).toSet == left)
        spark.sql("ANALYZE TABLE elsewhere COMPUTE FILE STATISTICS").collect()
        checked("in the end", spark.table("elsewhere"), rows("true"))
        // Names alone may tell of partitions.
        if (!below.contains("=")) keepingRows(partition)(optimize(partition))
      }
    }
  }

  private def refusedAsPart(folder: String, whole: String): Unit = {
    val error = ("ZORDER_PARTITION_OF_TABLE", "0A000", "whole" -> s"file:$whole")
    refused(s"OPTIMIZE parquet.`$folder` ZORDER BY (b, a) OPTIONS (force = true)", error._1, error._2, error._3)
    refused(s"ANALYZE TABLE parquet.`$folder` COMPUTE FILE STATISTICS", error._1, error._2, error._3)
  }

  /** An old file that another writer has written anew, by its name and of its size, is no old file any more. */
  private def overwritten(path: String): Unit = {
    events.drop("p").repartition(2).write.parquet(path)
    val old = dataFiles(path).map(_.toPath).head
    val own = spark.read.parquet(old.toString).count()
    leaveOpen(path, s"parquet.`$path`")
    Files.setLastModifiedTime(old, FileTime.fromMillis(Files.getLastModifiedTime(old).toMillis + 5000))
    assert(spark.read.parquet(path).count() === events.count() + own)
    analyze(path)
    assert(Files.exists(old) && spark.read.parquet(path).count() === events.count() + own)
  }

  test("an old file that is written anew, of the same size, counts and stays", LongTest) {
    inFolder(overwritten)
  }

  test("an old file that is written anew on a disk that keeps no times of birth") {
    def run(command: String*) = Try(new ProcessBuilder(command: _*).start().waitFor()).toOption.contains(0)
    withTempDir { dir =>
      assume(run("mount", "-t", "ramfs", "ramfs", dir.getPath), "a disk can be mounted")
      try overwritten(new File(dir, "t").getCanonicalPath)
      finally run("umount", "-l", dir.getPath)
    }
  }
}
