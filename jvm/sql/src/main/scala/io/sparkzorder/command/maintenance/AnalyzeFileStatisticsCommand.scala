// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.maintenance

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.command.StatementCommand
import io.sparkzorder.format.IndexedTable
import io.sparkzorder.plan.AnalyzeFileStatisticsStatement

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.types.{ArrayType, LongType, StringType}

/**
 * `ANALYZE TABLE <table> COMPUTE FILE STATISTICS`: reads the footers of files that are new or changed, and writes the
 * next version of the statistics index. First it finishes a rewrite that was interrupted.
 *
 * @param columns
 *   the columns to have statistics; None leaves those of the index as they are
 */
case class AnalyzeFileStatisticsCommand(table: IndexedTable, columns: Option[Seq[ColumnPath]])
    extends StatementCommand {

  override val output: Seq[Attribute] = Seq(
    AttributeReference("path", StringType, nullable = false)(),
    AttributeReference("files", LongType, nullable = false)(),
    AttributeReference("footers_read", LongType, nullable = false)(),
    AttributeReference("columns", ArrayType(StringType, containsNull = false), nullable = false)()
  )

  override protected def statement: String = AnalyzeFileStatisticsStatement.Name

  override protected def execute(session: SparkSession): Seq[Row] = {
    val outcome = table.index(session, columns)
    Seq(Row(outcome.path, outcome.files.toLong, outcome.read.toLong, outcome.columns.map(_.toString)))
  }
}
