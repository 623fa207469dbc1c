// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.analysis.{UnresolvedLeafNode, UnresolvedTable}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * A table named by its folder: `` delta.`/path` `` or `'/path'`.
 *
 * @param format
 *   the format in front of the path; None when the folder itself must tell
 * @param statement
 *   the statement that names it, for error messages
 */
case class UnresolvedPathTable(format: Option[String], path: String, statement: String) extends UnresolvedLeafNode {

  /** Whether the record that is kept of a table may be damaged. */
  def isToRepair: Boolean = statement == RepairableTable.Statement
}

object UnresolvedPathTable {

  /** The table of a name: as Spark reads a format and a path from two parts, the second of which must be absolute. */
  def orNamed(parts: Seq[String], statement: String): LogicalPlan = parts match {
    case Seq(format, path) if isPath(path) => UnresolvedPathTable(Some(format), path, statement)
    case _ => UnresolvedTable(parts, statement)
  }

  private def isPath(part: String): Boolean = part.nonEmpty && new Path(part).isAbsolute
}
