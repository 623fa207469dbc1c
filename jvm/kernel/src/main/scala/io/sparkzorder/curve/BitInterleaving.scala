// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.curve

/**
 * The bits of several ints woven into one sequence of bytes: the z-order (Morton) code of a point, as SQL functions give it.
 * OPTIMIZE and writes take [[ZCurve]], whose codes fit a long.
 *
 * The source is G. M. Morton, "A computer oriented geodetic data base and a new technique in file sequencing" (1966).
 */
object BitInterleaving {

  /** The largest number of bytes that together fill no more than one long. */
  private val MaxSpread = 8

  /** `Spread(n)(b)` is the byte `b` with `n - 1` zero bits before each of its bits. */
  private val Spread: Array[Array[Long]] =
    Array.tabulate(MaxSpread + 1, 256)((n, byte) => spreadBits(byte, n))

  private def spreadBits(byte: Int, n: Int): Long = {
    var result = 0L
    var bit = 0
    while (bit < 8) {
      result |= ((byte >>> bit) & 1).toLong << (bit * n)
      bit += 1
    }
    result
  }

  /**
   * Interleaves the bits of `values`, most significant bits first; in each group the first int's bit comes first.
   *
   * @param values
   *   `n` ints, each taken as 32 unsigned bits; not changed
   * @return
   *   a new array of `4 * n` bytes
   */
  def interleave(values: Array[Int]): Array[Byte] = {
    val n = values.length
    val result = new Array[Byte](4 * n)
    val group = new Array[Int](n)
    var level = 0
    while (level < 4) {
      val shift = 24 - 8 * level
      var i = 0
      while (i < n) {
        group(i) = (values(i) >>> shift) & 0xff
        i += 1
      }
      weave(group, n, result, level * n)
      level += 1
    }
    result
  }

  /**
   * Interleaves the bits of codes of any lengths, most significant bits first; in each group the first code's bit comes first.
   * A code that has ended takes no part in the groups that follow.
   *
   * @param codes
   *   each with its most significant byte first; not changed
   * @return
   *   a new array of as many bytes as the codes have together
   */
  def interleave(codes: Array[Array[Byte]]): Array[Byte] = {
    val result = new Array[Byte](length(codes))
    val group = new Array[Int](codes.length)
    var written = 0
    var byte = 0
    while (written < result.length) {
      var active = 0
      var i = 0
      while (i < codes.length) {
        if (byte < codes(i).length) {
          group(active) = codes(i)(byte) & 0xff
          active += 1
        }
        i += 1
      }
      weave(group, active, result, written)
      written += active
      byte += 1
    }
    result
  }

  /** Weaves the bits of `n` bytes into `n` bytes of `result`, from `at` on: at once where they fit a long, else bit by bit. */
  private def weave(bytes: Array[Int], n: Int, result: Array[Byte], at: Int): Unit =
    if (n <= MaxSpread) {
      var bits = 0L
      var i = 0
      while (i < n) {
        bits = (bits << 1) | Spread(n)(bytes(i))
        i += 1
      }
      i = n - 1
      while (i >= 0) {
        result(at + i) = bits.toByte
        bits >>>= 8
        i -= 1
      }
    } else {
      var place = 0
      while (place < 8 * n) {
        val bit = (bytes(place % n) >>> (7 - place / n)) & 1
        result(at + (place >>> 3)) = (result(at + (place >>> 3)) | (bit << (7 - (place & 7)))).toByte
        place += 1
      }
    }

  private def length(codes: Array[Array[Byte]]): Int = {
    var bytes = 0
    var i = 0
    while (i < codes.length) {
      bytes += codes(i).length
      i += 1
    }
    bytes
  }
}
