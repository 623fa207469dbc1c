// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write.sort

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.exchange.Exchange

/**
 * The query of a write whose rows move, to be computed once more for a sample.
 *
 * @param plan
 *   the optimized query
 * @param axes
 *   the values that are ranked, over the query's columns
 * @param partitions
 *   the values of a row's table partition, likewise
 */
private[write] final class SampledQuery(plan: LogicalPlan, axes: Seq[Expression], partitions: Seq[Expression]) {
  import SampledQuery._

  /**
   * Draws a sample of about `size` rows.
   *
   * A query without a shuffle is planned a second time with the columns of the sample alone, so that its scans read no
   * others. One with a shuffle is computed as it is: its shuffles are done by then, or will be used again.
   *
   * @param rows
   *   the physical plan of the query
   * @param ranked
   *   the values that are ranked, over its output
   */
  def draw(session: SparkSession, rows: SparkPlan, ranked: RankedColumns, size: Int): WriteSample =
    if (rows.exists(p => p.isInstanceOf[Exchange] || p.isInstanceOf[QueryStageExec]))
      WriteSample.draw(ranked, rows.execute(), size)
    else {
      val narrow =
        QueryExecution.prepareExecutedPlan(session, Project((axes ++ partitions).map(Alias(_, "_value")()), plan))
      val (values, folders) = narrow.output.splitAt(axes.size)
      val sample = WriteSample.draw(RankedColumns(narrow.output, values, folders), narrow.execute(), size)
      sample.copy(bytes = (sample.count * bytesOfRow(rows.execute())).toLong)
    }
}

private object SampledQuery {

  // Of each task; enough to tell the width of a row.
  private val MeasuredRows = 200

  private def bytesOfRow(rows: RDD[InternalRow]): Double = {
    val sizes = rows.mapPartitions { in =>
      val bytes = in.take(MeasuredRows).map(_.asInstanceOf[UnsafeRow].getSizeInBytes.toLong).toSeq
      Iterator.single(Array(bytes.sum, bytes.size.toLong))
    }.collect()
    sizes.map(_(0)).sum.toDouble / math.max(1L, sizes.map(_(1)).sum)
  }
}
