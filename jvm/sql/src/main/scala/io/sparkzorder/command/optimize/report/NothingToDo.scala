// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.report

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.format.{DataFile, TableSnapshot}

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.toPrettySQL

/** Explains in a line for the user why an OPTIMIZE changes nothing. */
private[command] object NothingToDo {

  /**
   * @param curve
   *   the name of the curve
   * @param considered
   *   the files among which the statement chose
   */
  def reason(
      snapshot: TableSnapshot,
      columns: Seq[ZOrderColumn],
      predicate: Option[Expression],
      curve: String,
      considered: IndexedSeq[DataFile]): String = {
    val found = predicate match {
      case _ if considered.nonEmpty =>
        val by = s"(${columns.mkString(", ")}) along $curve"
        if (considered.forall(_.clustering.isDefined)) s"every file is clustered by $by, and there are no new files"
        else s"files are clustered by $by, and new ones add little to point lookups"
      case Some(condition) if snapshot.files(None).nonEmpty => s"no file matches ${toPrettySQL(condition)}"
      case _ => "the table has no files"
    }
    s"Nothing to do: $found."
  }
}
