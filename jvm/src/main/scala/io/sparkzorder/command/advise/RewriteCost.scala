// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

/** What OPTIMIZE would cost, by the rate that was measured where files lie on a local disk (`benchmarks/results`). */
private[advise] object RewriteCost {

  /** Bytes of a table that one core reads, sorts and writes in a second. */
  val BytesPerCoreAndSecond = 15000000L

  /** @param parallelism number of tasks that run at once */
  def seconds(bytes: Long, parallelism: Int): Double = {
    val exact = bytes.toDouble / (BytesPerCoreAndSecond * math.max(1, parallelism))
    // It is rough: two digits.
    BigDecimal(exact).round(new java.math.MathContext(2)).toDouble
  }
}
