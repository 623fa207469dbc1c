// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.curve

/**
 * Z-order (Morton order): the bits of the coordinates in turn; the first axis owns the most significant bit.
 *
 * G. M. Morton, "A computer oriented geodetic data base", IBM 1966.
 */
final class ZCurve(dimensions: Int, bits: Int) extends Curve(dimensions, bits) {

  override def name: String = "zorder"

  // A byte with `dimensions - 1` zeros put after each of its bits: eight bits of a curve position take one lookup.
  private val spread: Array[Long] = Array.tabulate(256) { byte =>
    (0 until 8).filter(bit => (byte >> bit & 1) == 1 && bit * dimensions < 64).map(bit => 1L << bit * dimensions).sum
  }

  override def position(point: Array[Long]): Long = {
    var result = 0L
    var axis = 0
    while (axis < dimensions) {
      result |= spreadBits(point(axis)) << (dimensions - 1 - axis)
      axis += 1
    }
    result
  }

  private def spreadBits(coordinate: Long): Long = {
    var result = 0L
    var low = 0
    while (low < bits) {
      result |= spread((coordinate >>> low).toInt & 0xff) << (low * dimensions)
      low += 8
    }
    result
  }
}
