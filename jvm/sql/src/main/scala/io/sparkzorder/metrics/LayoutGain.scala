// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.metrics

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.types.ArrayType

/**
 * The gain of an OPTIMIZE for one z-order column: an element of its `layout` column.
 *
 * Shares are of files, 0 to 1, for a point lookup of a value drawn from the rows; null where no value was seen. Depths
 * are in files, 1 or more.
 */
final case class LayoutGain(
    column: String,
    point_read_share_before: Option[Double],
    point_read_share_after: Option[Double],
    average_depth_before: Double,
    average_depth_after: Double)

object LayoutGain {
  val schema: ArrayType = ArrayType(Encoders.product[LayoutGain].schema, containsNull = false)
}
