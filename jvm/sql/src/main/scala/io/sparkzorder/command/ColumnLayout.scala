// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.format.{DataFile, ReadableTable, StatisticsRemedy, StoredValues, TableSnapshot}
import io.sparkzorder.layout.measure.{FileRanges, LayoutRating, ReadShare}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.internal.SQLConf

/**
 * How well a column separates the files of a table.
 *
 * @param files
 *   the files looked at
 * @param read
 *   what point lookups read; None without a value
 * @param axes
 *   number of columns that share the layout with it, itself among them
 * @param remedy
 *   how to get statistics of the column
 */
private[command] final class ColumnLayout(
    val column: ZOrderColumn,
    files: IndexedSeq[DataFile],
    val ranges: FileRanges,
    val read: Option[ReadShare],
    axes: Int,
    remedy: => StatisticsRemedy,
    conf: SQLConf) {

  private val statistics = files.map(_.statistics(column.path))

  def bytes: Long = files.map(_.bytes).sum

  /** Rows, as a boxed long; null where it is not known of a file. */
  def rows: Any = ColumnLayout.sum(files.map(_.rows))

  /** Rows without a value, as [[rows]]. */
  def nullCount: Any = ColumnLayout.sum(statistics.map(_.nullCount))

  /** The least bound of a file, as text; null where there is none. */
  def min: String = extreme(statistics.map(_.min), _.min(_))

  /** The greatest bound of a file, as [[min]]. */
  def max: String = extreme(statistics.map(_.max), _.max(_))

  /**
   * What the layout is worth.
   *
   * @param inFull
   *   whether the remedy for missing statistics is said in full
   */
  def rating(inFull: Boolean): LayoutRating = {
    val isConstant = ranges.bounds.exists { case (low, high) => column.keyType.ordering.equiv(low, high) }
    def how = if (inFull) s"every file is read: ${remedy.full}." else remedy.short
    LayoutRating.of(ranges.files, ranges.unknown, isConstant, read, axes, how)
  }

  private def extreme(bounds: IndexedSeq[Any], pick: (IndexedSeq[Any], Ordering[Any]) => Any): String = {
    val values = bounds.filter(_ != null)
    val byKey = Ordering.by((v: Any) => column.keyType.key(v))(column.keyType.ordering)
    if (values.isEmpty) null else ValueText.of(pick(values, byKey), column.dataType, conf)
  }
}

private[command] object ColumnLayout {

  /**
   * The columns of a table as its files are now.
   *
   * Everything comes from the statistics used for data skipping. Only the share that a point lookup reads also needs to
   * know how often each value is looked up: that is drawn from the rows, by one job that reads the columns alone.
   *
   * @param asked
   *   the columns; none for all that have statistics and an order
   * @param allRows
   *   whether to look up the value of every row
   */
  def of(
      session: SparkSession,
      table: ReadableTable,
      asked: Seq[ZOrderColumn],
      predicate: Option[Expression],
      allRows: Boolean): IndexedSeq[ColumnLayout] = {
    val reading = StoredValues.session(session, table)
    reading.withActive(ofStored(reading, table, asked, predicate, allRows))
  }

  private def ofStored(
      session: SparkSession,
      table: ReadableTable,
      asked: Seq[ZOrderColumn],
      predicate: Option[Expression],
      allRows: Boolean): IndexedSeq[ColumnLayout] = {
    val conf = session.sessionState.conf
    val snapshot = table.snapshot(session)
    val files = snapshot.files(predicate)
    val described = columns(asked, snapshot).toIndexedSeq
    val ranges = described.map(DataFile.ranges(files, _))
    val sample =
      if (allRows) LookupSample.all(files) else LookupSample.of(files, ZOrderConf.describeRowLimit(conf))
    val shares = sample.shares(session, snapshot, described.zip(ranges))
    val sharing = new LayoutSharing(files.flatMap(_.clustering).map(_.columns), asked.size)
    described.indices.map { i =>
      def remedy = snapshot.statisticsRemedy(described(i).path)
      val axes = sharing.by(snapshot.storedNames(described(i).path))
      new ColumnLayout(described(i), files, ranges(i), shares(i), axes, remedy, conf)
    }
  }

  /** The columns asked for; without any, all that have statistics and an order. */
  def columns(asked: Seq[ZOrderColumn], snapshot: TableSnapshot): Seq[ZOrderColumn] =
    if (asked.nonEmpty) asked.map(c => c.in(snapshot.schema).getOrElse(c))
    else snapshot.columnsWithStatistics.flatMap(ZOrderColumn.of(_, snapshot.schema))

  /** The sum as a boxed long; null if a part is not known. */
  private def sum(parts: Seq[Option[Long]]): Any = if (parts.forall(_.isDefined)) parts.flatten.sum else null
}

/**
 * By how many columns files are laid out, which decides what a layout can be worth for one of them.
 *
 * @param clusterings
 *   of each file that records its layout the columns, by the names under which files store them
 * @param asked
 *   number of columns that the statement names; 0 where it names none
 */
private[command] final class LayoutSharing(clusterings: Seq[Seq[Seq[String]]], asked: Int) {

  private val files: Map[Seq[Seq[String]], Int] = clusterings.groupMapReduce(identity)(_ => 1)(_ + _)

  /**
   * Number of columns that most files clustered by this column share, whatever else a statement names; else the number
   * asked; else that of most clustered files; else 1.
   *
   * @param column
   *   its names in files
   */
  def by(column: Seq[String]): Int = {
    val byIt = files.filter { case (columns, _) => columns.contains(column) }
    if (byIt.nonEmpty) most(byIt) else if (asked > 0) asked else if (files.nonEmpty) most(files) else 1
  }

  /** The number of columns of most files; of the larger number, where as many have another. */
  private def most(of: Map[Seq[Seq[String]], Int]): Int =
    of.toSeq.groupMapReduce(_._1.size)(_._2)(_ + _).maxBy { case (columns, count) => (count, columns) }._1
}
