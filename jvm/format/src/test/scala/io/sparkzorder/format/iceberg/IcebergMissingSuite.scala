// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import io.sparkzorder.ZOrderSharedSession
import io.sparkzorder.config.Versions
import io.sparkzorder.errors.ZOrderAnalysisException

import org.apache.spark.{SPARK_VERSION, SparkConf, SparkThrowable}
import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.connector.catalog.InMemoryTableCatalog

/** Iceberg tables where no Iceberg is that this jar links with: a catalog has a table that says it is one. */
class IcebergMissingSuite extends QueryTest with ZOrderSharedSession {

  override protected def sparkConf: SparkConf =
    super.sparkConf.set("spark.sql.catalog.elsewhere", classOf[InMemoryTableCatalog].getName)

  test("statements that rewrite the table say what they need") {
    sql("CREATE TABLE elsewhere.t (a INT, b INT) USING iceberg")
    val e = intercept[ZOrderAnalysisException](sql("OPTIMIZE elsewhere.t ZORDER BY (a, b)"))
    if (Versions("iceberg.spark.minors").split(" ").contains(Versions("spark.minor")))
      // Iceberg is there, and the table is none of its own.
      assert(e.getCondition === "ZORDER_UNSUPPORTED_FORMAT")
    else {
      assert(e.getCondition === "ZORDER_ICEBERG_ON_OTHER_SPARK" && e.getSqlState === "56038")
      assert(e.getMessageParameters.get("running") === SPARK_VERSION)
      assert(e.getMessageParameters.get("needed") === s"Spark 4.1 and Iceberg ${Versions("iceberg")}")
      assert(e.getMessage.contains("rewrite_data_files"))
    }
  }

  test("a table of another catalog's own format is not taken for one") {
    sql("CREATE TABLE elsewhere.plain (a INT) USING foo")
    val e = intercept[ZOrderAnalysisException](sql("OPTIMIZE elsewhere.plain ZORDER BY (a)"))
    assert(e.getCondition === "ZORDER_UNSUPPORTED_FORMAT")
  }

  test("a folder is not named so") {
    val e = intercept[ZOrderAnalysisException](sql("OPTIMIZE iceberg.`/nowhere/t` ZORDER BY (a)"))
    assert(e.getCondition === "ZORDER_ICEBERG_BY_PATH")
    // A catalog may be called so.
    val missing = intercept[SparkThrowable](sql("OPTIMIZE iceberg.nosuch ZORDER BY (a)"))
    assert(missing.getCondition === "TABLE_OR_VIEW_NOT_FOUND")
  }
}
