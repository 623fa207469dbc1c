// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType

/**
 * Numbers the partitions of a table, 0 .. n-1 in the order given.
 *
 * @param partitions
 *   distinct partition values of `schema`, in Spark's internal form
 * @param others
 *   the number of all other partitions; None where there must be none
 */
final class PartitionNumbers(schema: StructType, partitions: IndexedSeq[InternalRow], others: Option[Int] = None)
    extends Serializable {

  private val rows: Array[UnsafeRow] = {
    val projection = UnsafeProjection.create(schema)
    partitions.map(p => projection(p).copy()).toArray
  }

  @transient private lazy val numbers = {
    val map = new java.util.HashMap[UnsafeRow, Integer](rows.length * 2)
    rows.indices.foreach(i => map.put(rows(i), i))
    map
  }

  // A file holds rows of one partition, so a row is nearly always of the partition of the row before it. Only a guess:
  // tasks that share this object may overwrite it, and each checks it against its own row.
  @transient private var guess = 0

  def size: Int = rows.length

  /**
   * @throws ZOrderRuntimeException
   *   if no such partition was planned for, and there are to be no others: moving the row anywhere would lose it
   */
  def numberOf(row: UnsafeRow): Int = {
    val likely = guess
    if (likely < rows.length && rows(likely) == row) likely
    else {
      val number = numbers.get(row)
      if (number == null)
        others.getOrElse(throw ZOrderErrors.unplannedPartition(row.toSeq(schema).mkString(", ")))
      else {
        guess = number
        number
      }
    }
  }
}
