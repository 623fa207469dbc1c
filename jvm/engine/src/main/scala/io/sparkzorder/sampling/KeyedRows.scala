// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.sampling

import io.sparkzorder.column.{ColumnPath, KeyType, ZOrderColumn}
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.expressions.{PartitionNumbers, PartitionOrdinal, SectionNumber, SortKey}
import io.sparkzorder.layout.incremental.SectionRouter

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Sample}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals

/**
 * The rows of some table partitions, with expressions for their keys and for the numbers of their partitions.
 *
 * @param partitionSchema
 *   the partition columns of the table, all of which the rows have
 * @param partitions
 *   partition values, in the order of the numbers of partitions
 * @param others
 *   the number of all other partitions; None where there must be none
 */
final class KeyedRows(
    session: SparkSession,
    val data: DataFrame,
    partitionSchema: StructType,
    columns: Seq[ZOrderColumn],
    partitions: IndexedSeq[InternalRow],
    others: Option[Int] = None) {
  import KeyedRows._

  val plan: LogicalPlan = SparkInternals.plan(data)

  val keyTypes: IndexedSeq[KeyType] = columns.map(_.keyType).toIndexedSeq

  /** The z-order columns. */
  val columnsInRow: Seq[Expression] = columns.map(_.path.in(plan.output))

  val partitionColumns: Seq[Expression] =
    partitionSchema.fieldNames.toSeq.map(n => ColumnPath(Seq(n)).in(plan.output))

  /** INT, the number of a row's table partition. */
  val partition: Expression =
    if (partitionColumns.isEmpty) Literal(0)
    else PartitionOrdinal(partitionColumns, new PartitionNumbers(partitionSchema, partitions, others))

  /** INT, the number of a row's section: its partition's number, where no partition is divided. */
  def section(routes: SectionRouter): Expression =
    if (routes.isTrivial) partition else SectionNumber(partition, columnsInRow, keyTypes, routes)

  /**
   * Draws a sample, in one narrow job that reads the z-order and partition columns only.
   *
   * @param rowCount
   *   number of the rows
   * @param number
   *   an expression over `plan`, an INT, to be sampled along with the keys
   */
  def sample(rowCount: Long, number: Expression): JointSample = {
    val keys = columnsInRow.zip(keyTypes).map { case (column, keyType) => SortKey(column, keyType) }
    val share = shareOf(ZOrderConf.sampleSize(session.sessionState.conf), rowCount)
    val rows = draw(share, number, keys, "z-order: sample")
    new JointSample(
      rows.map(_.getInt(0)),
      keyTypes.zipWithIndex.map { case (keyType, i) => rows.map(JointSample.keyOf(_, i + 1, keyType)) })
  }

  /**
   * Draws rows evenly.
   *
   * @param share
   *   the chance of each row; 1 for all of them
   * @param job
   *   description of the job
   * @return
   *   of each row drawn `number`, an INT, and `values`, all of them over `plan`
   */
  def draw(share: Double, number: Expression, values: Seq[Expression], job: String): Array[InternalRow] = {
    val drawn = if (share == 1.0) plan else Sample(0.0, share, withReplacement = false, Seed, plan)
    val columns = values.map(Alias(_, "value")())
    SparkInternals.collect(SparkInternals.dataFrame(session, Project(Alias(number, "number")() +: columns, drawn)), job)
  }
}

private[sparkzorder] object KeyedRows {

  // Any constant: the same files give the same sample.
  private val Seed = 5489L

  /** The chance of each of so many rows in a sample of about `size`. */
  def shareOf(size: Int, rowCount: Long): Double = if (rowCount <= size) 1.0 else size.toDouble / rowCount
}
