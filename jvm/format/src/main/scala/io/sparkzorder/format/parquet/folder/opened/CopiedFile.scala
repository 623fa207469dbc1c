// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import io.sparkzorder.format.parquet.folder.access.Access

/**
 * A copy of a file.
 *
 * @param known
 *   tells it from what somebody may put in its place
 * @param source
 *   the very file that was copied; None where it can be asked for by its path alone
 */
private[parquet] final case class CopiedFile(known: KnownFiles, source: Option[CopiedFile.Source])

private[parquet] object CopiedFile {

  /**
   * A file that was open when it was copied.
   *
   * @param identity
   *   see [[LocalIdentity.identity]]; None where it is not known
   */
  final case class Source(access: Access, identity: Option[String])
}
