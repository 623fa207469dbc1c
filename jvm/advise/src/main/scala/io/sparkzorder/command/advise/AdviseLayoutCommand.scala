// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.StatementCommand
import io.sparkzorder.command.optimize.OptimizeOptions
import io.sparkzorder.command.resolve.{LayoutColumns, ResolvedParts}
import io.sparkzorder.config.TargetFileSize
import io.sparkzorder.errors.{UnexpectedError, ZOrderErrors}
import io.sparkzorder.format.{ReadableTable, TableFormats}
import io.sparkzorder.plan.AdviseLayoutStatement
import io.sparkzorder.plan.AdviseLayoutStatement.Name

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
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

/**
 * The OPTIONS of ADVISE LAYOUT, checked. What OPTIMIZE has too means the same, and is then no question any more.
 *
 * @param recording
 *   a folder of recorded queries
 * @param curve
 *   name of the curve
 * @param targetFileSize
 *   size of a file
 */
final case class AdviseOptions(
    recording: Option[String] = None,
    curve: Option[String] = None,
    targetFileSize: Option[TargetFileSize] = None)

object AdviseOptions {

  private val Recording = "recording"
  private val ofOptimize = Seq("curve", "target_file_size")

  /** @throws ZOrderAnalysisException for a key or a value that does not exist */
  def parse(options: Map[String, String], statement: String): AdviseOptions = {
    val allowed = Recording +: ofOptimize
    options.keys.find(!allowed.contains(_)).foreach(k => throw ZOrderErrors.unknownOption(statement, k, allowed))
    options.get(Recording).filter(_.trim.isEmpty).foreach { empty =>
      throw ZOrderErrors.invalidOption(statement, Recording, empty, "the path of a folder with recorded queries")
    }
    val shared = OptimizeOptions.parse(options.filter { case (key, _) => ofOptimize.contains(key) }, statement)
    AdviseOptions(options.get(Recording), shared.curve, shared.targetFileSize)
  }
}

/**
 * Makes the command of ADVISE LAYOUT once Spark has resolved its table, columns and predicate. The table may be of any
 * format, as it is only looked at.
 */
class ResolveAdvice(session: SparkSession, formats: TableFormats) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    UnexpectedError.named(Name)(plan.resolveOperatorsUpWithPruning(_.containsPattern(COMMAND)) {
      case s @ AdviseLayoutStatement(found: ResolvedTable, predicate, columns, queries, options)
          if ResolvedParts.areIn(s, predicate, found, Name) =>
        val table: ReadableTable =
          formats.find(session, found, s.statement).getOrElse(new ForeignTable(found, formats, s.statement))
        val paths = LayoutColumns.of(columns.map(ResolvedParts.spelled(_, found)), table)
        val where = predicate.map(ResolvedParts.checked(_, Name, table, found, choosesFiles = false))
        val workload = queries.zipWithIndex.map { case (query, i) =>
          query.fold(word => throw ZOrderErrors.workloadNotAQuery(i + 1, word), identity)
        }
        AdviseLayoutCommand(table, paths, where, workload, AdviseOptions.parse(options, Name))
    })
}
