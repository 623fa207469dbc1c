// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

/**
 * A statement of this project that failed while it ran. Nothing was committed. See [[ZOrderAnalysisException]].
 *
 * It is a `QueryExecutionException`, because PySpark knows that class: any other would reach the user as a Py4J error.
 */
class ZOrderRuntimeException(condition: String, parameters: Map[String, String], cause: Option[Throwable] = None)
    extends ConditionedFailure(ErrorConditions.message(condition, parameters), cause.orNull) {

  override def getCondition: String = condition

  override def getSqlState: String = ErrorConditions.sqlState(condition)

  override def getMessageParameters: java.util.Map[String, String] = {
    import scala.jdk.CollectionConverters._
    parameters.asJava
  }

  override def getDefaultMessageTemplate: String = ErrorConditions.template(condition)
}
