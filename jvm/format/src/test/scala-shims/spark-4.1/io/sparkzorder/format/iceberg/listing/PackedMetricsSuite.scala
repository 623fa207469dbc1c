// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import java.lang.{Long => JLong}
import java.nio.ByteBuffer
import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.iceberg.{DataFile => TableFile, DataFiles, Metrics, PartitionSpec}
import org.scalatest.funsuite.AnyFunSuite

class PackedMetricsSuite extends AnyFunSuite {

  private def file(metrics: Metrics): TableFile =
    DataFiles.builder(
      PartitionSpec.unpartitioned).withPath("f.parquet").withFileSizeInBytes(9).withMetrics(metrics).build()

  private def chosen[T](random: Random, ids: Seq[Int])(value: => T): JMap[Integer, T] =
    ids.filter(_ => random.nextBoolean()).map(id => Int.box(id) -> value).toMap.asJava

  private def metrics(random: Random): Metrics = {
    val ids = Seq.fill(random.nextInt(30))(random.nextInt(1 << random.nextInt(31))).distinct ++ Seq(0, Int.MaxValue)
    def counts = chosen[JLong](random, ids)(random.nextLong() >>> random.nextInt(64))
    def bounds = chosen(random, ids) {
      // As Avro's reader may give them: a part of a larger one.
      val bytes = random.nextBytes(random.nextInt(200) + 2)
      ByteBuffer.wrap(bytes, 1, bytes.length - 2).slice()
    }
    new Metrics(7L, null, counts, counts, counts, bounds, bounds)
  }

  private def parts(of: Metrics): Seq[Map[Integer, Any]] =
    Seq(of.valueCounts, of.nullValueCounts, of.nanValueCounts, of.lowerBounds, of.upperBounds)
      .map(map => Option(map).fold(Map.empty[Integer, Any])(_.asScala.toMap))

  test("what comes out is what went in") {
    val random = new Random(1)
    for (_ <- 1 to 2000) {
      val all = metrics(random)
      val packed = PackedMetrics.of(file(all))
      assert(parts(packed.of(_ => true)) === parts(all))
      val some = parts(all).flatMap(_.keys).filter(_ => random.nextInt(4) == 0).map(_.intValue).toSet
      assert(parts(packed.of(some)) === parts(all).map(_.filter { case (id, _) => some(id) }))
    }
  }

  test("files without metrics, and with none of a kind") {
    assert(parts(PackedMetrics.of(file(new Metrics(3L))).of(_ => true)).forall(_.isEmpty))
    val nulls = new Metrics(3L, null, null, Map(Int.box(1) -> Long.box(3)).asJava, null)
    assert(parts(PackedMetrics.of(file(nulls)).of(_ => true)) === Seq(Map(), Map(1 -> 3L), Map(), Map(), Map()))
  }
}
