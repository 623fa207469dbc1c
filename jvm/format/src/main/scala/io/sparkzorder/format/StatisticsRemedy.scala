// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

/**
 * How to get the statistics of a column that no file of a table has.
 *
 * @param short
 *   in some 30 characters
 * @param full
 *   in a line, with the statements to run
 */
final case class StatisticsRemedy(short: String, full: String)
