// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.errors.ZOrderAnalysisException

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{CollectMetrics, LogicalPlan}
import org.apache.spark.sql.execution.LogicalRDD
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * The rows of a write, and what is known of their table.
 *
 * @param table
 *   name of the table, for messages
 * @param tableSchema
 *   the columns of the table, which may be more than the rows have
 * @param output
 *   the columns of the rows, by the names that they have in the table
 * @param partitions
 *   those by which the writer wants its rows sorted first
 * @param constants
 *   names of partition columns that are the same in all rows, and that the writer does not sort by
 * @param areRepeatable
 *   whether the rows may be computed a second time, for a sample of them
 * @param hindrance
 *   why rows of this table cannot be written in an order, if so
 */
final case class RowsToWrite(
    table: String,
    tableSchema: StructType,
    output: Seq[(String, Attribute)],
    partitions: Seq[Attribute],
    constants: Set[String],
    areRepeatable: Boolean,
    hindrance: Option[ZOrderAnalysisException]) {

  def schema: StructType = StructType(output.map { case (name, a) => StructField(name, a.dataType, a.nullable) })
}

object RowsToWrite {

  /**
   * Whether a query's rows may be computed twice: a stream would update its states twice, an observation and the counters
   * of MERGE and UPDATE would count rows twice, and a query by chance would give others.
   */
  def areRepeatable(query: LogicalPlan): Boolean = !query.isStreaming && !query.exists {
    case _: CollectMetrics => true
    // What a stream hands to foreachBatch is its own rows, though no longer called a stream.
    case _: LogicalRDD => isInStream
    case operator => operator.expressions.exists(!_.deterministic)
  }

  private def isInStream: Boolean =
    SparkSession.active.sparkContext.getLocalProperty("sql.streaming.queryId") != null
}
