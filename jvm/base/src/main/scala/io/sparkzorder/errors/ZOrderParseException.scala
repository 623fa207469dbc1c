// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import scala.jdk.CollectionConverters._

import org.apache.spark.QueryContext
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

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
    extends ParseException(
      text,
      place,
      "PARSE_SYNTAX_ERROR",
      Map("error" -> "'SORT BY'", "hint" -> ""),
      Array.empty[QueryContext]) {

  private def said: String = ErrorConditions.message(condition, parameters)

  override def getMessage: String = super.getMessage.replace((this: AnalysisException).message, said).stripPrefix("\n")

  override def getSimpleMessage: String = said

  override def withCommand(statement: String): ParseException =
    new ZOrderParseException(condition, parameters, Some(statement), place)

  override def getCondition: String = condition

  override def getSqlState: String = ErrorConditions.sqlState(condition)

  override def getMessageParameters: java.util.Map[String, String] = parameters.asJava

  override def getDefaultMessageTemplate: String = ErrorConditions.template(condition)
}
