// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import scala.jdk.CollectionConverters._

import org.apache.spark.ErrorClassesJsonReader
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

/**
 * A statement or expression of this project that cannot be carried out as written.
 *
 * It is an `AnalysisException`, so that PySpark, Connect and JDBC map it as Spark's own errors; condition, SQLSTATE and
 * template come from this project's conditions, not from Spark's.
 *
 * @param condition
 *   a key of `error/zorder-error-conditions.json`
 * @param parameters
 *   a value for each `<name>` of its template
 * @param origin
 *   position of the fault in the user's text
 */
class ZOrderAnalysisException(condition: String, parameters: Map[String, String], origin: Origin = Origin())
    extends OwnAnalysisException(
      ErrorConditions.message(condition, parameters),
      condition,
      parameters,
      ErrorConditions.sqlState(condition),
      ErrorConditions.template(condition),
      origin)

/**
 * A statement of this project that failed while it ran. Nothing was committed. See [[ZOrderAnalysisException]].
 *
 * It is a `QueryExecutionException`, because PySpark knows that class: any other would reach the user as a Py4J error.
 */
class ZOrderRuntimeException(condition: String, parameters: Map[String, String], cause: Option[Throwable] = None)
    extends ConditionedFailure(ErrorConditions.message(condition, parameters), cause.orNull) {

  override def getCondition: String = condition

  override def getSqlState: String = ErrorConditions.sqlState(condition)

  override def getMessageParameters: java.util.Map[String, String] = parameters.asJava

  override def getDefaultMessageTemplate: String = ErrorConditions.template(condition)
}

/**
 * A text that the parser refuses, with its place. See [[ZOrderAnalysisException]].
 *
 * It is a `ParseException`, the one kind of error that an outer parser leaves as it is. Spark's makes its text of
 * Spark's own conditions only, so that it is given one of those here, and whatever it says of it is replaced.
 *
 * @param text
 *   the whole statement
 * @param place
 *   position of the fault in it
 */
class ZOrderParseException(condition: String, parameters: Map[String, String], text: Option[String], place: Origin)
    extends OwnParseException(
      text,
      place,
      "PARSE_SYNTAX_ERROR",
      Map("error" -> "'SORT BY'", "hint" -> ""),
      ErrorConditions.template(condition)) {

  private def said: String = ErrorConditions.message(condition, parameters)

  override def getMessage: String = super.getMessage.replace((this: AnalysisException).message, said).stripPrefix("\n")

  override def getSimpleMessage: String = said

  override def withCommand(statement: String): ParseException =
    new ZOrderParseException(condition, parameters, Some(statement), place)

  override def getCondition: String = condition

  override def getSqlState: String = ErrorConditions.sqlState(condition)

  override def getMessageParameters: java.util.Map[String, String] = parameters.asJava
}

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

/** Makes errors of conditions. */
private[errors] trait ErrorBuilder {

  protected def error(condition: String, parameters: (String, String)*): ZOrderAnalysisException =
    new ZOrderAnalysisException(condition, parameters.toMap)

  protected def locatedError(
      condition: String,
      origin: Origin,
      parameters: (String, String)*): ZOrderAnalysisException =
    new ZOrderAnalysisException(condition, parameters.toMap, origin = origin)

  protected def failure(condition: String, parameters: (String, String)*): ZOrderRuntimeException =
    new ZOrderRuntimeException(condition, parameters.toMap)

  protected def failure(condition: String, cause: Throwable, parameters: (String, String)*): ZOrderRuntimeException =
    new ZOrderRuntimeException(condition, parameters.toMap, Some(cause))

  protected def list(items: Seq[String]): String = if (items.isEmpty) "none" else items.mkString(", ")
}
