// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.KeyType
import io.sparkzorder.key.{QuantileSketch, RangeIds}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.{ArrayType, DataType, IntegerType, StructType}

/**
 * The aggregate of [[RangePartitionId]]: where the ranges begin when `child` is cut into `n` even ones.
 *
 * The result is an ARRAY<STRUCT<start, id>> as [[RangeIds]] reads it, `start` being a key of the child's [[KeyType]]
 * and not a value. It has fewer than `n` elements and never more than the sketch has keys, so that neither a huge `n`
 * nor a frequent value needs memory.
 */
case class RangeBoundaries(
    child: Expression,
    n: Int,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0)
    extends TypedImperativeAggregate[QuantileSketch]
    with UnaryLike[Expression] {

  @transient private lazy val keyType = RangeBoundaries.keyType(child.dataType)

  override def prettyName: String = "range_boundaries"

  override def dataType: DataType = RangeBoundaries.resultType(keyType)

  override def nullable: Boolean = false

  override def createAggregationBuffer(): QuantileSketch = new QuantileSketch(keyType)

  override def update(sketch: QuantileSketch, input: InternalRow): QuantileSketch = {
    val value = child.eval(input)
    if (value == null) sketch.addNull()
    // A copy: the value may lie in a row whose memory the next row reuses.
    else sketch.add(InternalRow.copyValue(keyType.key(value)))
    sketch
  }

  override def merge(sketch: QuantileSketch, other: QuantileSketch): QuantileSketch = {
    sketch.merge(other)
    sketch
  }

  override def eval(sketch: QuantileSketch): Any = {
    val starts = RangeIds.starts(sketch.weightedKeys, sketch.nulls, n)
    new GenericArrayData(starts.map { case (start, id) => InternalRow(start, id) })
  }

  override def serialize(sketch: QuantileSketch): Array[Byte] = sketch.toBytes

  override def deserialize(bytes: Array[Byte]): QuantileSketch = QuantileSketch.fromBytes(keyType, bytes)

  override def withNewMutableAggBufferOffset(offset: Int): RangeBoundaries = copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): RangeBoundaries = copy(inputAggBufferOffset = offset)

  override protected def withNewChildInternal(newChild: Expression): RangeBoundaries = copy(child = newChild)
}

object RangeBoundaries {

  private[expressions] def keyType(dataType: DataType): KeyType =
    KeyType.of(dataType).getOrElse(throw new IllegalArgumentException(s"no order: ${dataType.sql}"))

  private def resultType(keyType: KeyType): DataType =
    ArrayType(
      new StructType().add("start", keyType.storedType, nullable = false).add("id", IntegerType, nullable = false),
      containsNull = false)
}
