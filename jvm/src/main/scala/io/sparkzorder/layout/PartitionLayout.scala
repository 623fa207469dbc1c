package io.sparkzorder.layout

/**
 * How one table partition, or one section of it, will be laid out.
 *
 * @param partition
 *   the number of the table partition
 * @param name
 *   as in a path, `day=2024-01-01`; empty for a table without partitions
 * @param rows
 *   live rows that are moved
 * @param bytes
 *   compressed bytes that hold them now
 * @param stretches
 *   ascending, the first from 0
 */
final case class PartitionLayout(
    partition: Int,
    name: String,
    rows: Long,
    bytes: Long,
    stretches: IndexedSeq[Stretch]) {
  def files: Int = stretches.map(_.files).sum
}
