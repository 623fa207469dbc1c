// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.repair

import io.sparkzorder.format.parquet.listing.{ParquetRows, TableDefinition, TableListing}
import io.sparkzorder.format.parquet.rewrite.FileSchemas
import io.sparkzorder.parquet.footer.FileStatisticsReader

import org.apache.spark.paths.SparkPath
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.sql.functions.{col, input_file_name, struct}
import org.apache.spark.sql.zorder.SparkInternals
import org.apache.spark.unsafe.Platform

/**
 * Finds which rows files share, as multisets: by two hashes of 64 bits over all bytes of a row. A row has the same
 * bytes in whatever file it lies, as one schema reads them all.
 *
 * @param files
 *   the files of some partitions
 * @param isAdded
 *   whether a file is one of the new ones, by its path
 */
private[repair] final class SharedRows(
    session: SparkSession,
    table: TableDefinition,
    statement: String,
    files: IndexedSeq[TableListing.File],
    isAdded: String => Boolean) {
  import SharedRows._

  private val added = files.map(f => isAdded(f.id.path))
  private val groups = files.map(_.partition)
  private val (distinct, groupOf) = {
    val all = groups.distinct
    (all, groups.map(all.indexOf(_)))
  }

  /** For each file its rows, and how many of them the new files of its partition have, too. */
  lazy val ofFiles: Map[String, Shared] = {
    val is = added
    val sums = summed { (_, counts) =>
      val inAdded = counts.collect { case (file, n) if is(file) => n }.sum
      counts.iterator.map { case (file, n) => file -> Shared(n, math.min(n, inAdded)) }
    }
    files.indices.map(i => files(i).id.path -> sums.getOrElse(i, Shared(0, 0))).toMap
  }

  /**
   * Whether each row of some files is in some others of its partition, as often; for each partition, by one of its files.
   */
  def isIn(some: Set[String], others: Set[String]): TableListing.File => Boolean = {
    val (left, right) = (files.map(f => some(f.id.path)), files.map(f => others(f.id.path)))
    val sums = summed { (group, counts) =>
      val there = counts.collect { case (file, n) if right(file) => n }.sum
      val wanted = counts.collect { case (file, n) if left(file) => n }.sum
      Iterator(group -> Shared(wanted, math.min(wanted, there)))
    }
    val whole = distinct.indices.filter(g => sums.get(g).forall(s => s.rows == s.shared)).map(distinct).toSet
    file => whole(file.partition)
  }

  /** @param of from the group and how often a row is in each file */
  private def summed(of: (Int, Map[Int, Long]) => Iterator[(Int, Shared)]): Map[Int, Shared] =
    SparkInternals.execute(rows, statement) { plan =>
      sum(plan.execute(), columns.size, files.map(f => SparkPath.fromFileStatus(f.status).urlEncoded), groupOf, of)
    }

  private lazy val identities = table.folder.identities(files.map(_.id.path))

  // A link that somebody puts in a file's place is not followed.
  private lazy val settings = table.folder.readSettings(identities)

  private lazy val schema = {
    val footers = new FileStatisticsReader(session, settings).readListed(files.map(_.status), IndexedSeq.empty)
    FileSchemas.mergedWith(session, table, footers, files.map(_.id.path))
  }

  private lazy val columns = schema.fieldNames.toSeq.map(name => col(s"`${name.replace("`", "``")}`"))

  private def rows: DataFrame =
    ParquetRows.read(session, table, files, schema, settings)
      .select(struct(columns: _*).as("row"), input_file_name().as("file"))
}

private[repair] object SharedRows {

  /** @param shared number of the rows that are in others, too */
  final case class Shared(rows: Long, shared: Long)

  private val Seeds = (42L, -7046029254386353131L)

  /** Here, so that tasks need nothing of the driver's. */
  private def sum(
      rows: RDD[InternalRow],
      width: Int,
      names: IndexedSeq[String],
      groupOf: IndexedSeq[Int],
      of: (Int, Map[Int, Long]) => Iterator[(Int, Shared)]): Map[Int, Shared] = {
    val fileOf = names.zipWithIndex.toMap
    val counts = rows.map { row =>
      val file = fileOf(row.getUTF8String(1).toString)
      val (a, b) = hash(row, width)
      (groupOf(file), a, b) -> file
    }.aggregateByKey(Map.empty[Int, Long])(
      (counts, file) => counts.updated(file, counts.getOrElse(file, 0L) + 1),
      (left, right) => right.foldLeft(left) { case (all, (file, n)) => all.updated(file, all.getOrElse(file, 0L) + n) }
    )
    val sums = counts.flatMap { case ((group, _, _), files) => of(group, files) }
    sums.reduceByKey((a, b) => Shared(a.rows + b.rows, a.shared + b.shared)).collect().toMap
  }

  private def hash(row: InternalRow, width: Int): (Long, Long) = {
    val bytes = row.getStruct(0, width) match {
      case row: org.apache.spark.sql.catalyst.expressions.UnsafeRow => row.getBytes
      case other => throw new IllegalStateException(s"A row of ${other.getClass}")
    }
    def by(seed: Long) = XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length, seed)
    (by(Seeds._1), by(Seeds._2))
  }
}
