// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.maintenance

import io.sparkzorder.command.StatementCommand
import io.sparkzorder.format.RepairableTable
import io.sparkzorder.plan.RepairTableStatement

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.types.{ArrayType, LongType, StringType}

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
