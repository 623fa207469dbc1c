// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import java.io.File
import java.nio.file.Files
import java.nio.file.attribute.{FileTime, PosixFilePermissions}

import io.sparkzorder.LongSuite
import io.sparkzorder.column.ColumnStatistics
import io.sparkzorder.format.parquet.ParquetTables
import io.sparkzorder.parquet.footer.{FileStatisticsReader, StatisticsColumn}

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.types._

/** ANALYZE ... COMPUTE FILE STATISTICS: what it reads, what it keeps. */
class IndexAndAnalyzeSuite extends ParquetTables with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "only files that are new or changed are read again",
    "files of one name, size and time, changed at one time, are told apart when their folders are exchanged",
    "catalog tables; a column that has changed its type is read again",
    "bounds of every type are those of the data; NaN, INT96 and long strings are not guessed",
    "statistics of a file are taken for what they are"
  )

  private def analyzed(table: String, rest: String = ""): Row =
    spark.sql(s"ANALYZE TABLE $table COMPUTE FILE STATISTICS $rest").head()

  private def index(path: String) = spark.read.parquet(s"$path/_zorder/statistics")

  test("only files that are new or changed are read again") {
    inFolder { path =>
      events(1000).repartition(5).write.parquet(path)
      val table = s"parquet.`$path`"
      assert(analyzed(table) == Row(s"file:$path", 5L, 5L, Seq("id", "a", "b", "c", "p")))
      val version = new File(path, "_zorder/statistics").list().toSeq
      assert(analyzed(table).getLong(2) == 0)
      assert(new File(path, "_zorder/statistics").list().toSeq == version, "nothing to say, but it was written again")
      events(100, 1000).coalesce(2).write.mode("append").parquet(path)
      assert(analyzed(table).toSeq.slice(1, 3) == Seq(7L, 2L))
      dataFiles(path).head.setLastModified(12345000L)
      assert(analyzed(table).toSeq.slice(1, 3) == Seq(7L, 1L))
      dataFiles(path).last.delete()
      assert(analyzed(table).toSeq.slice(1, 3) == Seq(6L, 0L))
      assert(index(path).count() == 6)
    }
  }

  test("files of one name, size and time, changed at one time, are told apart when their folders are exchanged") {
    inFolder { path =>
      val both = Seq(1, 2).map { p =>
        spark.range(100).selectExpr(s"CAST(id + $p * 1000 AS INT) AS a").coalesce(1).write.parquet(s"$path/p=$p")
        val file = new File(path, s"p=$p/data.parquet").toPath
        Files.move(dataFiles(s"$path/p=$p").head.toPath, file)
      }
      both.foreach(Files.setLastModifiedTime(_, FileTime.fromMillis(1700000000000L)))
      // Kernels give two changes one time where nobody has asked for it in between.
      val haveOneTime = Iterator.continually {
        for (bits <- Seq("rw-------", "rw-r--r--", "rw-------", "rw-r--r--"); file <- both)
          Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(bits))
        both.map(Files.getAttribute(_, "unix:ctime")).distinct.size == 1
      }.take(100).contains(true)
      assume(haveOneTime && both.map(Files.size).distinct.size == 1)
      analyzed(s"parquet.`$path`")
      val query = s"SELECT a FROM parquet.`$path` WHERE a = 2050 AND p = 1"
      assert(spark.sql(query).collect().isEmpty)
      for ((from, to) <- Seq("p=1" -> "_p", "p=2" -> "p=1", "_p" -> "p=2"))
        Files.move(new File(path, from).toPath, new File(path, to).toPath)
      assert(spark.sql(query).collect().toSeq == Seq(Row(2050)))
    }
  }

  test("a query warns of files that are read as their permissions have changed, until the index is written anew") {
    inFolder { path =>
      for (first <- 0 until 400 by 100) events(100, first).coalesce(1).write.mode("append").parquet(path)
      analyzed(s"parquet.`$path`")
      def warnings =
        warningsOf(spark.read.parquet(path).where("id = 5").collect()).filter(_.contains("they have changed since"))
      assert(warnings.isEmpty)
      dataFiles(path).foreach(f => f.setExecutable(!f.canExecute))
      assert(warnings.exists(_.startsWith("3 of 3 files")))
      assert(warnings.isEmpty)
      analyzed(s"parquet.`$path`")
      assert(warnings.isEmpty)
    }
  }

  test("the index has the columns that were asked for last") {
    inFolder { path =>
      spark.sql("SELECT id, named_struct('x', id, 'y', named_struct('z', 'v')) AS s, array(id) AS l FROM range(50)")
        .repartition(2)
        .write
        .parquet(path)
      val table = s"parquet.`$path`"
      def columns(row: Row) = row.getSeq[String](3)
      assert(columns(analyzed(table, "FOR COLUMNS s.y.z, id")) == Seq("s.y.z", "id"))
      assert(columns(analyzed(table)) == Seq("s.y.z", "id"))
      assert(index(path).selectExpr("min.s.y.z", "null_count.id").distinct().head() == Row("v", 0L))
      assert(columns(analyzed(table, "FOR ALL COLUMNS")) == Seq("id", "s.x", "s.y.z"))
      assert(columns(analyzed(table, "FOR COLUMNS id")) == Seq("id"))
      // What a table is z-ordered by is looked up.
      optimize(path, "ZORDER BY (s.x)")
      assert(columns(analyzed(table)) == Seq("id", "s.x"))
    }
  }

  test("an index holds for sessions that compare names as the one that made it") {
    def sensitive[T](on: Boolean)(body: => T): T = withSQLConf("spark.sql.caseSensitive" -> on.toString)(body)
    for (madeSensitive <- Seq(false, true)) inFolder { path =>
      withTable("t") {
        spark.range(0, 100).selectExpr("id AS a").coalesce(1).write.parquet(path)
        spark.range(100, 200).selectExpr("id AS A").coalesce(1).write.mode("append").parquet(path)
        spark.sql(s"CREATE TABLE t (a BIGINT) USING parquet LOCATION '$path'")
        sensitive(madeSensitive)(analyzed("t"))
        for (on <- Seq(false, true, false)) sensitive(on) {
          def plainly = withSkipping(false)(spark.sql("SELECT * FROM t WHERE a IS NULL OR a > 150").collect().toSeq)
          checkAnswer(spark.sql("SELECT * FROM t WHERE a IS NULL OR a > 150"), plainly)
          checkAnswer(spark.sql("SELECT count(*) FROM t WHERE a IS NULL"), Row(if (on) 100 else 0))
          checkAnswer(spark.sql("SELECT count(*) FROM t WHERE a >= 0"), Row(if (on) 100 else 200))
        }
        for (on <- Seq(true, false)) sensitive(on) {
          assert(analyzed("t").toSeq.slice(1, 3) == Seq(2L, if (on == madeSensitive) 0L else 2L))
          assert(analyzed("t").getLong(2) == 0)
          if (on != madeSensitive) sensitive(madeSensitive)(analyzed("t"))
        }
      }
    }
    // Where files spell names as the table does, the index holds for all.
    inFolder { path =>
      events(100).repartition(2).write.parquet(path)
      assert(analyzed(s"parquet.`$path`").getLong(2) == 2)
      sensitive(true)(assert(analyzed(s"parquet.`$path`").getLong(2) == 0))
    }
  }

  test("what is known of a file's clustering stays when names are compared otherwise") {
    inFolder { path =>
      withTable("t") {
        events(2000).repartition(2).write.parquet(path)
        events(5).selectExpr("a AS A").write.mode("append").parquet(path)
        spark.sql(s"CREATE TABLE t (id BIGINT, a INT, b DOUBLE, c STRING, p INT) USING parquet LOCATION '$path'")
        spark.sql("OPTIMIZE t ZORDER BY (b) OPTIONS (target_file_size = '8k')").collect()
        spark.range(5).selectExpr("CAST(id AS INT) AS A").coalesce(1).write.mode("append").parquet(path)
        analyzed("t")
        withSQLConf("spark.sql.caseSensitive" -> "true") {
          analyzed("t")
          val clustered = index(path).filter("clustering IS NOT NULL").count()
          assert(clustered > 1 && clustered == index(path).count() - 1)
        }
      }
    }
  }

  test("files whose permissions have changed, or that have other names elsewhere, stay clustered") {
    inFolder { path =>
      events(2000).repartition(2).write.parquet(path)
      val optimize = s"OPTIMIZE parquet.`$path` ZORDER BY (b) OPTIONS (target_file_size = '8k', mode = 'incremental')"
      spark.sql(optimize).collect()
      def files = new File(path).listFiles.filter(_.getName.endsWith(".parquet"))
      for (isAnalyzed <- Seq(false, true)) {
        files.foreach { file =>
          file.setExecutable(!file.canExecute)
          java.nio.file.Files.createLink(new File(s"$path/_${file.getName}.$isAnalyzed").toPath, file.toPath)
        }
        if (isAnalyzed) analyzed(s"parquet.`$path`")
        val before = files.map(_.getName).toSet
        assert(spark.sql(optimize).head().getString(3).startsWith("Nothing to do"))
        assert(files.map(_.getName).toSet == before)
      }
    }
  }

  /** Puts another file in the place of the newest version of a table's index. */
  private def rewriteIndex(path: String)(change: DataFrame => DataFrame): File = {
    val folder = new File(path, "_zorder/statistics")
    val newest = folder.listFiles.filter(_.getName.matches("v2-.*\\.index")).maxBy(_.getName)
    withTempDir { dir =>
      change(spark.read.parquet(newest.getPath)).coalesce(1).write.parquet(s"$dir/other")
      val written = new File(dir, "other").listFiles.find(_.getName.endsWith(".parquet")).get
      new File(folder, s".${newest.getName}.crc").delete()
      java.nio.file.Files.write(newest.toPath, java.nio.file.Files.readAllBytes(written.toPath))
    }
    newest
  }

  test("a clustering that is recorded in another form counts as none") {
    inFolder { path =>
      events(2000).repartition(2).write.parquet(path)
      optimize(path)
      val newest = rewriteIndex(path) { index =>
        val clustering = index.schema("clustering").dataType.asInstanceOf[StructType]
        val fields = clustering.fieldNames.map(f => s"'${if (f == "layer") "overlay" else f}', clustering.$f")
        index.withColumn(
          "clustering",
          org.apache.spark.sql.functions.expr(fields.mkString("named_struct(", ", ", ")")))
      }
      val folder = newest.getParentFile
      val (files, old) = (dataFiles(path).toSet, newest.getName)
      assert(files.size > 1 && index(path).filter("clustering.overlay IS NOT NULL").count() > 0)
      keepingRows(path)(analyzed(s"parquet.`$path`"): Unit)
      keepingRows(path)(optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '8k', mode = 'incremental')"))
      // All of them were rewritten, as files of which nothing is known.
      assert(dataFiles(path).forall(!files(_)))
      val now = spark.read.parquet(folder.listFiles.map(_.getPath).filter(_.endsWith(".index")).max)
      assert(old < folder.listFiles.map(_.getName).max && now.filter("clustering.layer IS NULL").isEmpty)
    }
  }

  test("catalog tables; a column that has changed its type is read again") {
    withTable("t") {
      spark.sql("CREATE TABLE t (a INT, p INT) USING parquet PARTITIONED BY (p)")
      events(100).selectExpr("a", "p").write.insertInto("t")
      assert(analyzed("t").getSeq[String](3) == Seq("a"))
      val folder = spark.sql("DESCRIBE EXTENDED t").filter("col_name = 'Location'").head().getString(1)
      assert(index(folder).schema("min").dataType == new StructType().add("a", IntegerType))
    }
  }

  test("an index that is damaged, of another format, without a field or gone is no obstacle") {
    inFolder { path =>
      events(1000).repartition(3).write.parquet(path)
      val table = s"parquet.`$path`"
      analyzed(table)
      val folder = new File(path, "_zorder/statistics")
      val file = folder.listFiles.filter(_.getName.endsWith(".index")).filterNot(_.getName.startsWith(".")).head
      val channel = new java.io.FileOutputStream(file, true).getChannel
      channel.truncate(50)
      channel.close()
      assert(analyzed(table).toSeq.slice(1, 3) == Seq(3L, 3L))
      for (format <- 1 to 3) {
        folder.listFiles.foreach(_.delete())
        new File(folder, s"v$format-00000001-x.index").createNewFile()
        assert(analyzed(table).toSeq.slice(1, 3) == Seq(3L, 3L))
      }
      rewriteIndex(path)(_.drop("state"))
      keepingRows(path)(assert(analyzed(table).toSeq.slice(1, 3) == Seq(3L, 3L)))
      keepingRows(path)(optimize(path))
      org.apache.spark.network.util.JavaUtils.deleteRecursively(new File(path, "_zorder"))
      keepingRows(path)(optimize(path))
    }
  }

  test("a join whose bounds are asked for reads all files where the index cannot be read") {
    inFolder { path =>
      spark.range(0, 50000, 1, 10).write.parquet(s"$path/facts")
      spark.range(0, 50000, 100, 1).selectExpr("id AS d", "id AS f").write.parquet(s"$path/dimensions")
      analyzed(s"parquet.`$path/facts`")
      new File(s"$path/facts/_zorder/statistics").listFiles.foreach { f =>
        if (f.getName.startsWith(".")) f.delete() else Files.write(f.toPath, "no index".getBytes)
      }
      withSQLConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
        val join = s"parquet.`$path/facts` JOIN parquet.`$path/dimensions` ON id = d WHERE f + 0 BETWEEN 5100 AND 9900"
        assert(spark.sql(s"SELECT count(*) FROM $join").head() == Row(49L))
      }
    }
  }

  test("bounds of every type are those of the data; NaN, INT96 and long strings are not guessed") {
    inFolder { path =>
      val rows = spark.sql(
        """SELECT CAST(id AS BYTE) AS t, CAST(id AS SHORT) AS s, CAST(id AS INT) AS i, id AS l,
          |  CAST(id AS FLOAT) / 4 AS f, CAST(id AS DOUBLE) / 4 AS d, IF(id = 50, DOUBLE('NaN'), CAST(id AS DOUBLE)) AS n,
          |  IF(id = 50, -0.0D, 0.0D) AS z, CAST(id / 100 AS DECIMAL(9, 2)) AS d9, CAST(id AS DECIMAL(18, 4)) AS d18,
          |  CAST(id * -1 AS DECIMAL(38, 6)) AS d38, concat('ä', id) AS str, CAST(concat('ä', id) AS BINARY) AS bin,
          |  date_add(DATE'1500-01-01', CAST(id AS INT)) AS dt, timestamp_micros(id - 50) AS ts,
          |  CAST(timestamp_micros(id) AS TIMESTAMP_NTZ) AS ntz, id > 50 AS flag,
          |  make_dt_interval(0, 0, 0, id) AS dti, make_ym_interval(CAST(id AS INT)) AS ymi,
          |  IF(id % 2 = 0, NULL, id) AS half, CAST(NULL AS INT) AS none, named_struct('x', IF(id = 3, NULL, id)) AS st
          |FROM range(1, 101)""".stripMargin)
      withSQLConf("spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS")(rows.coalesce(1).write.parquet(path))
      analyzed(s"parquet.`$path`")
      val stored = spark.read.parquet(path)
      val names = stored.columns.toSeq.filterNot(Set("n", "st", "none")) :+ "st.x"
      val expected =
        stored.selectExpr(names.flatMap(n => Seq(s"min($n)", s"max($n)", s"count_if($n IS NULL)")): _*).head()
      val found = index(path).selectExpr(names.flatMap(n => Seq(s"min.$n", s"max.$n", s"null_count.$n")): _*).head()
      names.indices.foreach { i =>
        assert(
          found.toSeq.slice(3 * i, 3 * i + 3) == expected.toSeq.slice(3 * i, 3 * i + 3) ||
            names(i) == "z" || names(i) == "bin",
          names(i))
      }
      assert(index(path).selectExpr("min.n", "max.n", "min.none", "null_count.none", "null_count.n").head() ==
        Row(null, null, null, 100L, 0L))
    }
  }

  test("statistics of a file are taken for what they are") {
    inFolder { path =>
      withSQLConf("spark.sql.parquet.outputTimestampType" -> "INT96") {
        spark.sql("SELECT CAST(1.25 AS DECIMAL(5, 2)) AS d, timestamp_seconds(1) AS ts, 7 AS i, 1.5F AS f")
          .coalesce(1).write.parquet(path)
      }
      def read(columns: StatisticsColumn*): Seq[ColumnStatistics] = {
        val file = dataFiles(path).head.getPath
        val found = new FileStatisticsReader(spark).read(IndexedSeq(file), columns.toIndexedSeq).head
        columns.map(found.of)
      }
      def bound(name: String, dataType: DataType) = read(StatisticsColumn(Seq(name), dataType)).head.min
      assert(bound("d", DecimalType(7, 3)) == Decimal(BigDecimal("1.250"), 7, 3))
      assert(bound("d", DecimalType(5, 1)) == null, "a decimal that would be rounded")
      assert(bound("ts", TimestampType) == null)
      assert(bound("i", LongType) == 7L && bound("i", DoubleType) == null && bound("i", StringType) == null)
      assert(bound("I", IntegerType) == 7)
      assert(bound("f", DoubleType) == 1.5d)
      assert(bound("nope", IntegerType) == null)
    }
  }
}
