// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.input

import io.sparkzorder.column.{ColumnPath, ZOrderColumn}
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.expressions.{PartitionNumbers, PartitionOrdinal}
import io.sparkzorder.format.{DataFile, TableSnapshot}
import io.sparkzorder.sampling.{JointSample, JointSampler}
import io.sparkzorder.types.KeyType

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.zorder.SparkInternals

/**
 * The rows of some table partitions, with expressions for their keys and for the numbers of their partitions.
 *
 * @param partitions
 *   partition values, in the order of the numbers of partitions
 */
private[command] class KeyedRows(
    session: SparkSession,
    val data: DataFrame,
    snapshot: TableSnapshot,
    columns: Seq[ZOrderColumn],
    partitions: IndexedSeq[InternalRow]) {

  val plan: LogicalPlan = SparkInternals.plan(data)

  val keyTypes: IndexedSeq[KeyType] = columns.map(_.keyType).toIndexedSeq

  /** The z-order columns. */
  val columnsInRow: Seq[Expression] = columns.map(_.path.in(plan.output))

  val partitionColumns: Seq[Expression] =
    snapshot.partitionSchema.fieldNames.toSeq.map(n => ColumnPath(Seq(n)).in(plan.output))

  /** INT, the number of a row's table partition. */
  val partition: Expression =
    if (partitionColumns.isEmpty) Literal(0)
    else PartitionOrdinal(partitionColumns, new PartitionNumbers(snapshot.partitionSchema, partitions))

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

private[command] object KeyedRows {

  /** The rows that a table's metadata promises; None where those of a file are not recorded. */
  def recorded(files: Iterable[DataFile]): Option[Long] = {
    val known = files.map(_.rows)
    if (known.forall(_.isDefined)) Some(known.flatten.sum) else None
  }
}
