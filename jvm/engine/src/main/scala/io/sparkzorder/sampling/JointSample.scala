// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.sampling

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
