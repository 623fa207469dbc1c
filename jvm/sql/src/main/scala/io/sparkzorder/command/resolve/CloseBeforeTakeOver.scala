// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import scala.util.Try

import io.sparkzorder.format.TableFormats

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
import org.apache.spark.sql.execution.command.{LeafRunnableCommand, RunnableCommand}

/**
 * Has a format's own statement that takes over the files of a folder as they lie, such as `CONVERT TO DELTA`, wait until no
 * rewrite of them is open: it would take old files and new ones alike. Calls of the format's API go past it.
 */
class CloseBeforeTakeOver(formats: TableFormats) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsWithPruning(_.containsPattern(COMMAND)) {
    case theirs: RunnableCommand =>
      formats.takenOver(theirs).fold[LogicalPlan](theirs)(TakeOverCommand(theirs, _, formats))
  }
}

/** @param table the table whose files the command takes over */
private[resolve] final case class TakeOverCommand(
    command: RunnableCommand,
    table: TableIdentifier,
    formats: TableFormats)
    extends LeafRunnableCommand {

  override def output: Seq[Attribute] = command.output

  override def run(session: SparkSession): Seq[Row] = {
    val catalog = session.sessionState.catalog
    // Of a name in a catalog that is not Spark's own nothing is known here.
    val entry = Try(Option.when(catalog.tableExists(table))(catalog.getTableMetadata(table))).toOption.flatten
    def ofPath = table.database.filter(formats.readsFolders(session, _)).map(_ => new Path(table.table))
    entry.map(e => new Path(e.location)).orElse(ofPath) match {
      case Some(path) =>
        val folder = path.getFileSystem(session.sessionState.newHadoopConf()).makeQualified(path)
        formats.betweenRewrites(session, folder, entry)(command.run(session))
      // The command says so.
      case None => command.run(session)
    }
  }
}
