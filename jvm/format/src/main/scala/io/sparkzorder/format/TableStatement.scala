// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.analysis.{UnresolvedLeafNode, UnresolvedTable}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * A table named by its folder: `` delta.`/path` `` or `'/path'`.
 *
 * @param format
 *   the format in front of the path; None where the folder itself shows it
 * @param statement
 *   the statement that names it
 */
case class UnresolvedPathTable(format: Option[String], path: String, statement: TableStatement)
    extends UnresolvedLeafNode

object UnresolvedPathTable {

  /** The table of a name: as Spark reads a format and a path from two parts, the second of which must be absolute. */
  def orNamed(parts: Seq[String], statement: TableStatement): LogicalPlan = parts match {
    case Seq(format, path) if isPath(path) => UnresolvedPathTable(Some(format), path, statement)
    case _ => UnresolvedTable(parts, statement.name)
  }

  private def isPath(part: String): Boolean = part.nonEmpty && new Path(part).isAbsolute
}

/**
 * A statement of ours on a table, as formats and messages know it.
 *
 * @param name
 *   what messages call it
 * @param isForOwnRecords
 *   whether it is about what this project keeps of a table: statistics, a log, replaced files. Other formats keep these
 *   themselves, with statements of their own
 * @param isToRepair
 *   whether these records may be damaged
 */
final case class TableStatement(name: String, isForOwnRecords: Boolean = false, isToRepair: Boolean = false)
