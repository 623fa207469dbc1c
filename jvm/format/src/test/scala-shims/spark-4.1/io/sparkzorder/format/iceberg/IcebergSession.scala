// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import java.io.File
import java.nio.file.Files

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparkzorder.Tables
import io.sparkzorder.column.ColumnPath
import io.sparkzorder.format.Rewrite

import org.apache.iceberg.{DataFile => TableFile, FileScanTask, Snapshot, Table}
import org.apache.iceberg.spark.Spark3Util
import org.apache.spark.{SparkConf, SparkThrowable}
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.{DataFrame, QueryTest, Row}

/** A session with a Hadoop catalog of Iceberg's, `ice`, and what tests of statements on its tables ask again and again. */
trait IcebergSession extends Tables { self: QueryTest =>

  protected lazy val warehouse: File = Files.createTempDirectory("iceberg").toFile

  override protected def sessionExtensions: Seq[String] =
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions" +: super.sessionExtensions

  override protected def sparkConf: SparkConf = super.sparkConf
    .set("spark.sql.catalog.ice", "org.apache.iceberg.spark.SparkCatalog")
    .set("spark.sql.catalog.ice.type", "hadoop")
    .set("spark.sql.catalog.ice.warehouse", warehouse.getPath)

  override protected def afterAll(): Unit =
    try super.afterAll()
    finally JavaUtils.deleteRecursively(warehouse)

  protected val t = "ice.db.t"

  protected def withIceberg[T](body: => T): T =
    try body
    finally sql(s"DROP TABLE IF EXISTS $t PURGE")

  /** Rows of several kinds of columns, in no order; every run gives the same. */
  protected def samples(rows: Int, from: Int = 0): DataFrame = mixedRows(rows, from)(
    "concat('user-', pmod(xxhash64(id, 2), 50)) AS c",
    "timestamp_micros(1704067200000000 + pmod(xxhash64(id, 3), 3 * 86400) * 1000000) AS at")

  /** Creates the table in one file, or one for each of as many tasks, with the clauses after its columns. */
  protected def create(rows: DataFrame, version: Int = 2, partitionedBy: String = "", properties: String = ""): Unit = {
    val columns = rows.schema.map(f => s"${f.name} ${f.dataType.sql}").mkString(", ")
    val by = if (partitionedBy.isEmpty) "" else s"PARTITIONED BY ($partitionedBy)"
    val more = if (properties.isEmpty) "" else s", $properties"
    sql(s"CREATE TABLE $t ($columns) USING iceberg $by TBLPROPERTIES ('format-version' = '$version'$more)")
    append(rows)
  }

  protected def append(rows: DataFrame): Unit = rows.writeTo(t).append()

  protected def table: Table = {
    val found = Spark3Util.loadIcebergTable(spark, t)
    found.refresh()
    found
  }

  protected def tasks: Seq[FileScanTask] = {
    val scan = table.newScan().includeColumnStats()
    Using.resource(scan.planFiles())(_.asScala.toIndexedSeq).sortBy(_.file.location)
  }

  protected def files: Seq[TableFile] = tasks.map(_.file)

  protected def current: Snapshot = table.currentSnapshot

  /** Every data file on disk, whether the table knows it or not. */
  protected def dataOnDisk: Set[String] = {
    val folder = new File(new java.net.URI(table.location).getPath, "data")
    filesBelow(folder).map(_.getName).filterNot(_.endsWith(".crc")).toSet
  }

  protected def rows(of: DataFrame): Map[Row, Int] = of.collect().toSeq.groupMapReduce(identity)(_ => 1)(_ + _)

  /** Runs `body`, which must leave the rows of the table as they are. */
  protected def keepingAll[A](body: => A): A =
    keepingCounts(rows(sql(s"SELECT * FROM $t")), (row: Row) => row) {
      val result = body
      sql(s"REFRESH TABLE $t")
      result
    }

  /** The failure of `body`, which has this condition, and these words in its message. */
  protected def failure(condition: String, words: String*)(body: => Any): Throwable with SparkThrowable = {
    val e = intercept[Throwable with SparkThrowable](body)
    assert(e.getCondition === condition, e)
    words.foreach(word => assert(e.getMessage.contains(word), e))
    e
  }

  /** The statement fails so, and leaves the table and its files as they are. */
  protected def refused(statement: String, condition: String, words: String*): Throwable with SparkThrowable = {
    val before = (current.snapshotId, dataOnDisk)
    val e = failure(condition, words: _*)(sql(statement).collect())
    assert((current.snapshotId, dataOnDisk) === before)
    e
  }

  /** Begins a rewrite of all files, by `a`, as a statement does that names the table so; `body` goes on with it. */
  protected def withRewrite[A](of: Table, name: String, branch: Option[String] = None)(body: Rewrite => A): A =
    new IcebergTable(of, name, branch).change(spark, dryRun = false) { own =>
      val snapshot = own.snapshot(spark)
      body(snapshot.rewrite(snapshot.files(None), None, Seq(path("a"))))
    }

  /** Z-orders the table into about `number` files (of all its rows). */
  protected def cluster(columns: String, number: Int, where: String = "", options: String = ""): Row = {
    val clause = if (where.isEmpty) "" else s"WHERE $where"
    sql(s"OPTIMIZE $t $clause ZORDER BY ($columns) OPTIONS (target_file_size = '${sizeOf(number)}'$options)").head()
  }

  /** The size of as many files of all rows. */
  protected def sizeOf(number: Int): Long = math.max(1L, files.map(_.fileSizeInBytes).sum / number)

  /** The share of the files that a point lookup in a column reads, on average, by the bounds in the manifests. */
  protected def share(column: String): Double =
    layout(t, column).select("point_read_share").head().getDouble(0)

  protected def path(name: String): ColumnPath = ColumnPath(Seq(name))
}
