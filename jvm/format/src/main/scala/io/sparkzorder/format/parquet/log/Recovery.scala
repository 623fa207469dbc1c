// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.folder.access.OwnFiles

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging

/** Finishes the rewrites that other processes have begun, before a statement begins one of its own; see [[RewriteExecutor]]. */
private[parquet] final class Recovery(
    folder: TableFolder,
    log: RewriteLog,
    isRefused: Seq[String] => Boolean = _ => false,
    requireNoData: () => Unit = () => ())
    extends Logging {

  private val executor = new RewriteExecutor(folder, log, isRefused = isRefused)

  /**
   * Finishes every open rewrite, and deletes the staged files of those that never wrote an entry.
   *
   * @throws ZOrderRuntimeException
   *   where an old file cannot be deleted, where a folder is exchanged for another one meanwhile, where an open rewrite is of
   *   somebody who may not do what it says, and where data lies where staged files do
   */
  def run(): Unit = {
    val outcomes = log.readTrusted().open.flatMap { rewrite =>
      logWarning(s"${folder.root}: finishing the rewrite ${rewrite.entry.id}, which was interrupted")
      folder.trusting(log.documentsOf(rewrite.entry))(executor.execute(rewrite))
    }
    discard(OwnFiles.isKnown("staging", _), folder.isToClear, _ => None, requireNoData)
    val (remaining, exchanged) = (outcomes.flatMap(_.remaining), outcomes.flatMap(_.exchanged))
    if (remaining.nonEmpty) throw ZOrderErrors.cannotDelete(folder.root.toString, remaining)
    if (exchanged.nonEmpty) throw ZOrderErrors.filesChanged(folder.root.toString, exchanged)
  }

  /**
   * Deletes the staged files of rewrites without an entry, and aborts their uploads. A rewrite that writes its entry just
   * now finds its files missing, and keeps the old ones.
   *
   * @param of
   *   by the ids of the rewrites the files that can be none of the table's
   */
  def discard(of: Map[String, LeftoverFiles]): Unit = discard(of.contains, _ => true, of.get, () => ())

  private def discard(
      of: String => Boolean,
      isToClear: Path => Boolean,
      own: String => Option[LeftoverFiles],
      requireNoData: () => Unit): Unit =
    folder.listIfThere(folder.staging).foreach { listed =>
      val found = listed.map(_.getPath).filter(p => of(p.getName))
      if (found.nonEmpty) {
        requireNoData()
        val open = log.written().open.map(_.entry.id).toSet
        found.filterNot(p => open(p.getName)).filter(isToClear)
          .foreach(p => folder.removeRun(p, isOwn = own(p.getName)))
      }
      folder.removeIfEmpty(folder.staging)
    }
}
