// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import org.apache.spark.sql.types.BinaryType
import org.apache.spark.unsafe.types.UTF8String

/**
 * The beginning of the key of a string, or of bytes, by which rows are ranked. A sample keeps no more of it in the driver's
 * memory. Rows are looked up by the same: a whole key is greater than its beginning, and would get a place that no sampled row
 * has.
 */
object KeyHead {

  private val MostBytes = 1024

  /** On the memory of the key. */
  def of(key: UTF8String): UTF8String =
    if (key.numBytes <= MostBytes) key
    else UTF8String.fromAddress(key.getBaseObject, key.getBaseOffset, MostBytes)

  def of(key: Array[Byte]): Array[Byte] = if (key.length <= MostBytes) key else key.take(MostBytes)

  /** The key of a value by which rows are ranked. */
  def of(keyType: KeyType, value: Any): Any = keyType.key(value) match {
    case key: UTF8String => of(key)
    case key: Array[Byte] => of(key)
    case other => other
  }

  /** Java source of it, given Java source of a non-null value. */
  def code(keyType: KeyType, value: String): String = keyType match {
    case _: StringKeyType | ValueKeyType(BinaryType) =>
      s"${getClass.getName.stripSuffix("$")}.of(${keyType.code(value)})"
    case other => other.code(value)
  }
}
