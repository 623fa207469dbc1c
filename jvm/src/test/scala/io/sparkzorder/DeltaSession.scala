// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import java.io.File

import scala.collection.mutable.WeakHashMap

import io.delta.sql.DeltaSparkSessionExtension

import org.apache.spark.SparkConf
import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.delta.{DeltaLog, Snapshot}
import org.apache.spark.sql.delta.actions.{Action, AddFile, RemoveFile}
import org.apache.spark.sql.delta.catalog.DeltaCatalog
import org.apache.spark.sql.delta.util.DeltaFileOperations
import org.apache.spark.sql.functions.col

/** A session with Delta's extension and ours, and what tests of statements on Delta tables ask again and again. */
trait DeltaSession extends Tables with JobLog { self: QueryTest =>

  override protected def sessionExtensions: Seq[String] =
    classOf[DeltaSparkSessionExtension].getName +: super.sessionExtensions

  override protected def sparkConf: SparkConf = super.sparkConf
    .set("spark.sql.catalog.spark_catalog", classOf[DeltaCatalog].getName)
    // In tests Delta compares the files in a checksum with those in the log by more than a reader sees: a commit on top
    // of another's fails it, for "tags": {} there and none here.
    .set("spark.databricks.delta.allFilesInCrc.verificationMode.enabled", "false")
    .set("spark.databricks.delta.allFilesInCrc.verificationMode.forceOnNonUTC.enabled", "false")

  override protected def generatedCode: Boolean = false

  override protected def beforeAll(): Unit = {
    // Logs that other suites' sessions have read.
    DeltaLog.clearCache()
    super.beforeAll()
  }

  // Tables

  /** Rows of several kinds of columns, in no order; every run gives the same. */
  protected def events(rows: Int): DataFrame = mixedRows(rows)(
    "concat('user-', pmod(xxhash64(id, 2), 50)) AS c",
    "date_add(DATE'2024-01-01', cast(pmod(xxhash64(id, 3), 3) as int)) AS day")

  /** Creates a table of `files` files (in each partition). */
  protected def createTable(
      name: String,
      data: DataFrame,
      files: Int = 3,
      partitionBy: Seq[String] = Nil,
      properties: Map[String, String] = Map.empty): Unit = {
    val table = properties.foldLeft(data.repartition(files).writeTo(name).using("delta")) { case (writer, (k, v)) =>
      writer.tableProperty(k, v)
    }
    partitionBy match {
      case Seq() => table.create()
      case first +: rest =>
        table.partitionedBy(col(first), rest.map(col): _*)
          .create()
    }
  }

  protected def log(table: String): DeltaLog = DeltaLog.forTable(spark, TableIdentifier(table))

  protected def snapshot(table: String): Snapshot = log(table).update()

  protected def version(table: String): Long = snapshot(table).version

  /** Where the data of a file is. */
  protected def locationOf(table: String, file: AddFile): String =
    DeltaFileOperations.absolutePath(log(table).dataPath.toString, file.path).toString

  // A query over the log, which tests ask again and again for the same version.
  private val filesOfSnapshots = new WeakHashMap[Snapshot, Seq[AddFile]]

  protected def filesOf(table: String): Seq[AddFile] = {
    val of = snapshot(table)
    filesOfSnapshots.getOrElseUpdate(of, of.allFiles.collect().toSeq.sortBy(_.path))
  }

  protected def bytesOf(table: String): Long = filesOf(table).map(_.size).sum

  /** What the latest commit did. */
  protected def lastCommit(table: String): Seq[Action] = log(table).getChanges(version(table)).next()._2

  protected def added(table: String): Seq[AddFile] = lastCommit(table).collect { case a: AddFile => a }

  protected def removed(table: String): Seq[RemoveFile] = lastCommit(table).collect { case r: RemoveFile => r }

  /** Every file under the folder of a table that is not part of its log. */
  protected def dataOnDisk(table: String): Set[String] = {
    val root = new File(log(table).dataPath.toUri.getPath)
    filesBelow(root).map(_.getPath).filterNot(p => p.contains("_delta_log") || p.endsWith(".crc")).toSet
  }

  // Statements

  /** Z-orders a table into about `files` files. */
  protected def optimize(table: String, columns: String, files: Int, where: String = ""): Row = {
    val size = math.max(1L, bytesOf(table) / files)
    val clause = if (where.isEmpty) "" else s"WHERE $where"
    sql(s"OPTIMIZE $table $clause ZORDER BY ($columns) OPTIONS (target_file_size = '$size')").head()
  }

  /** Runs `body`, which must leave the rows of `table` as they are. */
  protected def keepingRows[T](table: String)(body: => T): T =
    keepingCounts(rowsOf(table), (row: UnsafeRow) => row.toSeq(spark.table(table).schema))(body)

  /** Each row, by its bytes, which are faster to compare than objects, and how often it is there. */
  private def rowsOf(table: String): Map[UnsafeRow, Int] = {
    val found = spark.table(table)
    val types = found.schema.map(_.dataType).toArray
    val rows = found.queryExecution.toRdd.mapPartitions { some =>
      val bytes = UnsafeProjection.create(types)
      some.map(bytes(_).copy())
    }
    rows.collect().toSeq.groupMapReduce(identity)(_ => 1)(_ + _)
  }

  /**
   * In each partition the files that the latest commit added are sorted along the curve of its rows, and apart on it.
   */
  protected def requireCurveOrder(table: String, columns: String*): Unit =
    added(table).groupBy(_.partitionValues).values.foreach { files =>
      val rows = files.flatMap(_.numLogicalRecords).sum
      val places = CurveOrder.of(spark, files.map(locationOf(table, _)), columns.map(col))
      assert(places.map(_.places.size.toLong).sum === rows)
      // Fewer rows than these take the ranks of the whole table.
      if (rows >= 32) assert(CurveOrder.fault(places) === None)
    }

  /** Runs `body`, which must leave `tables` as they are, down to the files on disk. */
  protected def changingNothing[T](tables: String*)(body: => T): T = {
    def state = tables.map(t => (version(t), filesOf(t).map(_.path), dataOnDisk(t)))
    val before = state
    val result = body
    assert(state === before)
    result
  }
}
