// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat

/** What parsers of the Spark that this jar is for can do. */
private[compat] object SparkParsers {

  /**
   * Methods that `OtherSparkParser` hands on besides those that every Spark 4 has. Spark 4.0 has no more than every
   * Spark 4.
   */
  val methods: Set[String] = Set.empty
}
