// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.rewrite

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.format.iceberg.listing.TableBranch

import org.apache.iceberg.{ManifestFiles, Snapshot, Table}
import org.apache.iceberg.util.SnapshotUtil

/**
 * Whether a table has the commit of a write, whatever its catalog has answered.
 *
 * @param since
 *   the version that was rewritten
 * @param id
 *   of the write, which stands in the summary of its snapshot
 */
private[iceberg] final class WrittenCommit(table: Table, branch: TableBranch, since: Snapshot, id: String) {

  /**
   * @param files
   *   where those of the write are
   * @return
   *   None where the table cannot be asked, or cannot be read
   */
  def isThere(files: Set[String]): Option[Boolean] = Try {
    table.refresh()
    val found = table.snapshots.asScala.find(s => Option(s.summary).exists(_.get(WrittenCommit.Id) == id))
    // Iceberg may have deleted what it had written for the commit.
    found.foreach(_.allManifests(table.io))
    found.isDefined || (!branch.latest.forall(isHistoryKnown) && hasAny(files))
  }.toOption

  /** Its snapshot may have expired, as when others commit and expire all but the latest. */
  private def isHistoryKnown(latest: Snapshot): Boolean =
    SnapshotUtil.ancestorIds(latest, (id: java.lang.Long) => table.snapshot(id)).contains(since.snapshotId)

  private def hasAny(files: Set[String]): Boolean =
    table.snapshots.asScala.flatMap(_.dataManifests(table.io).asScala).toSeq.distinctBy(_.path).exists { manifest =>
      Using.resource(ManifestFiles.read(manifest, table.io, table.specs)) { of =>
        of.asScala.exists(file => files(file.location))
      }
    }
}

private[iceberg] object WrittenCommit {

  /** In the summary of a snapshot: the id of the write that it has taken in, which is in the names of its files. */
  val Id = "spark-zorder.write"
}
