// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.sampling

import io.sparkzorder.column.{ColumnPath, ZOrderColumn}
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.expressions.{PartitionNumbers, PartitionOrdinal, SectionNumber}
import io.sparkzorder.layout.incremental.SectionRouter
import io.sparkzorder.types.KeyType

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals

/**
 * The rows of some table partitions, with expressions for their keys and for the numbers of their partitions.
 *
 * @param partitionSchema
 *   the partition columns of the table, all of which the rows have
 * @param partitions
 *   partition values, in the order of the numbers of partitions
 */
final class KeyedRows(
    session: SparkSession,
    val data: DataFrame,
    partitionSchema: StructType,
    columns: Seq[ZOrderColumn],
    partitions: IndexedSeq[InternalRow]) {

  val plan: LogicalPlan = SparkInternals.plan(data)

  val keyTypes: IndexedSeq[KeyType] = columns.map(_.keyType).toIndexedSeq

  /** The z-order columns. */
  val columnsInRow: Seq[Expression] = columns.map(_.path.in(plan.output))

  val partitionColumns: Seq[Expression] =
    partitionSchema.fieldNames.toSeq.map(n => ColumnPath(Seq(n)).in(plan.output))

  /** INT, the number of a row's table partition. */
  val partition: Expression =
    if (partitionColumns.isEmpty) Literal(0)
    else PartitionOrdinal(partitionColumns, new PartitionNumbers(partitionSchema, partitions))

  /** INT, the number of a row's section: its partition's number, where no partition is divided. */
  def section(routes: SectionRouter): Expression =
    if (routes.isTrivial) partition else SectionNumber(partition, columnsInRow, keyTypes, routes)

  /** @param number an expression over `plan`, an INT, to be sampled along with the keys */
  def sample(rowCount: Long, number: Expression): JointSample =
    JointSampler.draw(
      session,
      data,
      rowCount,
      ZOrderConf.sampleSize(session.sessionState.conf),
      columnsInRow.zip(keyTypes),
      number)
}
