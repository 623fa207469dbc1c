// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.iceberg.{DeleteFile, SnapshotSummary}
import org.apache.iceberg.expressions.Expression
import org.apache.iceberg.spark.actions.SparkActions
import org.apache.spark.SparkConf
import org.apache.spark.sql.{DataFrame, QueryTest, Row}

/**
 * What the suites `IcebergRewrite*Suite` share. They run what Iceberg's own tests promise of `rewrite_data_files` against
 * OPTIMIZE; docs/iceberg-tests.md lists these tests.
 */
trait IcebergPromises extends IcebergSession { self: QueryTest =>

  // Tables of format version 4 are at a URI, and not at a path.
  override protected def sparkConf: SparkConf = super.sparkConf
    .set("spark.sql.catalog.ice.warehouse", warehouseUri)

  protected def warehouseUri: String = warehouse.toURI.toString.stripSuffix("/")

  /** Rows stay in the tasks that have them, so that each task writes a file of each partition. */
  protected val scattered = "'write.distribution-mode' = 'none'"

  protected val mergeOnRead = "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'"

  /** With a column `p` of four values beside the others, and `d`, which is NULL everywhere. */
  protected def promised(rows: Int, from: Int = 0): DataFrame =
    samples(rows, from).selectExpr("*", "cast(id % 4 AS int) AS p", "cast(NULL AS binary) AS d")

  /** Runs OPTIMIZE on the table, which must leave its rows as they are and add as many snapshots. */
  protected def optimize(clauses: String, snapshots: Int = 1): Row = {
    val before = this.snapshots
    val result = keepingAll(sql(s"OPTIMIZE $t $clauses").head())
    assert(this.snapshots === before + snapshots)
    result
  }

  protected def snapshots: Int = table.snapshots.asScala.size

  /** A table of four partitions, each of five files, whose commits Iceberg does not try again by itself. */
  protected def inPartitions(): Unit =
    create(
      promised(800).repartition(5),
      partitionedBy = "p",
      properties = s"$scattered, 'commit.retry.num-retries' = '0'")

  protected def inBatches(bytes: Any): String = s"ZORDER BY (a, c) OPTIONS (batch_size = '$bytes')"

  protected def metrics(result: Row): Row = result.getAs[Row]("metrics")

  /** The numbers of files removed and added. */
  protected def swapped(result: Row): (Long, Long) =
    (metrics(result).getAs[Long]("numFilesRemoved"), metrics(result).getAs[Long]("numFilesAdded"))

  protected def bytesRemoved(result: Row): Long = metrics(result).getAs[Row]("filesRemoved").getAs[Long]("totalSize")

  protected def summary: Map[String, String] = current.summary.asScala.toMap

  /** The snapshot has removed as many bytes as the statement says. */
  protected def assertBytes(result: Row): Unit =
    assert(bytesRemoved(result) === summary(SnapshotSummary.REMOVED_FILE_SIZE_PROP).toLong)

  /** With the numbers that format version 3 gives to rows. */
  protected def lineage: Map[Row, Int] = rows(sql(s"SELECT *, _row_id, _last_updated_sequence_number FROM $t"))

  /** The number of files that a query with this filter reads. */
  protected def needed(filter: Expression): Int =
    Using.resource(table.newScan().filter(filter).planFiles())(_.asScala.size)

  /** The deletes that are of some file of the table. */
  protected def deletes: Seq[DeleteFile] =
    tasks.flatMap(_.deletes.asScala).distinctBy(d => (d.location, d.contentOffset))

  /** The data and delete files on disk that no snapshot has, as Iceberg finds them. */
  protected def orphans: Seq[String] =
    SparkActions
      .get(spark)
      .deleteOrphanFiles(table)
      .olderThan(System.currentTimeMillis + 1000)
      .deleteWith(_ => ())
      .execute()
      .orphanFileLocations
      .asScala
      .toSeq

  /** In every partition the ranges of the files are one behind the other, with common ends at most. */
  protected def assertApart[A: Ordering](column: String, bound: java.nio.ByteBuffer => A): Unit = {
    val id = table.schema.findField(column).fieldId
    for ((partition, of) <- files.groupBy(_.partition.toString)) {
      val ranges = of.map(f => (bound(f.lowerBounds.get(id)), bound(f.upperBounds.get(id)))).sorted
      ranges.zip(ranges.drop(1)).foreach { case (one, next) =>
        assert(Ordering[A].lteq(one._2, next._1), s"$partition: $one, $next")
      }
    }
  }
}
