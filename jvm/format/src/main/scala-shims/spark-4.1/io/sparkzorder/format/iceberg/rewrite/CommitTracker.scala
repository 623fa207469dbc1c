// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.rewrite

import org.apache.iceberg.{BaseTable, Table, TableMetadata, TableOperations}
import org.apache.iceberg.encryption.EncryptionManager
import org.apache.iceberg.io.{FileIO, LocationProvider}

/**
 * A table's catalog, and whether it has been asked for a commit. What fails before that, as where a manifest cannot be
 * written, has surely not come into the table.
 */
private[iceberg] final class CommitTracker private (theirs: TableOperations) extends TableOperations {

  @volatile private var isAsked = false

  def wasAsked: Boolean = isAsked

  override def commit(base: TableMetadata, changed: TableMetadata): Unit = {
    isAsked = true
    theirs.commit(base, changed)
  }

  override def current(): TableMetadata = theirs.current

  override def refresh(): TableMetadata = theirs.refresh()

  override def io(): FileIO = theirs.io

  override def encryption(): EncryptionManager = theirs.encryption

  override def metadataFileLocation(name: String): String = theirs.metadataFileLocation(name)

  override def locationProvider(): LocationProvider = theirs.locationProvider

  override def temp(uncommitted: TableMetadata): TableOperations = theirs.temp(uncommitted)

  override def newSnapshotId(): Long = theirs.newSnapshotId

  override def requireStrictCleanup(): Boolean = theirs.requireStrictCleanup
}

private[iceberg] object CommitTracker {

  /** The table with a tracker in its catalog's place; None for a table that has no operations of its own. */
  def of(table: Table): Option[(Table, CommitTracker)] = table match {
    case known: BaseTable =>
      val tracker = new CommitTracker(known.operations)
      Some((new BaseTable(tracker, known.name, known.reporter), tracker))
    case _ => None
  }
}
