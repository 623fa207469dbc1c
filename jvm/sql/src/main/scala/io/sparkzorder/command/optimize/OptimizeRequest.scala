// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.column.ZOrderColumn

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * What an OPTIMIZE asks for, all names resolved.
 *
 * @param predicate
 *   the WHERE clause, over partition columns unless the options say that it chooses files
 */
final case class OptimizeRequest(
    columns: Seq[ZOrderColumn],
    predicate: Option[Expression],
    options: OptimizeOptions,
    dryRun: Boolean)
