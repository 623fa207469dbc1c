// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout

/**
 * The plan of a rewrite, as data: nothing has been moved yet, and printing it shows all of it.
 *
 * @param columns
 *   the z-order columns as users write them
 * @param curve
 *   name of the curve
 * @param bits
 *   number of bits of the curve position for each column
 * @param sampledRows
 *   number of rows from which ranks and cuts were derived
 * @param targetFileBytes
 *   the size of a file to aim at; where partitions have different ones, the greatest
 * @param sections
 *   the layouts of the sections, in the order of their numbers
 */
final case class LayoutPlan(
    columns: Seq[String],
    curve: String,
    bits: Int,
    sampledRows: Long,
    targetFileBytes: Long,
    sections: IndexedSeq[SectionLayout]) {

  def files: Int = sections.map(_.files).sum

  def rows: Long = sections.map(_.rows).sum

  def bytes: Long = sections.map(_.bytes).sum

  override def toString: String = {
    val head = s"$curve (${columns.mkString(", ")}), $bits bits a column, $sampledRows rows sampled, " +
      s"$rows rows and $bytes bytes to $files files of about $targetFileBytes bytes"
    val lines = sections.map { p =>
      val name = if (p.name.isEmpty) "the table" else p.name
      s"  $name: ${p.rows} rows, ${p.bytes} bytes -> ${p.files} files"
    }
    (head +: lines).mkString("\n")
  }
}

/**
 * The planned layout of one section: a table partition, or a part of one.
 *
 * @param partition
 *   the number of the table partition
 * @param name
 *   the partition as in a path, `day=2024-01-01`; empty for a table without partitions
 * @param rows
 *   number of live rows that are moved
 * @param bytes
 *   number of compressed bytes that hold them now
 * @param ranges
 *   ranges of curve positions, ascending, the first from 0
 */
final case class SectionLayout(
    partition: Int,
    name: String,
    rows: Long,
    bytes: Long,
    ranges: IndexedSeq[CurveRange]) {
  def files: Int = ranges.map(_.files).sum
}

/**
 * A range of curve positions, from `start` to the start of the next range, and the number of files that hold its rows.
 *
 * More than one file only where `start` is one curve position that holds more rows than a file: they are spread by a
 * hash of the row.
 */
final case class CurveRange(start: Long, files: Int) {
  require(files >= 1)
}
