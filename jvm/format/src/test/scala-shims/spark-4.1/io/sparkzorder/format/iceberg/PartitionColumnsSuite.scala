// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import java.nio.ByteBuffer

import io.sparkzorder.format.iceberg.listing.PartitionColumns

import org.apache.iceberg.{DataFiles, PartitionData, PartitionSpec, Schema}
import org.apache.iceberg.types.Types._
import org.scalatest.funsuite.AnyFunSuite

class PartitionColumnsSuite extends AnyFunSuite {

  private val schema = new Schema(
    NestedField.required(1, "id", LongType.get),
    NestedField.optional(2, "at", TimestampType.withZone),
    NestedField.optional(3, "text", StringType.get),
    NestedField.optional(4, "price", DecimalType.of(9, 2)),
    NestedField.optional(5, "bytes", BinaryType.get),
    NestedField.optional(6, "day", DateType.get)
  )

  private val spec = PartitionSpec.builderFor(schema).bucket("id", 4).day("at").identity("text")
    .truncate("price", 100).identity("bytes").identity("day").build

  private def names(values: Any*): (String, String) = {
    val partition = new PartitionData(spec.partitionType)
    values.zipWithIndex.foreach { case (value, i) => partition.set(i, value) }
    val file = DataFiles.builder(spec).withPath("f.parquet").withFileSizeInBytes(1).withRecordCount(1)
      .withPartition(partition).build
    val columns = new PartitionColumns(schema, spec)
    (columns.nameOf(columns.of(file)), spec.partitionToPath(partition))
  }

  test("a partition has the name that Iceberg gives its folder, of values of each type and of none") {
    val (own, icebergs) = names(
      3,
      19723,
      "a b/c=d%é",
      new java.math.BigDecimal("12.00"),
      ByteBuffer.wrap(Array[Byte](1, -1)),
      -1)
    assert(own == icebergs)
    assert(own.startsWith("id_bucket=3/at_day=2024-01-01/text=a+b%2Fc%3Dd%25"))

    val (ofNulls, ofIceberg) = names(null, null, null, null, null, null)
    assert(ofNulls == ofIceberg)
  }
}
