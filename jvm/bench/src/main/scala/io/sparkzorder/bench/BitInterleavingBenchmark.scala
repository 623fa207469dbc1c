package io.sparkzorder.bench

import java.util.concurrent.TimeUnit

import io.sparkzorder.curve.BitInterleaving
import org.openjdk.jmh.annotations._

/** Nanoseconds per point of the z-order kernel: `sbt "bench/Jmh/run BitInterleaving"`. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class BitInterleavingBenchmark {

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
