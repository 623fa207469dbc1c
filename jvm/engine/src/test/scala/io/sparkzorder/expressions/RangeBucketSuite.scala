// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.OrderableTypes
import io.sparkzorder.key.{QuantileSketch, RangeIds}

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeProjection
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{DataType, IntegerType}

class RangeBucketSuite extends SparkFunSuite with ExpressionEvalHelper {

  private val n = 7

  private def internal(dataType: DataType): Seq[Any] = OrderableTypes.internalValues(dataType, 50, seed = 5)

  /** The boundaries of `values`, added in two halves that are merged as Spark merges them. */
  private def boundaries(dataType: DataType, values: Seq[Any]): Literal = {
    val aggregate = RangeBoundaries(BoundReference(0, dataType, nullable = true), n)
    val halves = values.grouped(values.size / 2 + 1).map { half =>
      half.foldLeft(aggregate.createAggregationBuffer())((sketch, v) => aggregate.update(sketch, InternalRow(v)))
    }
    val merged = halves.foldLeft(aggregate.createAggregationBuffer()) { (all, half) =>
      aggregate.merge(all, aggregate.deserialize(aggregate.serialize(half)))
    }
    Literal.create(aggregate.eval(merged), aggregate.dataType)
  }

  for (dataType <- OrderableTypes.all)
    test(s"the range of a ${dataType.sql}, interpreted and generated alike") {
      val values = internal(dataType)
      val ordering = RowOrdering.createNaturalAscendingOrdering(Seq(dataType))
      val bucket = RangeBucket(BoundReference(0, dataType, nullable = true), boundaries(dataType, values))
      values.foreach { v =>
        val below = values.count(w => ordering.compare(InternalRow(w), InternalRow(v)) < 0)
        checkEvaluation(bucket, n * below / values.size, InternalRow(v))
      }
      checkEvaluation(bucket.copy(child = Literal.create(null, dataType)), RangeIds.OfNull)
    }

  test("one generated projection serves many rows and several buckets") {
    val types = OrderableTypes.all
    val columns = types.map(internal)
    val buckets = types.zip(columns).zipWithIndex.map { case ((dataType, values), i) =>
      RangeBucket(BoundReference(i, dataType, nullable = true), boundaries(dataType, values))
    }
    val generated = GenerateUnsafeProjection.generate(buckets)
    for (i <- columns.head.indices) {
      val row = InternalRow.fromSeq(columns.map(_(i)))
      assert(types.indices.map(generated(row).getInt) === buckets.map(_.eval(row)))
    }
  }

  test("boundaries stay small whatever the number of ranges and rows") {
    val aggregate =
      RangeBoundaries(BoundReference(0, IntegerType, nullable = true), Int.MaxValue)
    val sketch = aggregate.createAggregationBuffer()
    (0 until 300000).foreach(i => aggregate.update(sketch, InternalRow(i)))
    assert(sketch.size <= 7 * QuantileSketch.Capacity)
    val result = aggregate.eval(sketch).asInstanceOf[ArrayData]
    assert(result.numElements() < sketch.size)
  }
}
