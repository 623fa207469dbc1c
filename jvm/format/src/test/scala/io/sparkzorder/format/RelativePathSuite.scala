// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import java.io.File
import java.util.UUID

import io.sparkzorder.{DeltaSession, LongTest}
import io.sparkzorder.errors.ZOrderRuntimeException

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.{AnalysisException, QueryTest}

/** Relative paths in our statements, wherever Spark's SELECT takes one. */
class RelativePathSuite extends QueryTest with DeltaSession {

  /** Calls `body` with a relative path and the folder that it means: the JVM's working folder stands above it. */
  private def withRelative(body: (String, File) => Unit): Unit = {
    val name = s"relative_${UUID.randomUUID.toString.take(8)}"
    val folder = new File(new File("target"), name).getAbsoluteFile
    try body(s"target/$name", folder)
    finally FileUtils.deleteQuietly(folder)
  }

  for (format <- Seq("parquet", "delta"))
    test(s"$format.`t` and 't'", Option.when(format == "delta")(LongTest).toSeq: _*) {
      withRelative { (path, folder) =>
        spark.range(0, 100, 1, 3).selectExpr("id", "id % 7 AS a").write.format(format).save(folder.toString)
        val rows = spark.read.format(format).load(folder.toString).collect().toSeq
        for (table <- Seq(s"$format.`$path`", s"'$path'", s"${format.toUpperCase}.`$path`")) {
          val result = sql(s"OPTIMIZE $table ZORDER BY (a) OPTIONS (force = true)").head()
          assert(
            result.getString(0).endsWith(folder.toString) && result.getStruct(1).getAs[Long]("numFilesAdded") === 1)
          assert(layout(table, "a").head().getAs[Long]("rows") === 100)
        }
        checkAnswer(spark.read.format(format).load(path), rows)
        // Of a Delta table SELECT takes absolute paths only.
        if (format == "parquet") checkAnswer(sql(s"SELECT * FROM parquet.`$path`"), rows)
        if (format == "parquet")
          assert(sql(s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS").head().getLong(1) === 1)
      }
    }

  test("a table of that name comes first, as in SELECT") {
    withDatabase("parquet") {
      sql("CREATE DATABASE parquet")
      sql("CREATE TABLE parquet.`target` USING parquet AS SELECT 1 AS a")
      assert(sql("DESCRIBE LAYOUT parquet.`target` ON (a)").head().getAs[Long]("files") === 1)
      sql("DROP TABLE parquet.`target`")
    }
  }

  test("there is no such folder") {
    for (table <- Seq("parquet.`no/such/folder`", "delta.`no/such/folder`", "'no/such/folder'")) {
      val error = intercept[AnalysisException](sql(s"OPTIMIZE $table ZORDER BY (a)"))
      assert(error.getCondition === "ZORDER_PATH_NOT_FOUND")
      assert(error.getMessageParameters.get("path").contains(new File("no/such/folder").getAbsolutePath))
    }
    val empty = intercept[AnalysisException](sql("OPTIMIZE '' ZORDER BY (a)"))
    assert(empty.getCondition === "ZORDER_PATH_NOT_FOUND")
  }

  test("other names are names of tables") {
    val other = intercept[AnalysisException](sql("OPTIMIZE json.`t` ZORDER BY (a)"))
    assert(other.getCondition === "TABLE_OR_VIEW_NOT_FOUND")
    withSQLConf("spark.sql.runSQLOnFiles" -> "false") {
      val off = intercept[AnalysisException](sql("OPTIMIZE parquet.`t` ZORDER BY (a)"))
      assert(off.getCondition === "TABLE_OR_VIEW_NOT_FOUND")
    }
  }

  test("a file system that there is not: an error with a condition") {
    for (statement <- Seq("OPTIMIZE 'nofs://host/t' ZORDER BY (a)", "DESCRIBE LAYOUT 'nofs://host/t'")) {
      val error = intercept[ZOrderRuntimeException](sql(statement))
      assert(error.getCondition === "ZORDER_INTERNAL_ERROR" && error.getSqlState === "XX000")
      assert(error.getCause.getMessage.contains("nofs"))
    }
  }
}
