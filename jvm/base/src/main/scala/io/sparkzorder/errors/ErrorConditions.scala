// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import org.apache.spark.ErrorClassesJsonReader

/** The error conditions of this project, read from `error/zorder-error-conditions.json` beside this class. */
private[errors] object ErrorConditions {

  // Of this class's own loader: the jar may be known to the session's loader only.
  private lazy val reader = new ErrorClassesJsonReader(Seq(getClass.getResource("/error/zorder-error-conditions.json")))

  def template(condition: String): String = reader.getMessageTemplate(condition)

  def sqlState(condition: String): String = reader.getSqlState(condition)

  /** The whole text that a user sees: condition, filled template, SQLSTATE; the form of Spark's own errors. */
  def message(condition: String, parameters: Map[String, String]): String =
    s"[$condition] ${reader.getErrorMessage(condition, parameters)} SQLSTATE: ${sqlState(condition)}"
}
