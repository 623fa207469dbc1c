package io.sparkzorder.parser

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.parser._

/**
 * Puts the values of `:name` and `?` into the text of one of our statements.
 *
 * Spark's own substitution parses the whole statement with Spark's grammar, which does not know ours. So each marker is
 * handed to it alone, as `SELECT <marker>`: values print, and unbound markers fail, exactly as in any other statement.
 * The query of `EXPLAIN SKIPPING` is Spark's own grammar and goes to it whole, as not every colon in it is a marker.
 */
private[parser] object ParameterSubstitution {

  private val prefix = "SELECT "

  def substitute(sqlText: String, context: ParameterContext): String = Ownership.explainedQuery(sqlText) match {
    case Some(codePoints) =>
      val (ours, query) = sqlText.splitAt(sqlText.offsetByCodePoints(0, codePoints))
      ours + ParameterHandler.substituteParameters(query, context)._1
    case None => substituteMarkers(sqlText, context)
  }

  private def substituteMarkers(sqlText: String, context: ParameterContext): String = {
    val markers = Tokens.of(sqlText).filter(_.getType == ZOrderSqlBaseParser.PARAMETER).toSeq
    val positional = markers.filter(_.getText == "?")
    // From the last to the first, so that the places of those still to come stay true.
    markers.reverse.foldLeft(sqlText) { (text, marker) =>
      replace(text, marker, value(marker.getText, positional.indexOf(marker), context))
    }
  }

  private def value(marker: String, position: Int, context: ParameterContext): String = {
    val own = context match {
      case PositionalParameterContext(values) if marker == "?" => PositionalParameterContext(values.drop(position))
      case HybridParameterContext(values, names) if marker == "?" =>
        HybridParameterContext(values.drop(position), names.drop(position))
      case other => other
    }
    ParameterHandler.substituteParameters(prefix + marker, own)._1.stripPrefix(prefix)
  }

  private def replace(text: String, marker: Token, value: String): String = {
    // ANTLR counts code points, String counts UTF-16 units.
    val start = text.offsetByCodePoints(0, marker.getStartIndex)
    val end = text.offsetByCodePoints(0, marker.getStopIndex + 1)
    s"${text.substring(0, start)} $value ${text.substring(end)}"
  }
}
