// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.OrderableTypes
import io.sparkzorder.errors.ZOrderRuntimeException

import org.apache.commons.lang3.SerializationUtils

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, ExpressionEvalHelper, UnsafeProjection}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class PartitionOrdinalSuite extends SparkFunSuite with ExpressionEvalHelper {

  private val schema = new StructType().add("day", DateType).add("country", StringType)

  private val partitions =
    IndexedSeq[(Any, Any)]((19000, "CH"), (19000, "DE"), (null, "CH"), (19000, null), (null, null))
      .map { case (day, country) =>
        InternalRow(day, if (country == null) null else UTF8String.fromString(country.toString))
      }

  private val numbers = new PartitionNumbers(schema, partitions)

  private val ordinal = PartitionOrdinal(
    schema.fields.toSeq.zipWithIndex.map { case (f, i) => BoundReference(i, f.dataType, nullable = true) },
    numbers)

  test("the number of each partition, interpreted and generated alike, NULL a value like any other") {
    partitions.zipWithIndex.foreach { case (row, number) => checkEvaluation(ordinal, number, row) }
    assert(!ordinal.nullable && ordinal.dataType === IntegerType)
  }

  test("partition columns of every type that Spark can order") {
    for (dataType <- OrderableTypes.all) {
      val schema = new StructType().add("p", dataType)
      val projection = UnsafeProjection.create(schema)
      val values =
        OrderableTypes.internalValues(dataType, 30, seed = 51).distinctBy(v => projection(InternalRow(v)).copy())
      val numbers = new PartitionNumbers(schema, values.map(InternalRow(_)).toIndexedSeq)
      val one = PartitionOrdinal(Seq(BoundReference(0, dataType, nullable = true)), numbers)
      values.zipWithIndex.foreach { case (v, number) => assert(one.eval(InternalRow(v)) === number, dataType.sql) }
      checkEvaluation(one, values.size - 1, InternalRow(values.last))
    }
  }

  test("rows in any order, from any copy") {
    val copy = SerializationUtils.clone(numbers)
    val projection = UnsafeProjection.create(schema)
    val random = new scala.util.Random(1)
    for (_ <- 1 to 200) {
      val number = random.nextInt(partitions.size)
      assert(copy.numberOf(projection(partitions(number))) === number)
      assert(numbers.numberOf(projection(partitions(number))) === number)
    }
    assert(numbers.size === 5)
  }

  test("a partition that was not planned for is an error, not a place") {
    checkError(
      intercept[ZOrderRuntimeException](ordinal.eval(InternalRow(19001, UTF8String.fromString("CH")))),
      "ZORDER_UNPLANNED_PARTITION",
      Some("XXKST"),
      Map("partition" -> "19001, CH")
    )
  }
}
