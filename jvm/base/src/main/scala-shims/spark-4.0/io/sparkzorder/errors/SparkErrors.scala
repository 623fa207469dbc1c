// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import org.apache.spark.QueryContext
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

/**
 * An `AnalysisException` of a condition that Spark does not know. Spark 4.0 asks for no template, and finds states of
 * its own only.
 */
private[errors] abstract class OwnAnalysisException(
    message: String,
    condition: String,
    parameters: Map[String, String],
    state: String,
    template: String,
    origin: Origin)
    extends AnalysisException(
      message = message,
      line = origin.line,
      startPosition = origin.startPosition,
      errorClass = Some(condition),
      messageParameters = parameters,
      // No query context: PySpark logs an error that has one, and for its text asks Spark's own list of conditions.
      context = Array.empty
    ) {

  override def getSqlState: String = state
}

/** A `ParseException` that Spark makes of one of its own conditions. Spark 4.0 asks for no template. */
private[errors] abstract class OwnParseException(
    text: Option[String],
    place: Origin,
    condition: String,
    parameters: Map[String, String],
    template: => String)
    extends ParseException(text, place, place, condition, parameters, Array.empty[QueryContext])

/** Spark's errors of the parser, with Spark's own conditions. */
private[sparkzorder] object SparkParseException {

  def apply(place: Origin, condition: String, parameters: Map[String, String]): ParseException =
    new ParseException(None, place, place, condition, parameters)
}
