// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.sampling

import io.sparkzorder.layout.incremental.Sections

/**
 * The rows of one table partition that a rewrite lays out.
 *
 * @param sections
 *   their sections, which are laid out on their own
 * @param rows
 *   number of the rows, as far as it is known
 * @param targetFileBytes
 *   size of a file to aim at
 */
final case class GroupToPlan(
    name: String,
    sections: Sections,
    bytes: Long,
    rows: Long,
    areRowsKnown: Boolean,
    targetFileBytes: Long)
