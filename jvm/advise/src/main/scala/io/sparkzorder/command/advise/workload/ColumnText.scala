// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import io.sparkzorder.column.ColumnPath

import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * Finds columns in the text of filters: `name#12`, of a whole number also `name#12L`, and behind it the fields of a
 * struct, as in `name#12.field`.
 *
 * Names stand there as they are, with spaces, parentheses and commas. So they are not told by their signs, but are
 * those of the schema, of which the longest that fits counts.
 *
 * @param same
 *   whether two names are the same
 */
private[workload] final class ColumnText(schema: StructType, same: Resolver) {

  /** The column or field that stands at a place of a text, in the schema's spelling, and where it ends. */
  def at(text: String, start: Int): Option[(ColumnPath, Int)] =
    longest(schema, text, start, ColumnText.behindNumber(text, _)).map { case (column, end) =>
      inside(column, Seq(column.name), text, end)
    }

  @scala.annotation.tailrec
  private def inside(column: StructField, path: Seq[String], text: String, end: Int): (ColumnPath, Int) = {
    val found = column.dataType match {
      case struct: StructType if text.startsWith(".", end) => longest(struct, text, end + 1, Some(_))
      case _ => None
    }
    found match {
      case Some((field, behind)) => inside(field, path :+ field.name, text, behind)
      case None => (ColumnPath(path), end)
    }
  }

  /** The field with the longest name that stands at `start`, and the place behind it, if `behind` has one. */
  private def longest(
      struct: StructType,
      text: String,
      start: Int,
      behind: Int => Option[Int]): Option[(StructField, Int)] = {
    val found =
      for (field <- struct.fields.toSeq if stands(field.name, text, start); end <- behind(start + field.name.length))
        yield (field, end)
    found.maxByOption { case (field, _) => (field.name.length, text.startsWith(field.name, start)) }
  }

  private def stands(name: String, text: String, start: Int): Boolean =
    text.regionMatches(true, start, name, 0, name.length) && same(text.substring(start, start + name.length), name)
}

private object ColumnText {

  /** The place behind `#12` or `#12L`. */
  private def behindNumber(text: String, start: Int): Option[Int] =
    if (!text.startsWith("#", start)) None
    else {
      val found = text.indexWhere(!_.isDigit, start + 1)
      val end = if (found < 0) text.length else found
      if (end == start + 1) None else if (text.startsWith("L", end)) Some(end + 1) else Some(end)
    }
}
