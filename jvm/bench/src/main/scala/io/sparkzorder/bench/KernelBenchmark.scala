// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.bench

import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

/** How all kernels are measured: nanoseconds per call, in one fresh JVM, after a warm-up. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
abstract class KernelBenchmark
