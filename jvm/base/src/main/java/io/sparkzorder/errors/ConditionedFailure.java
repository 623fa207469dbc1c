// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors;

import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.execution.QueryExecutionException;

/**
 * A failure with a condition.
 *
 * <p>In Java, because a class of Scala's gets a method of its own for each that {@code SparkThrowable} has a body for. One of
 * them returns a type that Spark 4.0 does not have, and Py4J looks at all methods.
 */
abstract class ConditionedFailure extends QueryExecutionException implements SparkThrowable {

  ConditionedFailure(String message, Throwable cause) {
    super(message, cause);
  }

  /** Of {@code SparkThrowable}, too, from Spark 4.1 on. */
  public abstract String getDefaultMessageTemplate();
}
