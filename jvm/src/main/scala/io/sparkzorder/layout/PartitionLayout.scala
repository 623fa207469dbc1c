package io.sparkzorder.layout

/**
 * How one table partition will be laid out.
 *
 * @param name
 *   as in a path, `day=2024-01-01`; empty for a table without partitions
 * @param rows
 *   live rows that are moved
 * @param bytes
 *   compressed bytes that hold them now
 * @param stretches
 *   ascending, the first from 0
 */
final case class PartitionLayout(name: String, rows: Long, bytes: Long, stretches: IndexedSeq[Stretch]) {
  def files: Int = stretches.map(_.files).sum
}
