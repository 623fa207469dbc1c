// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

/** How parameters reach a parser of Spark 4.1 and 4.2: it knows their values. */
object ParametersOfTests {
  val areKnownToParsers = true
}
