// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.command.advise.foreign.ForeignTable
import io.sparkzorder.command.resolve.{LayoutColumns, ResolvedParts}
import io.sparkzorder.errors.{UnexpectedError, ZOrderErrors}
import io.sparkzorder.format.{ReadableTable, TableFormats}
import io.sparkzorder.plan.AdviseLayoutStatement
import io.sparkzorder.plan.AdviseLayoutStatement.Name

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Makes the command of ADVISE LAYOUT once Spark has resolved its table, columns and predicate. The table may be of any
 * format, as it is only looked at.
 */
class ResolveAdvice(session: SparkSession, formats: TableFormats) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = UnexpectedError.named(Name)(plan.resolveOperatorsUp {
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
