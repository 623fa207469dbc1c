// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import org.apache.spark.sql.catalyst.analysis.UnresolvedLeafNode

/**
 * A table named by its folder: `` delta.`/path` `` or `'/path'`.
 *
 * @param format
 *   the format in front of the path; None when the folder itself must tell
 * @param statement
 *   the statement that names it, for error messages
 */
case class UnresolvedPathTable(format: Option[String], path: String, statement: String) extends UnresolvedLeafNode
