// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.bench

import io.sparkzorder.curve.BitInterleaving

import org.openjdk.jmh.annotations._

/** Nanoseconds per point of the z-order kernel: `sbt "bench/Jmh/run BitInterleaving"`. */
class BitInterleavingBenchmark extends KernelBenchmark {

  /** Columns of a point; beyond 8 the kernel goes bit by bit. */
  @Param(Array("2", "4", "9"))
  var columns: Int = _

  private var points: Array[Array[Int]] = _
  private var next = 0

  @Setup
  def fill(): Unit = {
    val random = new scala.util.Random(42)
    points = Array.fill(1024, columns)(random.nextInt())
  }

  @Benchmark
  def interleave(): Array[Byte] = {
    next = (next + 1) & 1023
    BitInterleaving.interleave(points(next))
  }
}
