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
class CloseBeforeTakeOver(session: SparkSession, formats: TableFormats) extends Rule[LogicalPlan] {

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

  override def run(session: SparkSession): Seq[Row] = folder(session) match {
    case Some(path) => formats.betweenRewrites(session, path, table.unquotedString)(command.run(session))
    case None => command.run(session)
  }

  /** None where there is no such table: the command says so. */
  private def folder(session: SparkSession): Option[Path] = {
    val catalog = session.sessionState.catalog
    def ofPath = table.database.filter(formats.readsFolders(session, _)).map(_ => new Path(table.table))
    // Of a name in a catalog that is not Spark's own nothing is known here.
    val ofCatalog = Try(Option.when(catalog.tableExists(table))(new Path(catalog.getTableMetadata(table).location)))
    val found = ofCatalog.toOption.flatten.orElse(ofPath)
    found.map(path => path.getFileSystem(session.sessionState.newHadoopConf()).makeQualified(path))
  }
}
