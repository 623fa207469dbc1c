package io.sparkzorder.sampling

/**
 * Rows drawn from a table, all z-order columns of a row together.
 *
 * @param partitions
 *   per row, the number of its table partition
 * @param keys
 *   per column and row, the key of the value ([[io.sparkzorder.key.KeyType]]), null for NULL
 */
final class JointSample(val partitions: Array[Int], val keys: IndexedSeq[Array[Any]]) {
  require(keys.forall(_.length == partitions.length))

  def rows: Int = partitions.length

  /** The values of a column other than NULL. */
  def values(column: Int): Iterator[Any] = keys(column).iterator.filter(_ != null)
}
