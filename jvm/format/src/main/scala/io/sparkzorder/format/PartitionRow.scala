// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow

/**
 * The values of a table partition, as a key: 0.0 and -0.0 are two partitions, with folders of their own. Spark's rows of
 * the two are equal and have different hashes, so that a map may take them for one or not, whichever its size is.
 */
private[sparkzorder] final class PartitionRow(values: Array[Any]) extends GenericInternalRow(values) {

  private lazy val key: Seq[Any] = values.toSeq.map {
    case d: Double => java.lang.Double.doubleToLongBits(d)
    case f: Float => java.lang.Float.floatToIntBits(f)
    case bytes: Array[Byte] => bytes.toSeq
    case value => value
  }

  override def equals(other: Any): Boolean = other match {
    case row: PartitionRow => key == row.key
    case _ => false
  }

  override def hashCode: Int = key.hashCode
}
