// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.delta.commands.optimize.{OptimizeMetrics => DeltaMetrics}

class OptimizeMetricsSuite extends AnyFunSuite {

  test("the schema is that of Delta's own metrics") {
    assert(OptimizeMetrics.schema === Encoders.product[DeltaMetrics].schema)
  }

  test("sizes of files") {
    assert(FileSizeMetrics.of(Seq(3, 1, 8)) === FileSizeMetrics(Some(1), Some(8), 4.0, 3, 12))
    assert(FileSizeMetrics.of(Nil) === FileSizeMetrics(None, None, 0.0, 0, 0))
  }

  test("the schema of the gain of a column") {
    val fields = LayoutGain.schema.elementType.asInstanceOf[org.apache.spark.sql.types.StructType]
    assert(fields.toDDL ===
      "column STRING,point_read_share_before DOUBLE,point_read_share_after DOUBLE," +
      "average_depth_before DOUBLE NOT NULL,average_depth_after DOUBLE NOT NULL")
  }
}
