// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.expressions.ZOrderKey
import io.sparkzorder.move.ClusterRowsExec

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{ProjectExec, SortExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.types.{DoubleType, FloatType, LongType, StringType}

/** Plans [[OrderedRows]]: ranks where the order needs them, a shuffle where rows move, and Spark's own sort. */
object OrderedRowsStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case OrderedRows(order, columns, child, isDelivered, overrules, options) =>
      val planned = planLater(child)
      val sorted = if (isDelivered) planned else sort(order, child, planned, options)
      Seq(OrderedRowsExec(order, columns, isDelivered, overrules, sorted))
    case _ => Nil
  }

  private def sort(order: WriteOrder, query: LogicalPlan, rows: SparkPlan, options: Map[String, String]): SparkPlan = {
    val columns = order.expressions(rows.output)
    val partitions = order.partitions.map(p => asWritten(rows.output(p)))
    def sorted(keys: Seq[Expression], rows: SparkPlan) =
      SortExec((partitions ++ keys).map(SortOrder(_, Ascending)), global = false, rows)
    // `axes` over the columns of the query, `ranked` over those of the rows.
    def clustered(axes: Seq[Expression], ranked: Seq[Expression], inFile: Seq[Expression], rows: SparkPlan) =
      ClusterRowsExec(
        rows.output,
        partitions,
        inFile,
        new WritePlacement(new SampledQuery(query, axes, partitions), ranked, partitions),
        rows)

    order.kind match {
      case WriteOrder.Lexical if order.moves =>
        val one = Seq(together(columns))
        clustered(one, one, columns, rows)
      case WriteOrder.Lexical => sorted(columns, rows)
      case WriteOrder.RawCurve =>
        val raw = ZOrderKey(columns)
        val key = Alias(raw, "_zorder_key")()
        val (keyed, keys) = (ProjectExec(rows.output :+ key, rows), Seq(key.toAttribute))
        if (order.moves) clustered(Seq(raw), keys, keys, keyed) else sorted(keys, keyed)
      case WriteOrder.RankedCurve if order.moves => clustered(columns, columns, Nil, rows)
      case WriteOrder.RankedCurve if partitions.isEmpty => CurveSortExec(columns, options, rows)
      case WriteOrder.RankedCurve =>
        val position = AttributeReference("_zorder_position", LongType, nullable = false)()
        sorted(Seq(position), RankedRowsExec(columns, partitions, position, rows))
    }
  }

  /** Columns that are compared one after the other, as one value. */
  private def together(columns: Seq[Expression]): Expression = columns match {
    case Seq(column) => column
    case _ => CreateNamedStruct(columns.zipWithIndex.flatMap { case (c, i) => Seq(Literal(s"_$i"), c) })
  }

  /**
   * A partition column's value as the writer's folders know it, which wants rows of one folder together: NULL and the empty
   * string have one, and 0.0 and -0.0, which are equal to a sort, have two.
   */
  private def asWritten(column: Attribute): Expression = column.dataType match {
    case _: StringType if column.nullable => Empty2Null(column)
    case FloatType | DoubleType => Cast(column, StringType)
    case _ => column
  }
}
