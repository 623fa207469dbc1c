// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import org.apache.spark.sql.AnalysisException
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
class ZOrderAnalysisException(
    condition: String,
    parameters: Map[String, String],
    cause: Option[Throwable] = None,
    origin: Origin = Origin())
    extends AnalysisException(
      message = ErrorConditions.message(condition, parameters),
      line = origin.line,
      startPosition = origin.startPosition,
      cause = cause,
      errorClass = Some(condition),
      messageParameters = parameters,
      // No query context: PySpark logs an error that has one, and for its text asks Spark's own list of conditions.
      context = Array.empty,
      sqlState = Some(ErrorConditions.sqlState(condition)),
      messageTemplate = Some(ErrorConditions.template(condition))
    )
