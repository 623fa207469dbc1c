// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ZOrderColumn

/**
 * One row of advice.
 *
 * @param files
 *   number of files that OPTIMIZE would write
 * @param readShare
 *   expected share of the table's bytes, 0 to 1, that the workload reads, on average over its scans
 * @param readShareNow
 *   the same of the files as they are
 * @param rewriteBytes
 *   bytes that OPTIMIZE would read and write
 * @param rewriteSeconds
 *   seconds that this takes, roughly
 * @param statement
 *   the OPTIMIZE to run; None where it would gain nothing
 */
private[advise] final case class AdvisedLayout(
    columns: Seq[ZOrderColumn],
    curve: String,
    targetFileBytes: Long,
    files: Int,
    readShare: Double,
    readShareNow: Double,
    rewriteBytes: Long,
    rewriteSeconds: Double,
    statement: Option[String],
    warnings: Seq[String])
