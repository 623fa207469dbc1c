// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.optimize.select.FileSelection
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.format.{DataFile, TableSnapshot}
import io.sparkzorder.sampling.KeyedRows

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, Substring}
import org.apache.spark.sql.types.{BinaryType, StringType}

/** Draws the rows from which advice is given, in one job that reads the columns in question only. */
private[advise] object TableSampler {

  /** The most values on the driver, of all columns together: some hundred megabytes where they are strings. */
  private val MostValues = 2000000

  // Longer strings and bytes keep their beginnings: they stay in order, but for some collations, and the driver's
  // memory bounded.
  private val MostCharacters = Literal(256)

  def draw(
      session: SparkSession,
      snapshot: TableSnapshot,
      files: IndexedSeq[DataFile],
      columns: IndexedSeq[ZOrderColumn],
      partitions: IndexedSeq[InternalRow]): TableSample = {
    val rows = new KeyedRows(session, snapshot.read(files), snapshot.partitionSchema, columns, partitions)
    val count = FileSelection.recordedRows(files).getOrElse(rows.data.count())
    val size = math.min(ZOrderConf.sampleSize(session.sessionState.conf), math.max(1, MostValues / columns.size))
    val share = KeyedRows.shareOf(size, count)
    val sampled = rows.draw(share, rows.partition, rows.columnsInRow.map(beginning), "z-order: sample for advice")
    new TableSample(
      sampled.map(_.getInt(0)),
      columns.indices.map(i => new SampledColumn(columns(i), sampled.map(valueOf(_, i + 1, columns(i))))),
      share)
  }

  private def beginning(column: Expression): Expression = column.dataType match {
    case _: StringType | BinaryType => Substring(column, Literal(1), MostCharacters)
    case _ => column
  }

  private def valueOf(row: InternalRow, ordinal: Int, column: ZOrderColumn): Any =
    if (row.isNullAt(ordinal)) null else InternalRow.copyValue(row.get(ordinal, column.dataType))
}

/**
 * Rows drawn from a table, with the values of all columns that a layout or a filter may name.
 *
 * @param sections
 *   per row, the number of its table partition
 * @param share
 *   the share of the table's rows that are in the sample, at most 1
 */
private[advise] final class TableSample(
    val sections: Array[Int],
    val columns: IndexedSeq[SampledColumn],
    val share: Double) {
  require(columns.forall(_.values.length == sections.length))

  def rows: Int = sections.length

  /** Every n-th row, so that as many rows remain as asked; all of them where there are no more. */
  def thinned(size: Int): TableSample =
    if (size >= rows) this
    else {
      val kept = Array.tabulate(size)(i => (i.toLong * rows / size).toInt)
      new TableSample(
        kept.map(sections),
        columns.map(c => new SampledColumn(c.column, kept.map(c.values))),
        share * size / rows)
    }
}

/**
 * A column of the sampled rows, sorted.
 *
 * @param values
 *   per row, the value in Spark's internal form, null for NULL
 */
private[advise] final class SampledColumn(val column: ZOrderColumn, val values: Array[Any]) {

  private val sortedRows: Array[(Any, Int)] = {
    val pairs = values.indices.iterator.filter(values(_) != null).map(r => (column.keyType.key(values(r)), r)).toArray
    java.util.Arrays.sort(
      pairs.asInstanceOf[Array[AnyRef]],
      (a: AnyRef, b: AnyRef) =>
        column.keyType.compare(a.asInstanceOf[(Any, Int)]._1, b.asInstanceOf[(Any, Int)]._1))
    pairs
  }

  private def isNew(i: Int): Boolean =
    i == 0 || column.keyType.compare(sortedRows(i - 1)._1, sortedRows(i)._1) != 0

  /** Per distinct value, ascending, the place of its first row among the sorted rows; last, the number of these. */
  private val starts: Array[Int] = sortedRows.indices.filter(isNew).toArray :+ sortedRows.length

  /** Per row, the number of its value among the distinct ones, ascending; -1 for NULL. */
  val numbers: Array[Int] = {
    val of = Array.fill(values.length)(-1)
    for (v <- 0 until distinct; i <- starts(v) until starts(v + 1)) of(sortedRows(i)._2) = v
    of
  }

  /** The numbers as keys for the planner: it looks at the order of keys only, and longs are compared fastest. */
  lazy val keys: Array[Any] = numbers.map(n => if (n < 0) null else n.toLong: Any)

  /** Number of rows that have a value. */
  def size: Int = sortedRows.length

  def distinct: Int = starts.length - 1

  /** The place, among the sorted rows, of the middle one of those with a value. */
  def middle(number: Int): Int = (starts(number) + starts(number + 1) - 1) / 2

  /** The value of the row at a place among the sorted rows. */
  def at(place: Int): Any = values(sortedRows(place)._2)
}
