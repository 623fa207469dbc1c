// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.simulate

/**
 * How much of a table a workload reads, by the pruner that queries use.
 *
 * @param bytes
 *   share of the table's bytes, 0 to 1, that a scan reads on average
 * @param files
 *   number of files that a scan opens on average
 */
private[advise] final case class WorkloadRead(bytes: Double, files: Double)
