// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import io.sparkzorder.format.parquet.folder.access.Access

/**
 * A copy of a file.
 *
 * @param known
 *   tells it from what somebody may put in its place
 * @param source
 *   access to the very file that was copied; None where it can be asked for by its path alone
 */
private[parquet] final case class CopiedFile(known: KnownFiles, source: Option[Access])
