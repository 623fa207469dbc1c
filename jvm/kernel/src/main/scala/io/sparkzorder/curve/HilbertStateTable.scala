// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.curve

import scala.collection.mutable

/**
 * The turns of the Hilbert curve as a table, so that several levels of the grid take one lookup.
 *
 * On its way down the levels J. Skilling's transform (AIP Conference Proceedings 707, 381, 2004) only ever swaps axes
 * and inverts them: what is left to do below a level is one of few states. The table is made by taking his steps once
 * for each state and each digit (the bits of one level, the first axis most significant).
 *
 * @param levels
 *   number of levels that one lookup takes
 * @param table
 *   per state and digits, the digits of the curve position in the upper half and the next state in the lower
 * @param single
 *   the same table for one level
 */
private[curve] final class HilbertStateTable private (
    dimensions: Int,
    levels: Int,
    table: Array[Int],
    single: Array[Int]) {

  private val width = levels * dimensions
  private val mask = (1 << width) - 1
  private val singleMask = (1 << dimensions) - 1

  /**
   * @param interleaved
   *   the point's position in z-order
   * @param bits
   *   number of bits of each axis
   */
  def position(interleaved: Long, bits: Int): Long = {
    var result = 0L
    var state = 0
    var left = bits * dimensions
    while (left % width != 0) {
      left -= dimensions
      val turn = single(state << dimensions | (interleaved >>> left).toInt & singleMask)
      result = result << dimensions | (turn >>> 16)
      state = turn & 0xffff
    }
    while (left > 0) {
      left -= width
      val turn = table(state << width | (interleaved >>> left).toInt & mask)
      result = result << width | (turn >>> 16)
      state = turn & 0xffff
    }
    result
  }
}

private[curve] object HilbertStateTable {

  /** Beyond this many axes the table takes long to make and fits no cache. */
  val MaxDimensions = 4

  /** How the lower levels are to be seen: `axes(i)` inverted if `flips(i)` takes the part of axis `i`. */
  private case class State(axes: Vector[Int], flips: Vector[Int], parity: Int)

  // Made once for each number of axes, and never changed.
  private val made = Array.tabulate(MaxDimensions + 1)(n => new Lazy(n))

  private class Lazy(dimensions: Int) { lazy val turns: HilbertStateTable = build(dimensions) }

  def of(dimensions: Int): HilbertStateTable = made(dimensions).turns

  private def build(dimensions: Int): HilbertStateTable = {
    val states = mutable.ArrayBuffer(State(Vector.range(0, dimensions), Vector.fill(dimensions)(0), 0))
    val numbers = mutable.HashMap(states.head -> 0)
    val single = mutable.ArrayBuffer.empty[Int]
    var at = 0
    while (at < states.size) {
      for (digit <- 0 until 1 << dimensions) {
        val (out, next) = turn(states(at), digit, dimensions)
        val number = numbers.getOrElseUpdate(next, { states += next; states.size - 1 })
        single += out << 16 | number
      }
      at += 1
    }
    val levels = 8 / dimensions
    new HilbertStateTable(dimensions, levels, combined(single.toArray, dimensions, levels), single.toArray)
  }

  /** One level of Skilling's transform: the digit of the curve position, and how the levels below are to be seen. */
  private def turn(state: State, digit: Int, dimensions: Int): (Int, State) = {
    val bits = state.axes.zip(state.flips).map { case (axis, flip) => (digit >> (dimensions - 1 - axis) & 1) ^ flip }
    val gray = bits.scanLeft(0)(_ ^ _).tail
    val out = gray.foldLeft(0)((digits, bit) => digits << 1 | (bit ^ state.parity))
    val (axes, flips) = bits.indices.foldLeft((state.axes, state.flips)) {
      case ((a, f), i) if bits(i) == 1 => (a, f.updated(0, f(0) ^ 1))
      case ((a, f), i) => (a.updated(0, a(i)).updated(i, a(0)), f.updated(0, f(i)).updated(i, f(0)))
    }
    (out, State(axes, flips, state.parity ^ gray.last))
  }

  private def combined(single: Array[Int], dimensions: Int, levels: Int): Array[Int] = {
    val width = levels * dimensions
    Array.tabulate(single.length >> dimensions << width) { entry =>
      (levels - 1 to 0 by -1).foldLeft(entry >> width) { case (outAndState, level) =>
        val digit = entry >> (level * dimensions) & ((1 << dimensions) - 1)
        val turn = single((outAndState & 0xffff) << dimensions | digit)
        (outAndState >>> 16 << dimensions | turn >>> 16) << 16 | (turn & 0xffff)
      }
    }
  }
}
