// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import io.sparkzorder.types.KeyType

import org.apache.spark.sql.types.{DataType, StructType}

/**
 * A column by which a table can be z-ordered, resolved against the table's schema.
 *
 * @param dataType
 *   its type in the table
 * @param keyType
 *   how its values become keys
 */
final case class ZOrderColumn(path: ColumnPath, dataType: DataType, keyType: KeyType) {

  override def toString: String = path.toString

  /** The column as another version of the table's schema has it; None where it has none of an order. */
  def in(schema: StructType): Option[ZOrderColumn] = if (path.isIn(schema)) ZOrderColumn.of(path, schema) else None
}

object ZOrderColumn {

  /** The most columns of one z-order: with more than these each would have fewer than four bits of the index. */
  val Limit = 16

  /** @return None where Spark has no order for the column's type */
  def of(path: ColumnPath, schema: StructType): Option[ZOrderColumn] = {
    val dataType = path.dataType(schema)
    KeyType.of(dataType).map(ZOrderColumn(path, dataType, _))
  }
}
