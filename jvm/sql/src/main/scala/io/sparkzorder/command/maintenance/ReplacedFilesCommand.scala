// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.maintenance

import java.time.Instant
import java.util.concurrent.TimeUnit

import io.sparkzorder.command.StatementCommand
import io.sparkzorder.format.RestorableTable
import io.sparkzorder.plan.ReplacedFilesStatement.{Action, Describe, Restore, Vacuum}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.types.{BooleanType, DataType, LongType, StringType, TimestampType}

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
