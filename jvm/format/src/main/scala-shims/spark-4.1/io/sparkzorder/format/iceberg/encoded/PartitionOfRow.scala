// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.encoded

import scala.jdk.CollectionConverters._

import io.sparkzorder.format.iceberg.listing.PartitionFunction

import org.apache.iceberg.{PartitionData, PartitionSpec}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection, UnsafeRow}

/**
 * The partition that rows are of.
 *
 * @param values
 *   those of the spec's fields that derive any, in their order
 */
private[encoded] final class PartitionOfRow(spec: PartitionSpec, columns: Seq[Attribute], values: Seq[Expression]) {

  private val fields = spec.fields.asScala.zipWithIndex.filterNot(_._1.transform.isVoid).map(_._2).toIndexedSeq
  private val types = fields.map(i => spec.partitionType.fields.get(i).`type`)
  private val sparkTypes = values.map(_.dataType).toIndexedSeq
  private val project = UnsafeProjection.create(values, columns)
  private var key: UnsafeRow = _

  /** Whether a row is of another partition than the one before, or the first. */
  def isNew(row: InternalRow): Boolean =
    if (key != null && values.isEmpty) false
    else {
      val next = project(row)
      val isOther = key == null || key != next
      if (isOther) key = next.copy()
      isOther
    }

  /** The partition of the last row, as Iceberg has it. */
  def current: PartitionData = {
    val partition = new PartitionData(spec.partitionType)
    fields.indices.filterNot(key.isNullAt).foreach { i =>
      partition.set(fields(i), PartitionFunction.inIceberg(types(i), key.get(i, sparkTypes(i))))
    }
    partition
  }
}
