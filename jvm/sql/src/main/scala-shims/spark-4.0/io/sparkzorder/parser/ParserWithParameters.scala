// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import org.apache.spark.sql.catalyst.parser.ParserInterface

/**
 * Parameters of statements. Spark 4.0 parses a text without their values, and puts them into the expressions of its
 * plan: there is no such expression where our grammar has a marker by itself, in a name or in the value of an option,
 * so that Spark says that it is not bound.
 */
private[parser] trait ParserWithParameters extends ParserInterface { self: ZOrderSqlParser => }
