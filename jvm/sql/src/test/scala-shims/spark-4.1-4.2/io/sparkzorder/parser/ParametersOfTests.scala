// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

/** How parameters reach a parser of Spark 4.1 and 4.2: it knows their values. */
object ParametersOfTests {
  val areKnownToParsers = true

  /** Until 4.1.3 Spark counts a character of two code units as one, and puts values behind it at a wrong place. */
  val haveTheirPlace: Boolean = !org.apache.spark.SPARK_VERSION.matches("4\\.1\\.[0-2](\\D.*)?")
}
