// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import java.io.File
import java.nio.file.Files
import java.util.Base64

import scala.jdk.CollectionConverters._

import io.sparkzorder.{DailyTest, LongTest}
import io.sparkzorder.format.iceberg.IcebergMissing
import io.sparkzorder.format.parquet.repair.DyingFiles

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.crypto.keytools.KmsClient

/** What OPTIMIZE and ANALYZE refuse, with what they say; nothing is changed by it. */
class ParquetBadInputSuite extends ParquetTables {

  private val taken = if (IcebergMissing.isPresent) "Delta, Iceberg and Parquet" else "Delta and Parquet"

  private def everything(path: String): Map[String, Long] =
    filesBelow(new File(path)).filterNot(_.getPath.contains("/_zorder/")).map(f => f.getPath -> f.lastModified).toMap

  private def statements(path: String): Seq[String] = Seq(
    s"OPTIMIZE parquet.`$path` ZORDER BY (a)",
    s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS")

  private def bothRefused(path: String, condition: String, state: String, parameters: (String, String)*): Unit = {
    val before = everything(path)
    statements(path).foreach(refused(_, condition, state, parameters: _*))
    assert(everything(path) == before)
  }

  test("files of another format", DailyTest) {
    for (format <- Seq("csv", "json", "orc")) inFolder { path =>
      events(10).write.format(format).save(path)
      bothRefused(path, "ZORDER_NOT_PARQUET", "0A000", "format" -> format.toUpperCase, "file" -> path)
      refused(s"OPTIMIZE $format.`$path` ZORDER BY (a)", "ZORDER_UNSUPPORTED_FORMAT", "0A000", "format" -> format)
      withTable("t") {
        spark.sql(s"CREATE TABLE t USING $format AS SELECT 1 AS a")
        refused("OPTIMIZE t ZORDER BY (a)", "ZORDER_UNSUPPORTED_FORMAT", "0A000", "format" -> format)
        refused("ANALYZE TABLE t COMPUTE FILE STATISTICS", "ZORDER_UNSUPPORTED_FORMAT", "0A000", "format" -> format)
        for (statement <- Seq(
            "DESCRIBE REWRITES t",
            "RESTORE TABLE t TO BEFORE REWRITE 1",
            "VACUUM t REPLACED FILES",
            "FSCK REPAIR TABLE t",
            "ANALYZE TABLE t COMPUTE FILE STATISTICS",
            s"RESTORE TABLE $format.`$path` TO BEFORE REWRITE 1"
          ))
          refused(statement, "ZORDER_UNSUPPORTED_FORMAT", "0A000", "formats" -> "Parquet")
        refused("OPTIMIZE t ZORDER BY (a)", "ZORDER_UNSUPPORTED_FORMAT", "0A000", "formats" -> taken)
      }
    }
  }

  test("a bucketed table, a view, a path without files, a column that is not there") {
    withTable("t") {
      spark.sql("CREATE TABLE t (a INT, b INT) USING parquet CLUSTERED BY (b) INTO 2 BUCKETS")
      refused("OPTIMIZE t ZORDER BY (a)", "ZORDER_BUCKETED_TABLE", "0A000", "table" -> "t")
    }
    withView("v") {
      spark.sql("CREATE VIEW v AS SELECT 1 AS a")
      refused("OPTIMIZE v ZORDER BY (a)", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "42809", "viewName" -> "v")
      refused("ANALYZE TABLE v COMPUTE FILE STATISTICS", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "42809")
    }
    inFolder { path =>
      statements(path).foreach(refused(_, "ZORDER_PATH_NOT_FOUND", "42K03", "path" -> path))
      statements(s"$path/y=*/{a,b}")
        .foreach(refused(_, "ZORDER_PATH_WITH_WILDCARD", "42K03", "path" -> s"$path/y=*/{a,b}", "folder" -> path))
      new File(path).mkdirs()
      statements(path).foreach(refused(_, "ZORDER_PATH_NOT_FOUND", "42K03", "path" -> path))
      Files.createFile(new File(path, "a.parquet").toPath)
      statements(s"$path/a.parquet")
        .foreach(refused(_, "ZORDER_PATH_IS_A_FILE", "42K03", "path" -> s"$path/a.parquet", "folder" -> path))
      new File(path, "a.parquet").delete()
      events(10).write.mode("append").partitionBy("p").parquet(path)
      refused(s"OPTIMIZE parquet.`$path` ZORDER BY (nope)", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703")
      refused(s"OPTIMIZE parquet.`$path` ZORDER BY (p)", "ZORDER_PARTITION_COLUMN", "42P10", "column" -> "p")
      refused(s"OPTIMIZE parquet.`$path` WHERE a = 1 ZORDER BY (a)", "ZORDER_PREDICATE_ON_DATA_COLUMN", "42P10")
      refused(
        s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS FOR COLUMNS a, a",
        "ZORDER_DUPLICATE_COLUMN",
        "42711")
      refused(
        s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS FOR COLUMNS p",
        "ZORDER_PARTITION_COLUMN",
        "42P10")
    }
  }

  test("folders that something else keeps a record of", DailyTest) {
    for ((log, owner) <- Seq("_delta_log" -> "Delta", ".hoodie" -> "Hudi", "_spark_metadata" -> "streaming")) inFolder {
      path =>
        events(10).write.partitionBy("p").parquet(path)
        new File(path, log).mkdir()
        bothRefused(path, "ZORDER_NOT_PLAIN_PARQUET", "0A000", "owner" -> owner, "log" -> log)
        bothRefused(s"$path/p=1", "ZORDER_NOT_PLAIN_PARQUET", "0A000", "owner" -> owner)
    }
    inFolder { path =>
      events(10).write.parquet(s"$path/data")
      new File(path, "metadata").mkdir()
      Files.createFile(new File(path, "metadata/v1.metadata.json").toPath)
      bothRefused(s"$path/data", "ZORDER_NOT_PLAIN_PARQUET", "0A000", "owner" -> "Iceberg")
    }
    inFolder { path =>
      events(40).write.partitionBy("p").parquet(path)
      optimize(path)
      bothRefused(s"$path/p=1", "ZORDER_PARTITION_OF_TABLE", "0A000", "whole" -> path)
    }
  }

  test("a folder of a Paimon table, and one beside folders that are called like its record", DailyTest) {
    val names = Seq("snapshot/snapshot-1", "manifest/manifest-0", "schema/schema-0")
    def put(path: String, names: Seq[String]): Unit = names.foreach { name =>
      val file = new File(path, name).toPath
      Files.createDirectories(file.getParent)
      Files.createFile(file)
    }
    for (below <- Seq("bucket-0", "day=1/bucket-0")) inFolder { path =>
      events(40).drop("p").repartition(2).write.parquet(s"$path/$below")
      put(path, names)
      val record = Seq("owner" -> "Paimon", "log" -> "snapshot", "folder" -> path)
      bothRefused(s"$path/$below", "ZORDER_NOT_PLAIN_PARQUET", "0A000", record: _*)
      bothRefused(path, "ZORDER_NOT_PLAIN_PARQUET", "0A000", record: _*)
    }
    for (others <- Seq(names.take(1), Seq("snapshot/t", "manifest/manifest-0"))) inFolder { path =>
      events(40).drop("p").repartition(2).write.parquet(s"$path/t")
      put(path, others)
      keepingRows(s"$path/t")(optimize(s"$path/t"))
    }
  }

  test("what is kept of a table is no table", DailyTest) {
    inFolder { path =>
      events(900).drop("p").repartition(3).write.parquet(path)
      optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k', keep_old = '1 day')")
      val kept = new File(path, "_zorder/replaced").listFiles.find(_.isDirectory).get
      val link = new File(path).getParentFile.toPath.resolve("link")
      Files.createSymbolicLink(link, kept.toPath)
      for (folder <- Seq(kept.getPath, link.toString, s"$path/_zorder/statistics", s"$path/_zorder"))
        bothRefused(folder, "ZORDER_NOT_PLAIN_PARQUET", "0A000", "folder" -> path, "log" -> "_zorder")
      assert(spark.sql(s"DESCRIBE REWRITES parquet.`$path`").head().getAs[Boolean]("restorable"))
      keepingRows(path)(spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1").collect())
    }
  }

  test("files that are those of another table in a folder below", LongTest) {
    val columns = "ZORDER BY (a, b) OPTIONS (target_file_size = '4k')"
    val records = Seq(
      "_delta_log/0.json" -> "p=1",
      "_delta_log/0.json" -> "p=1/orders",
      ".hoodie/x" -> "p=1/deep/orders",
      "_spark_metadata/0" -> "p=1/orders",
      "_zorder/log/0.id" -> "p=1/orders"
    )
    for ((record, below) <- records) inFolder { path =>
      events(900).write.partitionBy("p").parquet(path)
      if (below != "p=1") events(300, 900).drop("p").repartition(3).write.parquet(s"$path/$below")
      val file = new File(s"$path/$below", record).toPath
      Files.createDirectories(file.getParent)
      Files.createFile(file)
      val files = dataFiles(path).toSet
      refused(
        s"OPTIMIZE parquet.`$path` $columns",
        "ZORDER_TABLE_BELOW",
        "0A000",
        "folder" -> below,
        "log" -> record.takeWhile(_ != '/'))
      assert(dataFiles(path).toSet == files && !new File(path, "_zorder").exists)
      // What lies beside it is no other table's.
      keepingRows(path)(optimize(path, s"WHERE p <> 1 $columns"))
      assert(files.filter(_.getPath.contains("/p=1/")).forall(_.exists))
    }
  }

  test("a folder that becomes a table of something else while OPTIMIZE runs, or before RESTORE", LongTest) {
    val columns = "ZORDER BY (a, b) OPTIONS (target_file_size = '4k', keep_old = '1 day')"
    for ((log, condition) <- Seq("_delta_log" -> "ZORDER_NOT_PLAIN_PARQUET", "p=1/_delta_log" -> "ZORDER_TABLE_BELOW"))
      inFolder { path =>
        events(900).repartition(3).write.partitionBy("p").parquet(path)
        val (before, record) = (everything(path), new File(path, log))
        withSQLConf(DyingFiles.settings: _*) {
          val isMade =
            DyingFiles.pausing((_, _, to) => to.toString.contains("/_zorder/staging/"))(record.mkdir(): Unit) {
              refused(s"OPTIMIZE parquet.`$path` $columns", condition, "0A000", "log" -> "_delta_log")
            }
          assert(isMade && everything(path) == before)
        }
        record.delete()
        optimize(path, columns)
        assert(everything(path) != before)
        def isRestorable = spark.sql(s"DESCRIBE REWRITES parquet.`$path`").head().getAs[Boolean]("restorable")
        assert(isRestorable)
        val after = everything(path)
        record.mkdir()
        refused(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1", condition, "0A000", "log" -> "_delta_log")
        assert(everything(path) == after && (log == "_delta_log" || !isRestorable))
      }
  }

  test(
    "a folder deeper than a partition, while a rewrite of the whole table is open, has each row once and is refused") {
    def isVerdict(change: String, file: HadoopPath) = change == "rename" && file.getName.endsWith(".verdict")
    def takesAway(change: String, file: HadoopPath) = change == "delete" && file.getParent.getName == "orders"
    for (step <- Seq[(String, HadoopPath) => Boolean](isVerdict, takesAway)) inFolder { path =>
      val below = s"$path/p=1/orders"
      events(600).drop("p").repartition(3).write.parquet(below)
      events(300, 600).drop("p").repartition(3).write.parquet(s"$path/p=2")
      withSQLConf(DyingFiles.settings: _*) {
        val isOpen = DyingFiles.pausing((change, _, to) => step(change, to)) {
          assert(spark.read.parquet(below).count() == 600)
          refused(s"OPTIMIZE parquet.`$below` ZORDER BY (a)", "ZORDER_PARTITION_OF_TABLE", "0A000", "whole" -> path)
        }(optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k')"))
        assert(isOpen)
      }
      keepingRows(path)(optimize(below))
      assert(spark.read.parquet(path).count() == 900)
    }
  }

  test("a folder of an Iceberg table, however deep") {
    for (name <- Seq("v1.metadata.json", "00000-5f.gz.metadata.json", "v2.metadata.json.gz")) inFolder { path =>
      events(10).write.partitionBy("p").parquet(s"$path/data")
      new File(path, "metadata").mkdir()
      Files.createFile(new File(path, s"metadata/$name").toPath)
      val record = Seq("owner" -> "Iceberg", "log" -> "metadata", "folder" -> path)
      bothRefused(s"$path/data/p=1", "ZORDER_NOT_PLAIN_PARQUET", "0A000", record: _*)
    }
  }

  test("a partition of a table of which nothing is kept yet") {
    def isPartition(path: String, whole: String): Unit =
      bothRefused(path, "ZORDER_PARTITION_OF_TABLE", "0A000", "whole" -> whole)
    inFolder { path =>
      events(10).write.partitionBy("p").parquet(path)
      new File(path, "_SUCCESS").delete()
      isPartition(s"$path/p=1", path)
      withTable("t") {
        spark.sql(s"CREATE TABLE t (a INT) USING parquet LOCATION '$path/p=1'")
        refused("OPTIMIZE t ZORDER BY (a)", "ZORDER_PARTITION_OF_TABLE", "0A000", "whole" -> path)
      }
    }
    inFolder { path =>
      events(10).selectExpr("*", "1 AS q").write.partitionBy("q", "p").parquet(path)
      isPartition(s"$path/q=1", path)
      isPartition(s"$path/q=1/p=1", path)
      new File(path, "_SUCCESS").delete()
      isPartition(s"$path/q=1/p=1", s"$path/q=1")
    }
  }

  test("a table whose folder is named as a partition is") {
    inFolder { path =>
      new File(path, "other").mkdirs()
      events(40).repartition(2).write.parquet(s"$path/t=1")
      keepingRows(s"$path/t=1")(optimize(s"$path/t=1"))
      assert(new File(path, "t=1/_zorder/statistics").exists)
    }
  }

  test("files whose types clash are named, with the column") {
    inFolder { path =>
      spark.sql("SELECT 1 AS a, named_struct('x', 1) AS s").coalesce(1).write.parquet(path)
      spark.sql("SELECT 1 AS a, named_struct('x', 'y') AS s").coalesce(1).write.mode("append").parquet(path)
      bothRefused(path, "ZORDER_CLASHING_TYPES", "42825", "column" -> "s.x", "file" -> "part-", "otherFile" -> "part-")
    }
  }

  test("a file that is cut short or empty") {
    inFolder { path =>
      events(100).repartition(3).write.parquet(path)
      withTable("t") {
        spark.sql(s"CREATE TABLE t (id BIGINT, a INT) USING parquet LOCATION '$path'")
        val file = dataFiles(path).head
        val channel = new java.io.FileOutputStream(file, true).getChannel
        channel.truncate(file.length / 2)
        channel.close()
        val before = everything(path)
        refused("OPTIMIZE t ZORDER BY (a)", "ZORDER_UNREADABLE_FILE", "KD001", "file" -> file.getName)
        assert(everything(path) == before)
      }
    }
  }

  test("a partition that the catalog has in what is kept of the table", DailyTest) {
    inFolder { path =>
      withTable("t") {
        spark.sql(s"CREATE TABLE t (a INT, p STRING) USING parquet PARTITIONED BY (p) LOCATION '$path'")
        spark.sql("INSERT INTO t SELECT /*+ REPARTITION(2) */ id, 'a' FROM range(100)")
        spark.sql("OPTIMIZE t ZORDER BY (a) OPTIONS (keep_old = '1 hour')").collect()
        val kept = Files.walk(new File(s"$path/_zorder/replaced").toPath).iterator.asScala
          .find(_.toString.endsWith(".replaced")).get.getParent.toString
        for (own <- Seq(s"$path/_zorder/staging/p", s"$path/_zorder/replaced/p", kept)) {
          spark.sql(s"ALTER TABLE t ADD PARTITION (p = 'b') LOCATION '$own'")
          if (own != kept) spark.sql("INSERT INTO t PARTITION (p = 'b') SELECT id FROM range(10)")
          val rows = spark.table("t").count()
          for (statement <-
              Seq("OPTIMIZE t ZORDER BY (a) OPTIONS (force = true)", "ANALYZE TABLE t COMPUTE FILE STATISTICS"))
            refused(statement, "ZORDER_PARTITION_IN_OWN_FOLDER", "0A000", "folder" -> path)
          assert(rows > 100 && spark.table("t").count() === rows)
          spark.sql("ALTER TABLE t DROP PARTITION (p = 'b')")
        }
        spark.sql(s"RESTORE TABLE t TO BEFORE REWRITE 1").collect()
        assert(spark.table("t").count() === 100)
      }
    }
  }

  test("a partition elsewhere, an option that chooses files, a type without bounds") {
    inFolder { path =>
      withTable("t") {
        spark.sql("CREATE TABLE t (a INT, m ARRAY<INT>, p INT) USING parquet PARTITIONED BY (p)")
        events(40).selectExpr("a", "array(a) AS m", "p").write.insertInto("t")
        events(5).selectExpr("a", "array(a) AS m").coalesce(1).write.parquet(path)
        spark.sql(s"ALTER TABLE t ADD PARTITION (p = 77) LOCATION '$path'")
        val before = everything(path)
        refused("OPTIMIZE t ZORDER BY (a)", "ZORDER_PATH_OUTSIDE_TABLE", "42K03", "path" -> path)
        spark.sql("OPTIMIZE t WHERE p < 4 ZORDER BY (a)").collect()
        assert(everything(path) == before)
        assert(spark.table("t").count() == 45)
        refused(
          "ANALYZE TABLE t COMPUTE FILE STATISTICS FOR COLUMNS m",
          "ZORDER_NO_STATISTICS_FOR_TYPE",
          "42K09",
          "column" -> "m")
      }
    }
    withTable("t") {
      spark.sql("CREATE TABLE t USING parquet OPTIONS (pathGlobFilter = '*.parquet') AS SELECT 1 AS a")
      refused("OPTIMIZE t ZORDER BY (a)", "ZORDER_CHOOSING_OPTION", "0A000", "option" -> "pathGlobFilter")
    }
  }

  test("encrypted files") {
    inFolder { path =>
      withSQLConf(
        "parquet.crypto.factory.class" -> "org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory",
        "parquet.encryption.kms.client.class" -> classOf[PlainKms].getName
      ) {
        events(10).write
          .option("parquet.encryption.uniform.key", "k")
          .parquet(path)
        bothRefused(path, "ZORDER_ENCRYPTED_FILE", "0A000")
      }
    }
  }
}

/** Wraps keys in nothing at all. */
class PlainKms extends KmsClient {

  override def initialize(conf: Configuration, instance: String, url: String, token: String): Unit = ()

  override def wrapKey(key: Array[Byte], master: String): String = Base64.getEncoder.encodeToString(key)

  override def unwrapKey(wrapped: String, master: String): Array[Byte] = Base64.getDecoder.decode(wrapped)
}
