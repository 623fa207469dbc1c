// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import org.apache.spark.sql.types._

/**
 * Which numbers of files a table's type holds, where one of both types is a DECIMAL. Spark's reader of batches refuses the
 * others; its reader of rows rounds them, makes NULL of them, or takes the unscaled number for the value, and a rewrite would
 * store that.
 */
private[parquet] object DecimalsInFiles {

  /** Whether each value of the type `stored` stays itself in a column of the type `known`. */
  def areKept(known: DataType, stored: DataType): Boolean = (known, stored) match {
    case (k: DecimalType, s: DecimalType) => holds(k, s)
    case (k: DecimalType, ByteType) => holds(k, DecimalType(3, 0))
    case (k: DecimalType, ShortType) => holds(k, DecimalType(5, 0))
    case (k: DecimalType, IntegerType) => holds(k, DecimalType(10, 0))
    case (k: DecimalType, LongType) => holds(k, DecimalType(20, 0))
    case (_: DecimalType, _) | (_, _: DecimalType) => false
    case _ => true
  }

  private def holds(known: DecimalType, stored: DecimalType): Boolean =
    known.scale >= stored.scale && known.precision - known.scale >= stored.precision - stored.scale
}
