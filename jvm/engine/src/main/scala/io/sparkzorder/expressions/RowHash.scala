// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Murmur3Hash}
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType, VariantType}

/** A hash of everything in a row that can be hashed: the same in every attempt of a task. */
object RowHash {

  def of(output: Seq[Attribute]): Expression = Murmur3Hash(output.filterNot(a => hasUnhashable(a.dataType)), seed = 42)

  private def hasUnhashable(dataType: DataType): Boolean = dataType match {
    case _: MapType | _: VariantType => true
    case array: ArrayType => hasUnhashable(array.elementType)
    case struct: StructType => struct.exists(f => hasUnhashable(f.dataType))
    case _ => false
  }
}
