// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import java.io.File

import scala.util.Using

import io.sparkzorder.LongTest
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.sql.Row

/** Settings, options and definitions under which a rewrite would store other values than the files have. */
class StoredValuesSuite extends ParquetTables {

  test("a session, or a table, that writes timestamps of milliseconds does not cut them", LongTest) {
    inFolder { path =>
      val key = "spark.sql.parquet.outputTimestampType"
      withTable("t") {
        withSQLConf(key -> "TIMESTAMP_MICROS") {
          events(500).selectExpr("*", "timestamp_micros(id * 1001) AS at").repartition(3).write.parquet(path)
        }
        for (type_ <- Seq("TIMESTAMP_MILLIS", "INT96")) withSQLConf(key -> type_)(keepingRows(path)(optimize(path)))
        spark.sql(s"CREATE TABLE t USING parquet OPTIONS ('$key' 'TIMESTAMP_MILLIS') LOCATION '$path'")
        keepingRows(path)(spark.sql("OPTIMIZE t ZORDER BY (a, at)").collect())
      }
    }
  }

  test("a session that writes dates and timestamps by the old calendar does not move days that it lacks", LongTest) {
    val types = "spark.sql.parquet.outputTimestampType"
    for ((mode, type_) <- Seq("LEGACY" -> "TIMESTAMP_MICROS", "LEGACY" -> "INT96", "EXCEPTION" -> "INT96"))
      inFolder { path =>
        withSQLConf(types -> type_) {
          spark
            // Every day of October 1582, of which ten are only in the new calendar, and some of long before.
            .sql("""SELECT id AS a, DATE'1582-10-01' + CAST(id % 31 - id DIV 31 * 200000 AS INT) AS day
                   |FROM range(93)""".stripMargin)
            .selectExpr("*", "CAST(day AS TIMESTAMP) AS at").repartition(3).write.parquet(path)
        }
        withSQLConf(
          "spark.sql.parquet.datetimeRebaseModeInWrite" -> mode,
          "spark.sql.parquet.int96RebaseModeInWrite" -> mode,
          // java.sql.Date lacks these days, too.
          "spark.sql.datetime.java8API.enabled" -> "true",
          types -> type_
        )(keepingRows(path)(optimize(path, "ZORDER BY (a, day)")))
      }
  }

  test("a partition column that files have, too, is not dropped from them", LongTest) {
    for (name <- Seq("p", "P")) inFolder { path =>
      // What the file says is not what the folder says.
      spark.sql(s"SELECT id AS a, id + 7 AS $name FROM range(20)").write.parquet(s"$path/p=1")
      spark.sql("SELECT id AS a FROM range(20)").write.parquet(s"$path/p=2")
      val before = dataFiles(path).sorted
      refused(
        s"OPTIMIZE parquet.`$path` ZORDER BY (a)",
        "ZORDER_PARTITION_COLUMN_IN_FILE",
        "0A000",
        "column" -> name,
        "table" -> "t",
        "file" -> "p=1/")
      assert(dataFiles(path).sorted == before)
      keepingRows(path)(spark.sql(s"OPTIMIZE parquet.`$path` WHERE p = 2 ZORDER BY (a)").collect())
    }
  }

  test("options of a table that would leave files out or divide them count for queries alone") {
    inFolder { path =>
      events(500).repartition(3).write.parquet(path)
      withTable("t") {
        spark.sql(s"""CREATE TABLE t USING parquet OPTIONS (ignoreCorruptFiles 'true', ignoreMissingFiles 'true',
                     |maxRecordsPerFile '10') LOCATION '$path'""".stripMargin)
        keepingRows(path)(spark.sql("OPTIMIZE t ZORDER BY (a, b)").collect())
        assert(dataFiles(path).size == 1)
        val damaged = new File(path, "part-damaged.parquet")
        java.nio.file.Files.writeString(damaged.toPath, "PAR1 no footer PAR1")
        refused("OPTIMIZE t ZORDER BY (a, b)", "ZORDER_UNREADABLE_FILE", "KD001")
      }
    }
  }

  test("numbers that do not fit the table's type are not cut", LongTest) {
    for ((kind, most) <- Seq("SMALLINT" -> 70000, "TINYINT" -> 300); nested <- Seq(false, true)) inFolder { path =>
      val value = if (nested) "named_struct('x', n) AS s" else "n"
      def write(n: Int): Unit = spark
        .sql(s"SELECT $value, CAST(id AS INT) AS b FROM (SELECT CAST(id % $n AS INT) AS n, id FROM range($most))")
        .write.mode("overwrite").parquet(path)
      withTable("t") {
        write(100)
        val column = if (nested) s"s STRUCT<x: $kind>" else s"n $kind"
        spark.sql(s"CREATE TABLE t ($column, b INT) USING parquet LOCATION '$path'")
        // They fit.
        keepingRows(path)(spark.sql("OPTIMIZE t ZORDER BY (b)").collect())
        write(most)
        keepingRows(path) {
          refused(
            "OPTIMIZE t ZORDER BY (b)",
            "ZORDER_NARROW_TYPE",
            "42825",
            "column" -> (if (nested) "s.x" else "n"),
            "type" -> kind,
            "otherType" -> "INT")
        }
      }
    }
    inFolder { path =>
      spark.sql("SELECT array(1, 2) AS list, 1 AS b").write.parquet(path)
      withTable("t") {
        spark.sql(s"CREATE TABLE t (list ARRAY<SMALLINT>, b INT) USING parquet LOCATION '$path'")
        // Nothing tells whether they do.
        refused("OPTIMIZE t ZORDER BY (b)", "ZORDER_NARROW_TYPE", "42825", "column" -> "list.element")
      }
    }
  }

  test("values that the table's type cannot hold are not rounded, cut or made NULL, with whatever reader", LongTest) {
    // Type in the table, what the files have; the readers of batches refuse most of them, those of rows none.
    val cases = Seq(
      "DECIMAL(18, 1)" -> "CAST(1.23 AS DECIMAL(17, 2))",
      "DECIMAL(3, 2)" -> "123456",
      "DECIMAL(9, 2)" -> "CAST(12345678.91 AS DECIMAL(10, 2))",
      "DECIMAL(10, 0)" -> "CAST(id AS BIGINT)",
      "DECIMAL(10, 0)" -> "'12'",
      "BIGINT" -> "CAST(1.23 AS DECIMAL(17, 2))",
      "INT" -> "CAST(1.23 AS DECIMAL(7, 2))"
    )
    for ((kind, value) <- cases; nested <- Seq(false, true)) inFolder { path =>
      val column = if (nested) s"named_struct('x', $value)" else value
      spark.sql(s"SELECT id AS k, $column AS d FROM range(5)").write.parquet(path)
      withTable("t") {
        val in = if (nested) s"STRUCT<x: $kind>" else kind
        spark.sql(s"CREATE TABLE t (k BIGINT, d $in) USING parquet LOCATION '$path'")
        withSQLConf("spark.sql.parquet.enableVectorizedReader" -> "false") {
          keepingRows(path) {
            val text = "OPTIMIZE t ZORDER BY (k)"
            refused(
              text,
              "ZORDER_CLASHING_TYPES",
              "42825",
              "column" -> (if (nested) "d.x" else "d"),
              "type" -> kind.replace(" ", ""))
          }
        }
      }
    }
    // Wider types hold them all.
    val wider = Seq("DECIMAL(18, 3)" -> "CAST(1.23 AS DECIMAL(17, 2))", "DECIMAL(10, 0)" -> "CAST(id AS INT)")
    for ((kind, value) <- wider; vectorized <- Seq(true, false)) inFolder { path =>
      spark.sql(s"SELECT id AS k, $value AS d FROM range(5)").write.parquet(path)
      withTable("t") {
        spark.sql(s"CREATE TABLE t (k BIGINT, d $kind) USING parquet LOCATION '$path'")
        withSQLConf("spark.sql.parquet.enableVectorizedReader" -> vectorized.toString) {
          val before = spark.table("t").collect().toSeq
          spark.sql("OPTIMIZE t ZORDER BY (k)").collect()
          checkAnswer(spark.table("t"), before)
        }
      }
    }
  }

  test("unsigned numbers of files do not become signed ones of a table") {
    for ((kind, type_) <- Seq("INT" -> "int32 n (UINT_32)", "BIGINT" -> "int64 n (UINT_64)")) inFolder { path =>
      val schema = MessageTypeParser.parseMessageType(
        s"message m { required int64 k; required $type_; }")
      val factory = new SimpleGroupFactory(schema)
      new File(path).mkdirs()
      val to = new org.apache.hadoop.fs.Path(path, "part-0.parquet")
      Using.resource(ExampleParquetWriter.builder(to).withType(schema).build()) { writer =>
        val row = factory.newGroup().append("k", 1L)
        writer.write(if (kind == "INT") row.append("n", -1) else row.append("n", -1L))
      }
      withTable("t") {
        spark.sql(s"CREATE TABLE t (k BIGINT, n $kind) USING parquet LOCATION '$path'")
        val before = dataFiles(path)
        val condition = if (kind == "INT") "ZORDER_NARROW_TYPE" else "ZORDER_CLASHING_TYPES"
        refused("OPTIMIZE t ZORDER BY (k)", condition, "42825", "column" -> "n", "type" -> kind)
        assert(dataFiles(path) == before)
      }
    }
  }

  test("columns whose names differ by case alone are not put into one file", LongTest) {
    for (nested <- Seq(false, true)) inFolder { path =>
      def column(name: String) = if (nested) s"named_struct('$name', id) AS s" else s"id AS $name"
      spark.sql(s"SELECT id AS k, ${column("a")} FROM range(5)").write.parquet(path)
      spark.sql(s"SELECT id AS k, ${column("A")} FROM range(5)").write.mode("append").parquet(path)
      withTable("t") {
        spark.sql(
          s"CREATE TABLE t (k BIGINT, ${if (nested) "s STRUCT<a: BIGINT>" else "a BIGINT"}) USING parquet LOCATION '$path'")
        withSQLConf("spark.sql.caseSensitive" -> "true") {
          val before = dataFiles(path).sorted
          refused(
            "OPTIMIZE t ZORDER BY (k)",
            "ZORDER_NAMES_DIFFER_BY_CASE",
            "42711",
            "column" -> "a",
            "otherColumn" -> "A")
          assert(dataFiles(path).sorted == before)
        }
        val before = spark.table("t").collect().toSeq
        spark.sql("OPTIMIZE t ZORDER BY (k)").collect()
        checkAnswer(spark.table("t"), before)
        assert(before.count(_.anyNull) == 0 && dataFiles(path).size == 1)
      }
    }
    // A file that has both has them already.
    inFolder { path =>
      withSQLConf("spark.sql.caseSensitive" -> "true") {
        spark.sql("SELECT id AS k, id AS a, id + 1 AS A FROM range(5)").repartition(2).write.parquet(path)
        keepingRows(path)(optimize(path, "ZORDER BY (a, A)"))
      }
    }
  }

  test("a column of the name by which a rewrite knows folders", LongTest) {
    inFolder { path =>
      events(200).selectExpr("*", "id AS _Zorder_Folder").write.partitionBy("p").parquet(path)
      val before = plainRows(path)
      refused(
        s"OPTIMIZE parquet.`$path` ZORDER BY (a)",
        "ZORDER_RESERVED_COLUMN",
        "42939",
        "column" -> "_Zorder_Folder")
      assert(plainRows(path) == before)
    }
    inFolder { path =>
      events(200).selectExpr("*", "id % 2 AS _zorder_folder").write.partitionBy("p", "_zorder_folder").parquet(path)
      val before = plainRows(path)
      refused(
        s"OPTIMIZE parquet.`$path` ZORDER BY (a)",
        "ZORDER_RESERVED_COLUMN",
        "42939",
        "column" -> "_zorder_folder")
      assert(plainRows(path) == before)
    }
    // Without partitions it is a column as any other.
    inFolder { path =>
      events(200).selectExpr("*", "id AS _zorder_folder").write.parquet(path)
      keepingRows(path)(optimize(path, "ZORDER BY (a, _zorder_folder)"))
    }
  }

  test("rows of one value each: NULL where the type does not matter") {
    inFolder { path =>
      spark.sql("SELECT CAST(NULL AS INT) AS n, CAST(id AS INT) AS b FROM range(10)").write.parquet(path)
      withTable("t") {
        spark.sql(s"CREATE TABLE t (n TINYINT, b INT) USING parquet LOCATION '$path'")
        spark.sql("OPTIMIZE t ZORDER BY (b)").collect()
        checkAnswer(spark.table("t"), (0 until 10).map(Row(null, _)))
      }
    }
  }
}
