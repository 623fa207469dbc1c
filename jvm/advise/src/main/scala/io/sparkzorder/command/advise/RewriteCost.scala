// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

/**
 * What OPTIMIZE takes, about: a fixed part, one that grows with rows and bytes, and one for each partition, fitted to the
 * processor time of runs on local disks (docs/advice.md has the runs).
 */
private[advise] object RewriteCost {

  /** Seconds to plan, to start jobs and to commit, however small the table. */
  private val Fixed = 5.0

  // Processor seconds: to read, move, sort and encode a row, to compress a byte, and to begin and end a file.
  private val OfRow = 2.0e-6
  private val OfByte = 1.0 / 60e6
  private val OfPartition = 0.05

  /** @param parallelism number of tasks that run at once */
  def seconds(rows: Double, bytes: Long, partitions: Int, parallelism: Int): Double = {
    val processor = rows * OfRow + bytes * OfByte + partitions * OfPartition
    // It is rough: two digits.
    BigDecimal(Fixed + processor / math.max(1, parallelism)).round(new java.math.MathContext(2)).toDouble
  }
}
