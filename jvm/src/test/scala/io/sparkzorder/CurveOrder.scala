// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import io.sparkzorder.curve.CurveGrids

import org.apache.spark.sql.{Column, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.functions.col

/**
 * Computes from the rows of a small table, by the reference model and in the plainest way, where on the z-curve each
 * row lies. With no more rows than the sample holds, the sample is the table, and so these are the places OPTIMIZE
 * used.
 */
object CurveOrder {

  /** A file's rows in their order: their curve positions. */
  final case class FilePlaces(path: String, places: Seq[BigInt])

  /**
   * @param paths
   *   the Parquet files that one OPTIMIZE wrote of one table partition
   * @param columns
   *   over the files' own columns
   */
  def of(session: SparkSession, paths: Seq[String], columns: Seq[Column]): Seq[FilePlaces] = {
    val located = session.read
      .parquet(paths: _*)
      .select(Seq(col("_metadata.file_path"), col("_metadata.row_index")) ++
        columns.zipWithIndex.map { case (c, i) => c.as(s"c$i") }: _*)
    val rows = located.queryExecution.toRdd.map(_.copy()).collect()
    val types = located.schema.fields.drop(2).map(_.dataType)
    val ranks = types.indices.map { i =>
      val values = rows.map(r => InternalRow(if (r.isNullAt(i + 2)) null else r.get(i + 2, types(i))))
      scaled(values, RowOrdering.createNaturalAscendingOrdering(Seq(types(i))), 63 / types.length)
    }
    val places = rows.indices.map { r =>
      // Between two sampled values a single column's places tie, so its files are sorted by the column itself: the same
      // order where every value is sampled.
      BigInt(CurveGrids.interleaved(ranks.map(_(r)).toArray, 63 / types.length))
    }
    rows.indices
      .groupBy(rows(_).getString(0))
      .map { case (path, own) =>
        FilePlaces(path, own.sortBy(rows(_).getLong(1)).map(places))
      }
      .toSeq
  }

  /** The share of the rows below each value, scaled to `bits`; NULL is 0, and nothing else is where there is a NULL. */
  private def scaled(values: Array[InternalRow], ordering: Ordering[InternalRow], bits: Int): Array[Long] = {
    val sorted = values.indices.sortWith((a, b) => ordering.lt(values(a), values(b)))
    val lowest = if (values.exists(_.isNullAt(0))) 1L else 0L
    val ranks = new Array[Long](values.length)
    var below = 0
    sorted.indices.foreach { i =>
      if (i > 0 && !ordering.equiv(values(sorted(i - 1)), values(sorted(i)))) below = i
      val share = ((BigInt(below) << bits) / values.length).min((BigInt(1) << bits) - 1).toLong
      ranks(sorted(i)) = if (values(sorted(i)).isNullAt(0)) 0L else math.max(lowest, share)
    }
    ranks
  }

  /** Why the files are not a partition's curve, cut into files; None if they are. */
  def fault(files: Seq[FilePlaces]): Option[String] = {
    val unsorted = files.find(f => f.places.zip(f.places.drop(1)).exists { case (a, b) => a > b })
    val ordered = files.sortBy(f => (f.places.head, f.places.last))
    val meeting = ordered.zip(ordered.drop(1)).find { case (a, b) => a.places.last > b.places.head }
    unsorted.map(f => s"rows of ${f.path} are out of order").orElse(meeting.map { case (a, b) =>
      s"${a.path} and ${b.path} overlap on the curve"
    })
  }
}
