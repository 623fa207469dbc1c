// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import scala.jdk.CollectionConverters._

import io.sparkzorder.format.BatchedRun

import org.apache.iceberg.{Snapshot, Table}
import org.apache.iceberg.util.SnapshotUtil

/**
 * The runs in batches that snapshots record, in their summaries. Where these have expired, an interrupted run begins
 * again.
 *
 * @param version
 *   the latest snapshot that is looked at
 */
private[iceberg] final class IcebergRuns(table: Table, version: Option[Snapshot]) {
  import IcebergRuns._

  // The latest first.
  private lazy val summaries: Seq[(String, Boolean)] = version.toSeq.flatMap { latest =>
    SnapshotUtil.ancestorsOf(latest.snapshotId, (id: java.lang.Long) => table.snapshot(id)).asScala.flatMap { snapshot =>
      // The first format version may have none.
      Option(snapshot.summary).flatMap(s => Option(s.get(Run)).map(_ -> (s.get(Finished) == "true")))
    }
  }

  private lazy val ids: Map[String, String] = summaries.map { case (id, _) => ClusteringInName.runId(id) -> id }.toMap

  /** The id of a run, by what stands for it in the names of files. */
  def idOf(inName: String): Option[String] = ids.get(inName)

  /** The run of a statement that has begun and not ended. */
  def open(statement: String): Option[BatchedRun] = for {
    (id, isFinished) <- summaries.find(_._1.startsWith(s"$statement-")) if !isFinished
    number <- id.stripPrefix(s"$statement-").toLongOption
  } yield BatchedRun(statement, number)
}

private[iceberg] object IcebergRuns {

  private val Run = "spark-zorder.run"
  private val Finished = "spark-zorder.run-finished"

  /** What a commit of a run says of it. */
  def summary(mark: BatchedRun.Mark): Map[String, String] =
    Map(Run -> mark.run.id, Finished -> mark.finished.toString)
}
