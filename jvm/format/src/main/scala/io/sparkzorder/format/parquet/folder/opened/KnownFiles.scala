// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import java.util.UUID

/**
 * What distinguishes a file that a process has made, and its sums, from what somebody may put in their places.
 *
 * @param process
 *   the process, which alone can compare them: on another machine, or by another mount, files may have other numbers
 * @param identities
 *   by the names of the files
 */
private[parquet] final case class KnownFiles(process: String, identities: Map[String, String]) {

  /** Both, made by the same process. */
  def and(other: KnownFiles): KnownFiles = copy(identities = identities ++ other.identities)

  /** None where another process has made them. */
  def here: Option[Map[String, String]] = Option.when(process == KnownFiles.Process)(identities)
}

private[parquet] object KnownFiles {

  /** This process. */
  private[opened] val Process = UUID.randomUUID.toString

  val none: KnownFiles = KnownFiles("", Map.empty)

  def of(identities: Map[String, String]): KnownFiles = KnownFiles(Process, identities)
}
