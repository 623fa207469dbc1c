// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.bench

import java.util.concurrent.TimeUnit

import io.sparkzorder.column.{LongKeyType, StringKeyType}
import io.sparkzorder.curve.{BitInterleaving, Curve, HilbertCurve, ZCurve}
import io.sparkzorder.key.ColumnRanks

import org.apache.spark.sql.types.{LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.openjdk.jmh.annotations._

/** How all kernels are measured: nanoseconds per call, in one fresh JVM, after a warm-up. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
abstract class KernelBenchmark

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

/** Nanoseconds per value of the search for ranks, and per point of the curves: `sbt "bench/Jmh/run RankBenchmark"`. */
class RankBenchmark extends KernelBenchmark {

  private val Values = 1 << 16
  private val random = new scala.util.Random(42)
  private val skewed = Array.fill(Values)((math.pow(random.nextDouble(), 3) * 1000000).toLong)
  private val strings = skewed.map(v => UTF8String.fromString(s"C${v % 200}"))
  private val longRanks = ColumnRanks.of(LongKeyType(LongType), sample(i => (skewed(i): Any)), 31)
  private val stringRanks = ColumnRanks.of(StringKeyType(StringType, 0), sample(strings(_)), 31)
  private val zCurve = new ZCurve(2, Curve.bitsFor(2))
  private val hilbertCurve = new HilbertCurve(2, Curve.bitsFor(2))
  private val point = new Array[Long](2)
  private var next = 0

  private def sample(value: Int => Any): Array[Any] = Array.tabulate(100000)(i => value(i % Values))

  private def advance(): Int = {
    next = (next + 1) & (Values - 1)
    next
  }

  @Benchmark
  def rankOfLong(): Long = longRanks.rank(skewed(advance()))

  @Benchmark
  def rankOfString(): Long = stringRanks.rank(strings(advance()))

  @Benchmark
  def zOrder(): Long = {
    point(0) = skewed(advance()) * 2147
    point(1) = point(0) ^ 0x5a5a5a5aL
    zCurve.position(point)
  }

  @Benchmark
  def hilbert(): Long = {
    point(0) = skewed(advance()) * 2147
    point(1) = point(0) ^ 0x5a5a5a5aL
    hilbertCurve.position(point)
  }
}
