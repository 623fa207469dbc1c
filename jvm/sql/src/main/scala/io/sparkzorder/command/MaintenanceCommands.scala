// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import java.time.Instant
import java.util.concurrent.TimeUnit

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.format.{IndexedTable, RepairableTable, RestorableTable}
import io.sparkzorder.plan.{AnalyzeFileStatisticsStatement, RepairTableStatement}
import io.sparkzorder.plan.ReplacedFilesStatement.{Action, Describe, Restore, Vacuum}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.types.{ArrayType, BooleanType, DataType, LongType, StringType, TimestampType}

/** Shows, brings back or deletes the files that rewrites of a Parquet table have replaced and that are kept. */
case class ReplacedFilesCommand(table: RestorableTable, action: Action) extends StatementCommand {
  import ReplacedFilesCommand._

  override val output: Seq[Attribute] = action match {
    case _: Restore =>
      columns("path" -> StringType, "rewrite" -> LongType, "restored_files" -> LongType, "removed_files" -> LongType)
    case _ =>
      columns(
        "rewrite" -> LongType,
        "replaced_at" -> TimestampType,
        "kept_until" -> TimestampType,
        "files" -> LongType,
        "bytes" -> LongType,
        "new_files" -> LongType,
        "restorable" -> BooleanType
      )
  }

  override def simpleString(maxFields: Int): String = s"${action.name} ${table.name}"

  override protected def statement: String = action.name

  override protected def execute(session: SparkSession): Seq[Row] = action match {
    case Describe => table.keptRewrites(session).map(row)
    case Vacuum(hours, dryRun) =>
      table.forgetReplaced(session, hours.map(TimeUnit.HOURS.toMillis), dryRun).map(row)
    case Restore(number) =>
      val done = table.restore(session, number)
      Seq(Row(done.path, done.rewrite, done.restored.toLong, done.replaced.toLong))
  }
}

object ReplacedFilesCommand {

  private def columns(of: (String, DataType)*): Seq[Attribute] =
    of.map { case (name, dataType) => AttributeReference(name, dataType, nullable = false)() }

  private def row(kept: RestorableTable.Kept): Row = Row(
    kept.rewrite,
    Instant.ofEpochMilli(kept.replacedAt),
    Instant.ofEpochMilli(kept.keptUntil),
    kept.files.toLong,
    kept.bytes,
    kept.newFiles.toLong,
    kept.isRestorable
  )
}

/** `FSCK REPAIR TABLE <table> [DRY RUN]`: makes the log of a Parquet table whole again where it cannot be read. */
case class RepairTableCommand(table: RepairableTable, dryRun: Boolean) extends StatementCommand {

  override val output: Seq[Attribute] = Seq(
    AttributeReference("document", StringType, nullable = false)(),
    AttributeReference("condition", StringType, nullable = false)(),
    AttributeReference("rewrite", LongType)(),
    AttributeReference("folder", StringType)(),
    AttributeReference("action", StringType, nullable = false)(),
    AttributeReference("files", ArrayType(StringType, containsNull = false), nullable = false)(),
    AttributeReference("reason", StringType, nullable = false)(),
    AttributeReference("moved_to", StringType)()
  )

  override def simpleString(maxFields: Int): String = s"$statement ${table.name}"

  override protected def statement: String = RepairTableStatement.Name

  override protected def execute(session: SparkSession): Seq[Row] = table.repair(session, dryRun).map { s =>
    Row(
      s.document,
      s.condition,
      s.rewrite.map(Long.box).orNull,
      s.folder.orNull,
      s.action,
      s.files,
      s.reason,
      s.movedTo.orNull)
  }
}

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
