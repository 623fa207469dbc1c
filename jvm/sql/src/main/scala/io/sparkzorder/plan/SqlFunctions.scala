// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import scala.reflect.ClassTag

import io.sparkzorder.expressions.{HilbertIndex, InterleaveBits, RangePartitionId, ZOrderKey}

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistryBase
import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * The SQL functions of this project, as the extension registers them.
 *
 * What `DESCRIBE FUNCTION EXTENDED` shows is the `ExpressionDescription` of each class. A wrong number of arguments is
 * Spark's own WRONG_NUM_ARGS.
 */
object SqlFunctions {

  private type Description = SparkSessionExtensions#FunctionDescription

  val all: Seq[Description] = Seq(
    function[HilbertIndex]("hilbert_index"),
    function[InterleaveBits]("interleave_bits"),
    function[RangePartitionId]("range_partition_id"),
    function[ZOrderKey]("zorder_key")
  )

  private def function[T <: Expression: ClassTag](name: String): Description = {
    val (info, builder) = FunctionRegistryBase.build[T](name, since = None)
    (FunctionIdentifier(name), info, builder)
  }
}
