package io.sparkzorder.errors

import org.apache.spark.sql.AnalysisException

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
 */
class ZOrderAnalysisException(condition: String, parameters: Map[String, String], cause: Option[Throwable] = None)
    extends AnalysisException(
      errorClass = condition,
      sqlState = ErrorConditions.sqlState(condition),
      messageTemplate = ErrorConditions.template(condition),
      messageParameters = parameters,
      cause = cause,
      message = Some(ErrorConditions.message(condition, parameters))
    )
