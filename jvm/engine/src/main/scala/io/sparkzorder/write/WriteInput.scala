// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.errors.ZOrderAnalysisException

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{CollectMetrics, LogicalPlan}
import org.apache.spark.sql.execution.LogicalRDD
import org.apache.spark.sql.execution.streaming.sources.WriteToMicroBatchDataSourceV1
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * The rows of a write, and what is known of their table. Most tables have no order: what only an order needs is computed
 * when it is asked for.
 *
 * @param table
 *   name of the table, for messages
 * @param tableSchema
 *   the columns of the table, which may be more than the rows have
 * @param query
 *   the query that gives the rows
 * @param names
 *   the names that its columns have in the table
 * @param partitions
 *   columns of the query by which the writer wants its rows sorted first
 * @param constants
 *   names of partition columns that are the same in all rows, and that the writer does not sort by
 * @param conflictOf
 *   why rows of this table cannot be written in an order, if so
 */
final class WriteInput(
    val table: String,
    val tableSchema: StructType,
    query: LogicalPlan,
    names: Seq[String],
    val partitions: Seq[Attribute],
    val constants: Set[String],
    conflictOf: => Option[ZOrderAnalysisException]) {

  /** Why rows of this table cannot be written in an order, if so. */
  def conflict: Option[ZOrderAnalysisException] = conflictOf

  /** The columns of the rows as the table names them. */
  lazy val schema: StructType =
    StructType(names.zip(query.output).map { case (name, a) => StructField(name, a.dataType, a.nullable) })

  /** The ordinals of `partitions`. */
  def partitionOrdinals: Seq[Int] = partitions.map(p => query.output.indexWhere(_.exprId == p.exprId))

  /**
   * Whether the rows may be computed a second time, for a sample of them: a stream would update its states twice, an
   * observation and the counters of MERGE and UPDATE would count rows twice, and a query by chance would give others.
   */
  lazy val areRepeatable: Boolean = !query.isStreaming && !query.exists {
    case _: CollectMetrics | _: WriteToMicroBatchDataSourceV1 => true
    // What a stream hands to foreachBatch is its own rows, though no longer called a stream.
    case _: LogicalRDD => WriteInput.isInStream
    case operator => operator.expressions.exists(!_.deterministic)
  }
}

private object WriteInput {

  private def isInStream: Boolean =
    SparkSession.active.sparkContext.getLocalProperty("sql.streaming.queryId") != null
}
