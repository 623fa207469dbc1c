// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import java.io.File

import io.sparkzorder.LongSuite
import io.sparkzorder.column.ColumnStatistics
import io.sparkzorder.skipping.predicate.{IndexInMemory, IndexedFile, IndexedFiles}

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.execution.{FileSourceScanExec, FormattedMode, SimpleMode}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.types.{DataType, IntegerType}

/** Queries over indexed Parquet tables: the same rows from fewer files, and figures that say so. */
class SkippingScanSuite extends QueryTest with SkippingSession with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "fewer files are read, and the metrics say so")

  /** Ten files of 100 rows: `id` from 0 to 999 in order, `name`, and a struct. */
  private def events: DataFrame =
    spark.range(0, 1000, 1, 10).select(
      col("id"),
      format_string("n%04d", col("id")).as("name"),
      struct(col("id").cast("int").as("i"), when(col("id") >= 500, col("id") / 2).as("half")).as("s"))

  private def withEvents(body: File => Unit): Unit = withTempPath { folder =>
    events.write.parquet(folder.getPath)
    indexed(folder)(body(folder))
  }

  test("fewer files are read, and the metrics say so") {
    withEvents { folder =>
      def read = spark.read.parquet(folder.getPath)
      adaptive {
        assert(filesOf(checked(read.where("id = 123"))) === ((1, 9)))
        assert(filesOf(checked(read.where("id BETWEEN 150 AND 250"))) === ((2, 8)))
        assert(filesOf(checked(read.where("id IN (1, 999) AND name > 'n05'"))) === ((1, 9)))
        assert(filesOf(checked(read.where("name LIKE 'n01%'"))) === ((1, 9)))
        assert(filesOf(checked(read.where("s.i < 50 OR s.half > 490"))) === ((2, 8)))
        assert(filesOf(checked(read.where("s.half IS NULL"))) === ((5, 5)))
        assert(filesOf(checked(read.where("id + 1 = 5"))) === ((1, 9)))
        assert(filesOf(checked(read.where("id % 7 = 9"))) === ((10, 0)))
        assert(filesOf(checked(read.where("id = -1"))) === ((0, 10)))
        assert(filesOf(checked(read)) === ((10, -1)))
      }
      val Seq(scan) = scans(checked(read.where("id = 123")))
      assert(FilesOfTable.parquetFiles(folder).map(_.length).contains(metric(scan, "filesSize")))
      assert(scan.metrics.contains(IndexedScanExec.IndexTime))
    }
  }

  test("the plan says that the index is used, and EXPLAIN neither starts a job nor asks for the index") {
    withEvents { folder =>
      val data = spark.read.parquet(folder.getPath).where("id = 5")
      val jobs = jobsOf {
        for (mode <- Seq(SimpleMode, FormattedMode))
          assert(data.queryExecution.explainString(mode).contains("FilesSkippedBy: statistics index"))
      }
      assert(jobs === Nil && IndexesInMemory.asked === 0)
    }
  }

  test("off: Spark's own scan") {
    withEvents { folder =>
      withSQLConf("spark.sql.zorder.skipping.enabled" -> "false") {
        val data = spark.read.parquet(folder.getPath).where("id = 5")
        checkAnswer(data, events.where("id = 5"))
        val Seq(scan) = scans(data)
        assert(scan.getClass === classOf[FileSourceScanExec] && metric(scan, "numFiles") === 10)
        assert(IndexesInMemory.asked === 0)
      }
    }
  }

  test("two scans of a relation have figures of their own; equal ones share an exchange") {
    withEvents { folder =>
      def read = spark.read.parquet(folder.getPath)
      adaptive {
        val data = checked(read.where("id < 150").unionAll(read.where("id >= 900")))
        assert(scans(data).map(s => (metric(s, "numFiles"), metric(s, IndexedScanExec.FilesPruned))) === Seq(
          (2, 8),
          (1, 9)))
        val grouped = read.where("id < 300").groupBy("s.i").agg(count("*").as("n"))
        val joined = withSQLConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
          checked(grouped.as("l").join(grouped.as("r"), "i"))
        }
        assert(scans(joined).size === 1 && metric(scans(joined).head, "numFiles") === 3)
        assert(joined.queryExecution.executedPlan.toString.contains("ReusedExchange"))
      }
    }
  }

  test("views and cached tables") {
    withEvents { folder =>
      withTempView("v", "c") {
        spark.read.parquet(folder.getPath).where("id < 500").createOrReplaceTempView("v")
        assert(filesOf(checked(spark.sql("SELECT * FROM v WHERE name >= 'n0450'"))) === ((1, 9)))
        spark.sql("CACHE TABLE c AS SELECT * FROM v WHERE id >= 300")
        val cached = spark.sql("SELECT count(*) FROM c WHERE id < 350")
        checkAnswer(cached, Row(50))
        assert(spark.table("c").count() === 200)
        // The same query, written again, still finds the cached rows.
        val again = spark.sql("SELECT * FROM v WHERE id >= 300")
        assert(again.queryExecution.withCachedData.toString.contains("InMemoryRelation"))
        spark.sql("UNCACHE TABLE c")
      }
    }
  }

  test("a scalar subquery in a filter") {
    withEvents { folder =>
      withTempView("t") {
        spark.read.parquet(folder.getPath).createOrReplaceTempView("t")
        adaptive {
          val data = checked(spark.sql("SELECT * FROM t WHERE id >= (SELECT max(id) - 50 FROM t WHERE id < 400)"))
          assert(scans(data).map(s => (metric(s, "numFiles"), metric(s, IndexedScanExec.FilesPruned))).toSet ===
            Set((7, 3), (1, 9)))
        }
      }
    }
  }

  test("the file's name and metadata columns") {
    withEvents { folder =>
      val named =
        spark.read.parquet(folder.getPath).where("id = 5").select(input_file_name().as("f"), col("_metadata.*"))
      val row = checked(named.drop("row_index")).head()
      assert(row.getString(0).endsWith(row.getAs[String]("file_name")))
      val one = FilesOfTable.parquetFiles(folder).head.getName
      def filtered = spark.read.parquet(folder.getPath).where(s"_metadata.file_name = '$one' AND id >= 50")
      assert(filesOf(checked(filtered))._1 === 1)
    }
  }

  test("a column that is called like a metadata field") {
    withTempPath { folder =>
      spark.range(0, 100, 1, 4).select(format_string("x%02d", col("id")).as("file_name")).write.parquet(folder.getPath)
      indexed(folder) {
        val one = FilesOfTable.parquetFiles(folder).head.getName
        def read = spark.read.parquet(folder.getPath)
        assert(checked(read.where(s"_metadata.file_name = '$one'")).count() === 25)
        assert(filesOf(checked(read.where("file_name = 'x01'"))) === ((1, 3)))
      }
    }
  }

  test("a changed file, one unknown and one outside the table stay") {
    withEvents { folder =>
      spark.range(2000, 2010, 1, 1).selectExpr("id", "'new' name").write.mode("append").parquet(folder.getPath)
      def read = spark.read.schema(events.schema).parquet(folder.getPath)
      assert(filesOf(checked(read.where("id = 2005"))) === ((1, 10)))
      val known = FilesOfTable.parquetFiles(folder).find(f => !f.getName.startsWith("part-00000")).get
      assert(known.setLastModified(known.lastModified + 5000))
      assert(filesOf(checked(read.where("id = 2005"))) === ((2, 9)))
      withTempPath { other =>
        spark.range(5).selectExpr("id", "'o' name").coalesce(1).write.parquet(other.getPath)
        def both = spark.read.schema(events.schema).parquet(folder.getPath, other.getPath)
        assert(filesOf(checked(both.where("id = 2005"))) === ((3, 9)))
      }
    }
  }

  test("explicit files are skipped as those of a folder are") {
    withEvents { folder =>
      val files = FilesOfTable.parquetFiles(folder).map(_.getPath)
      assert(filesOf(checked(spark.read.parquet(files: _*).where("id = 5"))) === ((1, 9)))
    }
  }

  test("bucketed tables and streams are left alone") {
    withTable("b") {
      events.write.bucketBy(4, "id").saveAsTable("b")
      val data = checked(spark.table("b").where("id = 5"))
      assert(!data.queryExecution.executedPlan.toString.contains("ParquetTableFileIndex"))
    }
    withEvents { folder =>
      val stream = spark.readStream.schema(events.schema).parquet(folder.getPath).where("id = 5")
      val query = stream.writeStream.format("memory").queryName("streamed").trigger(
        Trigger.AvailableNow()).start()
      query.awaitTermination()
      checkAnswer(spark.sql("SELECT id FROM streamed"), Row(5))
      assert(IndexesInMemory.asked === 0)
    }
  }

  test("an index that fails: all files, and one warning for each version") {
    withEvents { folder =>
      def read = spark.read.parquet(folder.getPath).where("id = 5")
      IndexesInMemory.failure = Some(new java.io.IOException("no index today"))
      val appender = new LogAppender("warnings")
      withLogAppender(appender, loggerNames = Seq("io.sparkzorder.skipping.scan.IndexWarnings")) {
        for (_ <- 1 to 3) assert(filesOf(checked(read)) === ((10, 0)))
        IndexesInMemory.failure = None
        for (version <- Seq("1", "1", "2")) {
          IndexesInMemory.put(folder, new FailingIndex(FilesOfTable.index(spark, folder), version))
          assert(filesOf(checked(read)) === ((10, 0)))
        }
      }
      assert(appender.loggingEvents.size === 3)
    }
  }

  test("files that are read as they seem to have changed: one warning for each version, where most are so") {
    withEvents { folder =>
      def read = spark.read.parquet(folder.getPath).where("id = 5")
      val appender = new LogAppender("warnings")
      withLogAppender(appender, loggerNames = Seq("io.sparkzorder.skipping.scan.IndexWarnings")) {
        // The statistics alone would leave out nine.
        for ((changed, version) <- Seq(0 -> "1", 4 -> "1", 5 -> "1", 9 -> "1", 9 -> "2")) {
          IndexesInMemory.put(folder, new ChangedIndex(FilesOfTable.index(spark, folder), version, changed))
          assert(filesOf(checked(read)) === ((1 + changed, 9 - changed)))
        }
      }
      val messages = appender.loggingEvents.map(_.getMessage.getFormattedMessage).toSeq
      assert(messages.size === 2 && messages.head.startsWith("5 of 9 files") && messages(1).startsWith("9 of 9 files"))
      assert(messages.forall(_.contains("ANALYZE TABLE ... COMPUTE FILE STATISTICS")))
    }
  }

  private abstract class OtherIndex(like: IndexedFiles) extends IndexedFiles {
    override def size: Int = like.size
    override def find(path: String, bytes: Long, modificationTime: Long): Int =
      like.find(path, bytes, modificationTime)
    override def rows(file: Int): Long = like.rows(file)
    override def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles] =
      like.column(path, dataType)
  }

  private class FailingIndex(index: IndexedFiles, override val version: String) extends OtherIndex(index) {
    override def find(path: String, bytes: Long, modificationTime: Long): Int =
      throw new IllegalStateException("broken")
  }

  /** Behind the first file so many seem to have changed. */
  private class ChangedIndex(index: IndexedFiles, override val version: String, changed: Int)
      extends OtherIndex(index) {
    override def isUnchanged(file: Int, status: FileStatus): Boolean = file == 0 || file > changed
  }

  test("a default for files that lack the column") {
    withTable("d") {
      spark.range(0, 10, 1, 1).write.format("parquet").saveAsTable("d")
      spark.sql("ALTER TABLE d ADD COLUMN c INT DEFAULT 7")
      spark.sql("INSERT INTO d VALUES (100, 1)")
      val folder = new File(spark.sessionState.catalog.getTableMetadata(TableIdentifier("d")).location)
      val files = FilesOfTable.parquetFiles(folder)
      val old = files.indexWhere(f => !spark.read.parquet(f.getPath).columns.contains("c"))
      indexed() {
        // An index of footers may take a column that is not there for one of NULLs.
        val known =
          files.map(f => IndexedFile(f.getName, f.length, f.lastModified, if (files.indexOf(f) == old) 10 else 1))
        def of(inOld: Any, inNew: Any): Array[Any] = files.indices.map(i => if (i == old) inOld else inNew).toArray
        val nulls = files.indices.map(i => if (i == old) 10L else 0L).toArray
        val column = new ColumnStatistics.OfFiles(of(null, 1), of(null, 1), nulls)
        IndexesInMemory.put(
          folder,
          new IndexInMemory(known.toIndexedSeq, Map((Seq("c"), IntegerType) -> column)))
        assert(checked(spark.table("d").where("c = 7")).count() === 10)
        assert(checked(spark.table("d").where("c = 1")).count() === 1)
      }
    }
  }
}
