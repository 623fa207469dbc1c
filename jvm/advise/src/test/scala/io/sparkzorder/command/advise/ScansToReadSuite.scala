// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.command.advise.workload.WeightedFilters

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, EqualTo, Literal}
import org.apache.spark.sql.types.{IntegerType, StructType}

class ScansToReadSuite extends SparkFunSuite {

  // A hundred files of one byte, each a partition with its number.
  private val files = new SimulatedFiles(Array.fill(100)(1.0), Array.range(0, 100), Array.fill(100)(1L), Map.empty)
  private val partitions = IndexedSeq.tabulate(100)(InternalRow(_))
  private val column = AttributeReference("p", IntegerType)()

  private def scansOf(weights: Seq[(Int, Double)]): ScansToRead = ScansToRead.of(
    weights.map { case (p, weight) => WeightedFilters(Seq(EqualTo(column, Literal(p))), weight) },
    new StructType().add("p", IntegerType),
    partitions)

  test("a choice of the scans has the frequent ones, and the weight of all others") {
    // The frequent one reads nothing, the others a file each.
    val scans = scansOf((-1, 900000.0) +: (0 until 999).map(i => (i % 100, 1.0)))
    for (count <- Seq(1, 2, 10, 500, 1000)) {
      val expected = if (count == 1) 1.0 else 999.0 / 900999
      if (count > 1) assert(math.abs(scans.some(count).share(files).files - expected) < 1e-9, count)
      assert(scans.some(count).size === math.min(count, scans.size))
    }
  }
}
