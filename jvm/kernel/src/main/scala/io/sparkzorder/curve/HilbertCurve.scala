// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.curve

/**
 * Hilbert order: neighbours on the curve are neighbours in the grid, which z-order does not promise.
 *
 * J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 381 (2004).
 */
final class HilbertCurve(dimensions: Int, bits: Int) extends Curve(dimensions, bits) {

  override def name: String = "hilbert"

  private val interleaved = new ZCurve(dimensions, bits)

  @transient private lazy val turns = HilbertStateTable.of(dimensions)

  override def position(point: Array[Long]): Long =
    if (dimensions <= HilbertStateTable.MaxDimensions) turns.position(interleaved.position(point), bits)
    else {
      transpose(point)
      interleaved.position(point)
    }

  /** Skilling's transform, in place: coordinates to the bits of the curve position, dealt to the axes in turn. */
  private def transpose(x: Array[Long]): Unit = {
    undoRotations(x)
    grayEncode(x)
  }

  private def undoRotations(x: Array[Long]): Unit = {
    var q = 1L << (bits - 1)
    while (q > 1) {
      val mask = q - 1
      var i = 0
      while (i < dimensions) {
        if ((x(i) & q) != 0) x(0) ^= mask
        else {
          val swap = (x(0) ^ x(i)) & mask
          x(0) ^= swap
          x(i) ^= swap
        }
        i += 1
      }
      q >>= 1
    }
  }

  private def grayEncode(x: Array[Long]): Unit = {
    var i = 1
    while (i < dimensions) {
      x(i) ^= x(i - 1)
      i += 1
    }
    var flip = 0L
    var q = 1L << (bits - 1)
    while (q > 1) {
      if ((x(dimensions - 1) & q) != 0) flip ^= q - 1
      q >>= 1
    }
    i = 0
    while (i < dimensions) {
      x(i) ^= flip
      i += 1
    }
  }
}
