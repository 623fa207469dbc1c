// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import java.io.File

import scala.jdk.CollectionConverters._

import io.sparkzorder.LongTest
import io.sparkzorder.format.parquet.FilesOfOtherWriters._

import org.apache.parquet.example.data.Group
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.types._

/**
 * OPTIMIZE of files that other programs have written or changed: all that is in them is kept, or nothing is changed.
 */
class OtherWritersSuite extends ParquetTables {

  private val by = "ZORDER BY (a) OPTIONS (target_file_size = '4k')"

  private def rewriteRefused(path: String, condition: String, state: String, parameters: (String, String)*): Unit = {
    val before = dataFiles(path).map(f => f -> f.lastModified).toSet
    refused(s"OPTIMIZE parquet.`$path` $by", condition, state, parameters: _*)
    assert(dataFiles(path).map(f => f -> f.lastModified).toSet == before)
  }

  private def same(found: DataFrame, rows: Seq[Row]): Unit =
    assert(QueryTest.sameRows(rows, found.collect().toSeq).isEmpty, QueryTest.sameRows(rows, found.collect().toSeq))

  private def physical(path: String): Seq[MessageType] = dataFiles(path).map(meta(_).getSchema)

  private val spark1 = new StructType().add("a", IntegerType).add("s", new StructType().add("x", IntegerType))

  /** As pyarrow writes a file that Spark has written, with columns added. */
  private def extended(path: String, notedAs: StructType = spark1): Unit =
    write(
      s"$path/extended.parquet",
      "optional int32 a; optional group s { optional int32 x; optional binary y (STRING); } optional int64 more;",
      noted(notedAs)
    )((0 until 50).map { i => (row: Group) =>
      row.add("a", i)
      row.addGroup("s").append("x", i).append("y", s"y$i")
      row.add("more", i.toLong)
    }: _*)

  test("columns are kept that Spark's metadata does not know") {
    for (table <- Seq(false, true)) inFolder { path =>
      extended(path)
      spark.sql("SELECT CAST(id AS INT) AS a, named_struct('x', 7) AS s FROM range(50, 60)").coalesce(1).write
        .mode("append").parquet(path)
      val known = "a INT, s STRUCT<x: INT, y: STRING>, more BIGINT"
      def rows = spark.read.schema(known).parquet(path)
      val before = rows.collect().toSeq
      assert(before.count(!_.isNullAt(2)) == 50)
      if (table) withTable("t") {
        spark.sql(s"CREATE TABLE t (a INT) USING parquet LOCATION '$path'")
        spark.sql(s"OPTIMIZE t $by").collect()
      }
      else optimize(path, by)
      assert(!new File(path, "extended.parquet").exists)
      same(rows, before)
      same(spark.read.parquet(path).selectExpr("a", "s", "more"), before)
    }
  }

  test("a column in Spark's metadata that the file has no more stays, without values", LongTest) {
    inFolder { path =>
      write(s"$path/a.parquet", "optional int32 a;", noted(spark1.add("gone", StringType)))(ints("a", 0 until 9): _*)
      keepingRows(path)(optimize(path, by))
      assert(spark.read.parquet(path).columns.toSeq == Seq("a", "s", "gone"))
    }
  }

  test("types that only Spark's metadata tells are kept, and those that are not true refused", LongTest) {
    inFolder { path =>
      spark.sql("SELECT CAST(id AS INT) AS a, make_dt_interval(CAST(id AS INT)) AS i, make_ym_interval(1, 2) AS m, " +
        "'x' COLLATE UNICODE_CI AS c, CAST('y' AS CHAR(3)) AS h, parse_json('{\"k\": 1}') AS v, " +
        "map('k', array(named_struct('d', CAST(1 AS DECIMAL(30, 2)), 'b', CAST(1 AS TINYINT)))) AS n, " +
        "TIMESTAMP_NTZ'2020-01-01' AS t FROM range(20)").coalesce(1).write.parquet(path)
      val before = spark.read.parquet(path).schema
      keepingRows(path)(optimize(path, by))
      assert(spark.read.parquet(path).schema == before)
    }
    inFolder { path =>
      extended(path, new StructType().add("a", IntegerType).add("s", new StructType().add("y", DateType)))
      rewriteRefused(
        path,
        "ZORDER_UNTRUE_FILE_SCHEMA",
        "42825",
        "column" -> "s.y",
        "type" -> "STRING",
        "noted" -> "DATE",
        "file" -> "extended.parquet")
    }
    inFolder { path =>
      write(s"$path/f.parquet", "optional int32 a; optional int32 t (TIME(MILLIS,true));")(ints("a", 0 until 9): _*)
      rewriteRefused(
        path,
        "ZORDER_UNREADABLE_COLUMN",
        "0A000",
        "column" -> "t",
        "file" -> "f.parquet",
        "type" -> "TIME")
    }
  }

  private def renamed(path: String): Unit = {
    write(
      s"$path/1.parquet",
      "optional int32 k = 1; optional int32 a = 2; optional group s = 3 { optional int32 x = 4; }")(
      (0 until 20).map { i => (row: Group) =>
        row.append("k", i).append("a", i)
        row.addGroup("s").add("x", i)
      }: _*)
    write(
      s"$path/2.parquet",
      "optional int32 a = 2; optional int32 key = 1; optional group t = 3 { optional int32 z = 4; }")(
      (20 until 40).map { i => (row: Group) =>
        row.append("a", i).append("key", i)
        row.addGroup("t").add("z", i)
      }: _*)
  }

  private def field(name: String, dataType: DataType, id: Int): StructField =
    StructField(name, dataType, nullable = true, new MetadataBuilder().putLong("parquet.field.id", id.toLong).build())

  private val withIds = StructType(
    Seq(
      field("key", IntegerType, 1),
      field("a", IntegerType, 2),
      field("t", StructType(Seq(field("z", IntegerType, 4))), 3)))

  test("a table that is read by field ids", LongTest) {
    withSQLConf("spark.sql.parquet.fieldId.read.enabled" -> "true") {
      inFolder { path =>
        renamed(path)
        def rows = spark.read.schema(withIds).parquet(path)
        val before = rows.collect().toSeq
        assert(before.map(_.getInt(0)).toSet == (0 until 40).toSet)
        optimize(path, by)
        assert(!new File(path, "1.parquet").exists)
        same(rows, before)
        physical(path).foreach(s => assert(s.getFields.asScala.map(_.getId.intValue).toSet == Set(1, 2, 3)))
      }
      // A column that was dropped and recreated has another id.
      inFolder { path =>
        write(s"$path/1.parquet", "optional int32 a = 1;")(ints("a", 0 until 5): _*)
        write(s"$path/2.parquet", "optional int32 a = 2;")(ints("a", 0 until 5): _*)
        rewriteRefused(path, "ZORDER_CONTRADICTING_FIELD_IDS", "42825", "column" -> "a")
      }
      inFolder { path =>
        write(s"$path/1.parquet", "optional int32 a = 1;")(ints("a", 0 until 5): _*)
        write(s"$path/2.parquet", "optional int32 a;")(ints("a", 0 until 5): _*)
        rewriteRefused(path, "ZORDER_CONTRADICTING_FIELD_IDS", "42825", "column" -> "a")
      }
    }
  }

  test("names count where the table is not read by field ids, and ids are kept") {
    // Spark's own tests run with it.
    withSQLConf("spark.sql.parquet.fieldId.read.enabled" -> "false") {
      inFolder { path =>
        renamed(path)
        rewriteRefused(path, "ZORDER_CONTRADICTING_FIELD_IDS", "42825", "column" -> "k", "id" -> "1", "other" -> "k")
      }
      inFolder { path =>
        write(s"$path/1.parquet", "optional int32 a = 7; optional group s = 8 { optional int32 x = 9; }")(
          ints("a", 0 until 20): _*)
        write(s"$path/2.parquet", "optional int32 a; optional int32 b = 5;")(ints("a", 20 until 40): _*)
        keepingRows(path)(optimize(path, by))
        for (schema <- physical(path)) {
          def id(path: String*) = schema.getType(path: _*).getId.intValue
          assert(id("a") == 7 && id("b") == 5 && id("s", "x") == 9)
        }
      }
    }
  }

  test("lists in the forms of parquet-avro and parquet-thrift, of maps and of lists") {
    val maps = "repeated group key_value (MAP_KEY_VALUE) { required binary key (UTF8); required int32 value; }"
    val forms = Seq(
      s"optional group l (LIST) { repeated group array (MAP) { $maps } }" -> "array",
      s"optional group l (LIST) { repeated group l_tuple (MAP) { $maps } }" -> "l_tuple"
    )
    for ((form, repeated) <- forms) inFolder { path =>
      for (i <- 0 to 1)
        write(s"$path/$i.parquet", s"optional int32 a; $form")((0 until 20).map { v => (row: Group) =>
          row.add("a", v)
          val entry = row.addGroup("l").addGroup(repeated).addGroup("key_value")
          entry.add("key", "k")
          entry.add("value", v)
        }: _*)
      assert(spark.read.parquet(path).where("l[0]['k'] = a").count() === 40)
      analyze(path)
      keepingRows(path)(optimize(path, "ZORDER BY (a) OPTIONS (force = true)"))
    }
  }

  test("the id of a field that has the name of the group around it stays") {
    val form =
      "optional group l (LIST) { repeated group list { optional group element { optional int32 element = 4; } } }"
    inFolder { path =>
      for (i <- 0 to 1)
        write(s"$path/$i.parquet", s"optional int32 a; $form")((0 until 20).map { v => (row: Group) =>
          row.add("a", v)
          row.addGroup("l").addGroup("list").addGroup("element").add("element", v)
        }: _*)
      keepingRows(path)(optimize(path, "ZORDER BY (a) OPTIONS (force = true)"))
      for (file <- dataFiles(path)) {
        val element = meta(file).getSchema.getType("l", "list", "element", "element")
        assert(element.getId != null && element.getId.intValue === 4)
      }
    }
  }

  private val arrow = Map("ARROW:schema" -> "/////w==", "pandas" -> ("{\"k\": \"$" + "{user.home}\"}"))

  test("metadata that all files share is kept", LongTest) {
    inFolder { path =>
      val geo = Map("geo" -> """{"version": "1.1.0", "primary_column": "g", "columns": {"g": {"encoding": "WKB"}}}""")
      for (i <- 0 to 1)
        write(s"$path/$i.parquet", "optional int32 a; optional binary g;", arrow ++ geo + ("own" -> s"$i"))(
          ints("a", 0 until 20): _*)
      keepingRows(path)(optimize(path, by))
      for (file <- dataFiles(path)) {
        val keyValues = meta(file).getKeyValueMetaData.asScala.toMap
        assert(keyValues.filterNot(_._1.startsWith("org.apache.spark")) == arrow ++ geo)
        assert(keyValues.contains(SparkSchema))
      }
      // What describes columns as they no longer are would be believed.
      write(s"$path/2.parquet", "optional binary g; optional int32 a;", arrow ++ geo)(ints("a", 0 until 20): _*)
      keepingRows(path)(optimize(path, by))
      for (file <- dataFiles(path)) assert(!meta(file).getKeyValueMetaData.containsKey("ARROW:schema"))
    }
  }

  test("files that were written into a table of Iceberg's are left to it") {
    inFolder { path =>
      write(s"$path/0.parquet", "optional int32 a;", Map.empty)(ints("a", 0 until 20): _*)
      write(s"$path/1.parquet", "optional int32 a;", Map("iceberg.schema" -> "{}"))(ints("a", 0 until 20): _*)
      val before = dataFiles(path).toSet
      for (statement <- Seq(s"OPTIMIZE parquet.`$path` $by", s"OPTIMIZE parquet.`$path`"))
        refused(statement, "ZORDER_FILE_OF_ICEBERG", "0A000", "table" -> path, "file" -> "1.parquet")
      assert(dataFiles(path).toSet == before)
    }
  }

  test("GeoParquet's metadata is not given up") {
    for (other <- Seq(Map("geo" -> "{\"version\": \"1.0.0\"}"), Map.empty[String, String])) inFolder { path =>
      write(s"$path/1.parquet", "optional int32 a;", Map("geo" -> "{}"))(ints("a", 0 until 20): _*)
      write(s"$path/2.parquet", "optional int32 a;", other)(ints("a", 0 until 20): _*)
      rewriteRefused(path, "ZORDER_GEOPARQUET_METADATA", "0A000", "file" -> "1.parquet", "otherFile" -> "2.parquet")
    }
  }

  test("INT96 of other writers: microseconds are rewritten, nanoseconds refused") {
    def times(path: String, all: Seq[Option[Long]]): Unit =
      write(path, "optional int32 a; optional group s { repeated int96 t; }")(all.zipWithIndex.map { case (t, i) =>
        (row: Group) => {
          row.add("a", i)
          val s = row.addGroup("s")
          t.foreach(n => s.append("t", nanos(n)).append("t", nanos(5000)))
        }
      }: _*)
    inFolder { path =>
      times(s"$path/1.parquet", None +: (1 to 50).map(i => Some(i * 1000L)))
      keepingRows(path)(optimize(path, by))
      assert(!new File(path, "1.parquet").exists)
      times(s"$path/2.parquet", None +: (1 to 50).map(i => Some(if (i == 40) 40001L else i * 1000L)))
      rewriteRefused(path, "ZORDER_NANOSECONDS", "22008", "column" -> "s.t", "file" -> "2.parquet")
    }
    inFolder { path =>
      write(s"$path/1.parquet", "optional int32 a; optional int96 t;")((1 to 50).map { i => (row: Group) =>
        row.add("a", i)
        row.add("t", nanos(i * 1000L))
      }: _*)
      writeEmptyFrame(s"$path/2.parquet")
      keepingRows(path)(optimize(path, by))
      assert(!new File(path, "2.parquet").exists)
    }
    withSQLConf("spark.sql.legacy.parquet.nanosAsLong" -> "true") {
      inFolder { path =>
        write(
          s"$path/1.parquet",
          "optional int32 a; optional int64 t (TIMESTAMP(NANOS,true));")(ints("a", 0 until 9): _*)
        rewriteRefused(path, "ZORDER_NANOSECONDS", "22008", "column" -> "t", "file" -> "1.parquet")
      }
    }
  }
}
