// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

/**
 * Values of fixed width as signed longs that compare as Spark compares the values.
 *
 * Generated and interpreted code call these same methods.
 */
object OrderedBits {

  def ofBoolean(value: Boolean): Long = if (value) 1L else 0L

  /** -0.0 and 0.0 are one value, NaN is one value above infinity: the order of Spark's `SQLOrderingUtil`. */
  def ofDouble(value: Double): Long = {
    // Adding 0.0 turns -0.0 into 0.0; doubleToLongBits has one pattern for every NaN.
    val bits = java.lang.Double.doubleToLongBits(value + 0.0)
    // Negative numbers grow downwards in their magnitude bits: flip those, keep the sign.
    bits ^ ((bits >> 63) & Long.MaxValue)
  }

  /** A float widens to a double without loss, so it shares the double's order. */
  def ofFloat(value: Float): Long = ofDouble(value.toDouble)

  /** The double whose ordered bits these are. */
  def toDouble(bits: Long): Double = java.lang.Double.longBitsToDouble(bits ^ ((bits >> 63) & Long.MaxValue))
}
