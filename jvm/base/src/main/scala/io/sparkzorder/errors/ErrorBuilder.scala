// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import org.apache.spark.sql.catalyst.trees.Origin

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
