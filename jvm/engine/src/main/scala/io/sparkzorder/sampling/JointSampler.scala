// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.sampling

import io.sparkzorder.expressions.SortKey
import io.sparkzorder.types.{KeyType, LongKeyType, StringKeyType}

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Project, Sample}
import org.apache.spark.sql.zorder.SparkInternals
import org.apache.spark.unsafe.types.UTF8String

/** Draws a [[JointSample]] in one narrow job that reads the z-order and partition columns only. */
object JointSampler {

  // Any constant: the same files give the same sample.
  private val Seed = 5489L

  // A string beyond this many bytes keeps its head: ranks stay in order, and the driver's memory bounded.
  private val MaxStringBytes = 1024

  /**
   * @param data
   *   the rows to draw from
   * @param rowCount
   *   number of these rows
   * @param size
   *   approximate number of rows to draw; all of them where there are no more
   * @param columns
   *   the z-order columns over `data`, each with its key type
   * @param section
   *   the number of the row's section, an INT over `data`
   */
  def draw(
      session: SparkSession,
      data: DataFrame,
      rowCount: Long,
      size: Int,
      columns: Seq[(Expression, KeyType)],
      section: Expression): JointSample = {
    val all = SparkInternals.plan(data)
    val drawn = if (rowCount <= size) all else Sample(0.0, size.toDouble / rowCount, withReplacement = false, Seed, all)
    val keys = columns.map { case (column, keyType) => Alias(SortKey(column, keyType), "key")() }
    val plan = Project(Alias(section, "section")() +: keys, drawn)
    val rows = SparkInternals.collect(SparkInternals.dataFrame(session, plan), "z-order: sample")
    new JointSample(
      rows.map(_.getInt(0)),
      columns.indices.map { i =>
        val keyType = columns(i)._2
        rows.map(keyOf(_, i + 1, keyType))
      })
  }

  /** The key in a column of a row, on its own memory; null for NULL. */
  private[sparkzorder] def keyOf(row: InternalRow, ordinal: Int, keyType: KeyType): Any = keyType match {
    case _ if row.isNullAt(ordinal) => null
    case _: LongKeyType => row.getLong(ordinal)
    case _: StringKeyType => head(row.getUTF8String(ordinal))
    case other => InternalRow.copyValue(row.get(ordinal, other.dataType))
  }

  private def head(string: UTF8String): Any =
    if (string.numBytes <= MaxStringBytes) string.copy()
    else UTF8String.fromBytes(string.getBytes, 0, MaxStringBytes)
}

/**
 * Rows drawn from a table, all z-order columns of a row together.
 *
 * @param sections
 *   per row, the number of its section: a table partition, or a part of one that is laid out on its own
 * @param keys
 *   per column and row, the key of the value ([[io.sparkzorder.types.KeyType]]), null for NULL
 */
final class JointSample(val sections: Array[Int], val keys: IndexedSeq[Array[Any]]) {
  require(keys.forall(_.length == sections.length))

  def rows: Int = sections.length

  /** The values of a column other than NULL. */
  def values(column: Int): Iterator[Any] = keys(column).iterator.filter(_ != null)
}
