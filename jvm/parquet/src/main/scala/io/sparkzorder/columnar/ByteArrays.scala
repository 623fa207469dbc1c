// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import java.util.Arrays

/** Arrays of bytes that grow. */
private[sparkzorder] object ByteArrays {

  /** Bytes that an array can hold on any JVM. */
  val Max: Long = Int.MaxValue - 16L

  private val Large = 32 << 20

  /**
   * An array that holds at least `need` bytes, with the bytes of the given one.
   *
   * @throws IllegalArgumentException
   *   for more than an array can hold
   */
  def grown(bytes: Array[Byte], need: Long): Array[Byte] =
    if (need <= bytes.length) bytes
    else {
      require(need <= Max, s"$need bytes of a column or a row do not fit into an array")
      // Large ones grow by less: while bytes are copied there are two arrays.
      val more = if (bytes.length < Large) bytes.length else bytes.length / 4
      Arrays.copyOf(bytes, math.max(need, bytes.length.toLong + more).min(Max).toInt)
    }
}
