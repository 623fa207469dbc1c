// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import java.io.File

import io.sparkzorder.Tables
import io.sparkzorder.format.parquet.folder.TableFolder

import org.apache.hadoop.fs.Path
import org.apache.spark.{SparkConf, SparkThrowable}
import org.apache.spark.sql.{DataFrame, QueryTest, Row}

/** Parquet tables to rewrite, and what must hold of them before and after. */
trait ParquetTables extends Tables {

  // The tables are small: only files of a size that somebody has set are rewritten without a gain.
  override protected def sparkConf: SparkConf = super.sparkConf.set("spark.sql.zorder.targetFileSize", "256m")

  protected def events(rows: Int, first: Int = 0): DataFrame = spark.sql(
    s"""SELECT id, CAST(id * 7919 % 1000 AS INT) AS a, IF(id % 11 = 0, NULL, (id * 31 % 997) / 8.0D) AS b,
       |  concat('é', id % 50) AS c, CAST(id % 4 AS INT) AS p FROM range($first, ${first + rows})""".stripMargin)

  protected def inFolder(body: String => Unit): Unit = withTempDir(dir => body(new File(dir, "t").getCanonicalPath))

  /** The rows as a plain reader finds them: without the extension's file index. */
  protected def plainRows(path: String): Seq[Row] = withSkipping(false) {
    val rows = spark.read.option("mergeSchema", "true").parquet(path)
    // Which file is merged first decides on the columns' order.
    rows.select(rows.columns.sorted.map(c => rows(s"`$c`")).toIndexedSeq: _*).collect().toSeq
  }

  protected def withSkipping[T](on: Boolean)(body: => T): T =
    withSQLConf("spark.sql.zorder.skipping.enabled" -> on.toString)(body)

  /** The statement fails with this condition and SQL state, and with these values within its parameters. */
  protected def refused(sql: String, condition: String, state: String, parameters: (String, String)*): Unit = {
    val e = intercept[Exception](spark.sql(sql).collect()) match {
      case e: SparkThrowable => e
      case e => fail("without a condition", e)
    }
    assert((e.getCondition, e.getSqlState) == ((condition, state)), e)
    parameters.foreach { case (key, value) => assert(e.getMessageParameters.get(key).contains(value), e) }
  }

  /** Runs `body`, after which each row must be there as often as before. */
  protected def keepingRows(path: String)(body: => Unit): Unit = {
    val before = plainRows(path)
    body
    val after = plainRows(path)
    assert(QueryTest.sameRows(before, after).isEmpty, QueryTest.sameRows(before, after).getOrElse(""))
  }

  protected def dataFiles(path: String): Seq[File] =
    filesBelow(new File(path)).filter(f => f.getName.endsWith(".parquet") && !f.getPath.contains("/_zorder/"))

  /** The one rewrite of the table is over, and has left nothing but what the log has of it. */
  protected def requireOneClosedRewrite(path: String): Unit = {
    assert(!new File(path, "_zorder/staging").exists && new File(path, "_zorder/locks").list().isEmpty)
    val log = new File(path, "_zorder/log").list().toSeq.filterNot(_.startsWith(".")).groupBy(_.split('.').last)
    assert(log.view.mapValues(_.size).toMap == Map("id" -> 1, "json" -> 1, "verdict" -> 1, "closed" -> 1))
  }

  protected def optimize(path: String, rest: String = "ZORDER BY (a, b) OPTIONS (target_file_size = '8k')"): Row =
    spark.sql(s"OPTIMIZE parquet.`$path` $rest").head()

  protected def analyze(path: String): Unit =
    spark.sql(s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS").collect(): Unit

  private[parquet] def tableFolder(path: String): TableFolder =
    new TableFolder(new Path(path), spark.sessionState.newHadoopConf())
}
