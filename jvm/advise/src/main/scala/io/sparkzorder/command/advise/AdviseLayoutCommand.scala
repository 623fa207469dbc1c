// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.StatementCommand
import io.sparkzorder.command.advise.foreign.ForeignTable
import io.sparkzorder.format.ReadableTable
import io.sparkzorder.plan.AdviseLayoutStatement

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._

/**
 * `ADVISE LAYOUT <table> [ON (...)] [FOR (<query>), ...] [WHERE ...] [OPTIONS (...)]`: the columns to z-order a table by,
 * one row for each set of columns, the best first. It reads a sample of the rows and changes nothing.
 *
 * @param columns
 *   the columns among which it chooses; none leaves the choice to it
 * @param predicate
 *   the resolved WHERE clause, over partition columns
 * @param queries
 *   the workload, as parsed: a query is analysed and planned when the command runs, by itself, and does not run
 */
case class AdviseLayoutCommand(
    table: ReadableTable,
    columns: Seq[ZOrderColumn],
    predicate: Option[Expression],
    queries: Seq[LogicalPlan],
    options: AdviseOptions)
    extends StatementCommand {

  override val output: Seq[Attribute] = Seq(
    AttributeReference("rank", IntegerType, nullable = false)(),
    AttributeReference("columns", ArrayType(StringType, containsNull = false), nullable = false)(),
    AttributeReference("curve", StringType, nullable = false)(),
    AttributeReference("target_file_size", LongType, nullable = false)(),
    AttributeReference("files", LongType, nullable = false)(),
    AttributeReference("read_share", DoubleType, nullable = false)(),
    AttributeReference("read_share_now", DoubleType, nullable = false)(),
    AttributeReference("rewrite_bytes", LongType, nullable = false)(),
    AttributeReference("rewrite_seconds", DoubleType, nullable = false)(),
    AttributeReference("statement", StringType)(),
    AttributeReference("warnings", ArrayType(StringType, containsNull = false), nullable = false)()
  )

  override def simpleString(maxFields: Int): String =
    s"AdviseLayout ${table.name}, [${columns.mkString(", ")}], ${queries.size} queries" +
      predicate.fold("")(p => s", ${p.sql}")

  /** The table, where OPTIMIZE cannot rewrite it. */
  private[advise] def foreign: Option[ForeignTable] = Some(table).collect { case foreign: ForeignTable => foreign }

  override def innerChildren: Seq[LogicalPlan] = queries

  override protected def statement: String = AdviseLayoutStatement.Name

  override protected def execute(session: SparkSession): Seq[Row] =
    new LayoutAdvisor(session, this, AdviceInput.of(session, this)).advice().zipWithIndex.map { case (layout, i) =>
      Row(
        i + 1,
        layout.columns.map(_.toString),
        layout.curve,
        layout.targetFileBytes,
        layout.files.toLong,
        layout.readShare,
        layout.readShareNow,
        layout.rewriteBytes,
        layout.rewriteSeconds,
        layout.statement.orNull,
        layout.warnings
      )
    }
}
