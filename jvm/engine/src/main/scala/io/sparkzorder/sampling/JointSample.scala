// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.sampling

import io.sparkzorder.column.{KeyHead, KeyType, LongKeyType, StringKeyType}

import org.apache.spark.sql.catalyst.InternalRow

/**
 * Rows drawn from a table, all z-order columns of a row together.
 *
 * @param sections
 *   per row, the number of its section: a table partition, or a part of one that is laid out on its own
 * @param keys
 *   per column and row, the key of the value ([[io.sparkzorder.column.KeyType]]), null for NULL
 */
final class JointSample(val sections: Array[Int], val keys: IndexedSeq[Array[Any]]) {
  require(keys.forall(_.length == sections.length))

  def rows: Int = sections.length

  /** The values of a column other than NULL. */
  def values(column: Int): Iterator[Any] = keys(column).iterator.filter(_ != null)
}

private[sparkzorder] object JointSample {

  /** The key in a column of a row, on its own memory; null for NULL. */
  def keyOf(row: InternalRow, ordinal: Int, keyType: KeyType): Any = keyType match {
    case _ if row.isNullAt(ordinal) => null
    case _: LongKeyType => row.getLong(ordinal)
    case _: StringKeyType => KeyHead.of(row.getUTF8String(ordinal)).copy()
    case other => InternalRow.copyValue(row.get(ordinal, other.dataType))
  }
}
