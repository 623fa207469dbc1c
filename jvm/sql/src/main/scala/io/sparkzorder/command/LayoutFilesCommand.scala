// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.format.ReadableTable
import io.sparkzorder.parquet.footer.{FileStatisticsReader, SchemaDetail}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.types.{IntegerType, LongType, StringType}

/**
 * `DESCRIBE LAYOUT EXTENDED` and the rows of `layout_files(...)`: one row per file and column, from the table's
 * statistics and the files' footers.
 *
 * @param calledAs
 *   what messages call the statement
 */
case class LayoutFilesCommand(
    table: ReadableTable,
    columns: Seq[ZOrderColumn],
    predicate: Option[Expression],
    calledAs: String)
    extends StatementCommand {

  override val output: Seq[Attribute] = Seq(
    AttributeReference("file", StringType, nullable = false)(),
    AttributeReference("partition", StringType, nullable = false)(),
    AttributeReference("rows", LongType)(),
    AttributeReference("bytes", LongType, nullable = false)(),
    AttributeReference("row_groups", IntegerType, nullable = false)(),
    AttributeReference("column", StringType, nullable = false)(),
    AttributeReference("min", StringType)(),
    AttributeReference("max", StringType)(),
    AttributeReference("null_count", LongType)()
  )

  override protected def statement: String = calledAs

  override protected def execute(session: SparkSession): Seq[Row] = {
    val snapshot = table.snapshot(session)
    val files = snapshot.files(predicate)
    val described = ColumnLayout.columns(columns, snapshot)
    val rowGroups = new FileStatisticsReader(session).read(
      files.map(_.location),
      IndexedSeq.empty,
      SchemaDetail.None).map(_.rowGroups)
    for ((file, groups) <- files.zip(rowGroups); column <- described) yield {
      val statistics = file.statistics(column.path)
      def text(value: Any) = ValueText.of(value, column.dataType, session.sessionState.conf)
      Row(
        file.path,
        file.partitionName,
        file.rows.orNull,
        file.bytes,
        groups,
        column.toString,
        text(statistics.min),
        text(statistics.max),
        statistics.nullCount.orNull
      )
    }
  }
}
