// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat

import io.sparkzorder.parser.{SortClause, StatementRecognizer}

/**
 * Refuses texts that are ours, on a Spark that this jar is not for.
 *
 * @param error
 *   makes the error
 */
private[compat] class Refusal(error: () => Exception) {

  /** Throws where the text is one of our statements. */
  def ofStatement(sqlText: String): Unit = if (is(StatementRecognizer.isOurs(sqlText))) throw error()

  /** Throws where a statement of Spark's, which Spark could not read, has a clause of ours. */
  def ofClause(sqlText: String): Unit = if (is(SortClause.places(sqlText).nonEmpty)) throw error()

  private def is(found: => Boolean): Boolean =
    try found
    catch {
      // Text that is not ours to read, or a Spark whose lexer or ANTLR ours cannot use: the next parser has the word.
      case _: Exception | _: LinkageError => false
    }
}
