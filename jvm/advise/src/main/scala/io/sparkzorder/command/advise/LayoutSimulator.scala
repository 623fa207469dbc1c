// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.{ColumnStatistics, KeyType, ZOrderColumn}
import io.sparkzorder.command.optimize.select.RewriteGroup
import io.sparkzorder.curve.Curve
import io.sparkzorder.format.DataFile
import io.sparkzorder.sampling.{JointSample, PlannedLayout}
import io.sparkzorder.skipping.predicate.FilesWithStatistics

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * Lays the rows of a sample out as OPTIMIZE would, by the planner that it uses, and foresees the statistics of the
 * files would be.
 *
 * @param groups
 *   what OPTIMIZE would rewrite, one element for each table partition, in the order of their numbers
 * @param recordedBounds
 *   the bounds that the table's format records of a file whose values reach from one to the other
 */
private[advise] final class LayoutSimulator(
    sample: TableSample,
    groups: IndexedSeq[RewriteGroup],
    recordedBounds: (Any, Any, DataType) => (Any, Any)) {

  private val numberType = KeyType.of(LongType).get

  /**
   * @param columns
   *   numbers of the sample's columns, in the order of ZORDER BY
   * @param targetFileBytes
   *   of the files of a partition, the size to aim at
   */
  def files(columns: Seq[Int], curve: String, targetFileBytes: RewriteGroup => Long): SimulatedFiles = {
    val chosen = columns.map(sample.columns(_)).toIndexedSeq
    val planned = PlannedLayout.plan(
      chosen.map(c => ZOrderColumn(c.column.path, LongType, numberType)),
      Curve.of(curve, columns.size),
      new JointSample(sample.sections, chosen.map(_.keys)),
      groups.map(g => g.toPlan(targetFileBytes(g)))
    )
    val sections = planned.plan.sections
    val sectionOf = sections.indices.flatMap(s => Iterator.fill(sections(s).files)(s)).toArray
    val fileOf = planned.fileOfRow
    val rows = new Array[Int](sectionOf.length)
    fileOf.foreach(f => rows(f) += 1)
    val sampled = sectionOf.indices.groupMapReduce(sectionOf(_))(rows(_))(_ + _)
    val bytes = Array.tabulate(rows.length) { file =>
      val section = sections(sectionOf(file))
      // Of a section without a sampled row nothing but its size is known.
      if (sampled(sectionOf(file)) == 0) section.bytes.toDouble / section.files
      else section.bytes.toDouble * rows(file) / sampled(sectionOf(file))
    }
    new SimulatedFiles(
      bytes,
      sectionOf.map(sections(_).partition),
      rows.map(r => math.max(r, 1).toLong),
      sample.columns.map { c =>
        c.column.path.parts -> ((c.column.dataType, ColumnStatistics.ofFiles(statistics(c, fileOf, rows))))
      }.toMap
    )
  }

  /** Per file, the statistics of a column. */
  private def statistics(column: SampledColumn, fileOf: Array[Int], rows: Array[Int]): IndexedSeq[ColumnStatistics] = {
    val (low, high) = (Array.fill(rows.length)(Int.MaxValue), Array.fill(rows.length)(-1))
    val nulls = new Array[Int](rows.length)
    for (row <- fileOf.indices) {
      val (file, number) = (fileOf(row), column.numbers(row))
      if (number < 0) nulls(file) += 1
      else {
        if (number < low(file)) low(file) = number
        if (number > high(file)) high(file) = number
      }
    }
    rows.indices.map { file =>
      val seen = rows(file) - nulls(file)
      if (rows(file) == 0 || (seen == 1 && sample.share < 1)) ColumnStatistics.unknown
      else if (seen == 0) ColumnStatistics(null, null, Some(nulls(file).toLong))
      else bounds(column, low(file), high(file), seen).copy(nullCount = Some(nulls(file).toLong))
    }
  }

  /**
   * The bounds of a file of which `seen` rows were sampled, with the numbers of the least and the greatest value.
   *
   * Those of the file itself lie outside: of n values drawn evenly, the least and the greatest are, on average, as far
   * from the ends as they are from their neighbours. So the bounds move out by that gap, counted in rows of the sample,
   * so that it follows the distribution of the column.
   */
  private def bounds(column: SampledColumn, low: Int, high: Int, seen: Int): ColumnStatistics = {
    // From the middle of equal values: a file that holds some of many of them hardly reaches the next value.
    val (from, to) = (column.middle(low), column.middle(high))
    val gap = if (seen < 2) 0 else math.round((to - from).toDouble / (seen - 1) * (1 - sample.share)).toInt
    val (lowest, highest) = (math.max(0, from - gap), math.min(column.size - 1, to + gap))
    val (min, max) = recordedBounds(column.at(lowest), column.at(highest), column.column.dataType)
    ColumnStatistics(min, max, None)
  }
}

/**
 * Files, real or simulated, as a reader that is about to skip some of them sees them.
 *
 * @param bytes
 *   per file, its size
 * @param partitions
 *   per file, the number of its table partition
 * @param rowCounts
 *   per file, rows that its statistics are about; 1 where nothing is known of them
 */
private[advise] final class SimulatedFiles(
    val bytes: Array[Double],
    val partitions: Array[Int],
    rowCounts: Array[Long],
    columns: Map[Seq[String], (DataType, ColumnStatistics.OfFiles)])
    extends FilesWithStatistics {

  override def size: Int = bytes.length

  override def rows(file: Int): Long = rowCounts(file)

  override def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles] =
    columns.get(path).collect { case (own, known) if own == dataType => known }
}

private[advise] object SimulatedFiles {

  /** The files of a table as they are, by the statistics by which queries skip them. */
  def real(
      files: IndexedSeq[DataFile],
      partitions: IndexedSeq[InternalRow],
      columns: Seq[ZOrderColumn]): SimulatedFiles = {
    val numbers = partitions.zipWithIndex.toMap
    new SimulatedFiles(
      files.map(_.bytes.toDouble).toArray,
      files.map(f => numbers(f.partition)).toArray,
      // Deleted rows count in statistics. Where rows are not known, no number of NULLs may be that of all rows.
      files.map(f => f.rows.fold(Long.MaxValue)(_ + f.deletedRows)).toArray,
      columns.map { c =>
        c.path.parts -> ((c.dataType, ColumnStatistics.ofFiles(files.map(_.readerStatistics(c.path, c.dataType)))))
      }.toMap
    )
  }
}
