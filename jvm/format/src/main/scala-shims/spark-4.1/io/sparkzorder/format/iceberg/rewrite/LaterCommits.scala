// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.rewrite

import java.lang.{Iterable => JavaIterable}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.iceberg.{
  DeleteFile,
  FileContent,
  HasTableOperations,
  ManifestFile,
  ManifestFiles,
  Snapshot,
  SnapshotAncestryValidator,
  Table,
  TableUtil
}

/**
 * Whether the commit of a rewrite does no more than to swap files, whatever others have committed since the version that was
 * rewritten: equalities that were deleted since are deleted of the new files, too, as of all of a lower sequence number, and
 * no file is taken out that was added since.
 *
 * @param replaced
 *   where the files are that the rewrite takes out
 * @param changesSpec
 *   whether some of these are of another partition spec than the new ones
 * @param hasUnnumberedRows
 *   whether rows of these had no numbers: the next commit to a table of format version 3 numbers them
 */
private[iceberg] final class LaterCommits(
    table: Table,
    since: Snapshot,
    replaced: Set[String],
    changesSpec: Boolean,
    hasUnnumberedRows: Boolean)
    extends SnapshotAncestryValidator {

  private var reason = ""

  /** @param ancestors the latest snapshot first */
  override def validate(ancestors: JavaIterable[Snapshot]): Boolean = {
    val later = ancestors.asScala.iterator.takeWhile(_.snapshotId != since.snapshotId).toIndexedSeq
    val equalities = later.flatMap(_.addedDeleteFiles(table.io).asScala).filter(isEquality)
    val found =
      if (later.exists(_.addedDataFiles(table.io).asScala.exists(file => replaced(file.location))))
        Some("a file was added again")
      else if (later.nonEmpty && hasUnnumberedRows && TableUtil.supportsRowLineage(table))
        Some("rows were numbered")
      else if (equalities.isEmpty) None
      else if (changesSpec && equalities.exists(isInPartition))
        Some("an equality was deleted in partitions, while files came into a new partition spec")
      else if (haveGone(equalities, later))
        Some("an equality was deleted, and its delete was replaced")
      else if (!isKept(later.head, equalities.map(_.dataSequenceNumber.toLong).min))
        Some("an equality was deleted before all files that stay in the table were added")
      else None
    reason = found.getOrElse("")
    found.isEmpty
  }

  override def errorMessage: String = reason

  private def isEquality(delete: DeleteFile): Boolean = delete.content == FileContent.EQUALITY_DELETES

  /** Such a delete holds for files of its own spec alone, one without partitions for all files. */
  private def isInPartition(delete: DeleteFile): Boolean = !table.specs.get(delete.specId).isUnpartitioned

  /** As where somebody has made positions of them, in files that are taken out. */
  private def haveGone(equalities: Seq[DeleteFile], later: Seq[Snapshot]): Boolean = {
    val removed = later.flatMap(_.removedDeleteFiles(table.io).asScala).map(_.location).toSet
    equalities.exists(delete => removed(delete.location))
  }

  /**
   * Iceberg's commit drops deletes that are older than all files that stay, and does not look at those that it adds; but for
   * those that nothing has been committed after, in any branch.
   *
   * @param sequence
   *   the sequence number of the first of the deletes
   */
  private def isKept(latest: Snapshot, sequence: Long): Boolean =
    lastSequence.exists(_ <= sequence) || latest.dataManifests(table.io).asScala.exists { manifest =>
      manifest.minSequenceNumber <= sequence && staysSince(manifest, sequence)
    }

  private def lastSequence: Option[Long] = table match {
    case known: HasTableOperations => Some(known.operations.current.lastSequenceNumber)
    case _ => None
  }

  private def staysSince(manifest: ManifestFile, sequence: Long): Boolean =
    Using.resource(ManifestFiles.read(manifest, table.io, table.specs)) { files =>
      files.asScala.exists(file => file.dataSequenceNumber <= sequence && !replaced(file.location))
    }
}
