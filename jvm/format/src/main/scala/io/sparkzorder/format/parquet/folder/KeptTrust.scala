// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import io.sparkzorder.errors.{RememberedWarnings, ZOrderErrors}
import io.sparkzorder.format.ListedFile

import org.apache.hadoop.fs.Path

/** Whether what is kept of a table counts, by whom it belongs to and who may write it; see [[FolderTrust]]. */
private[folder] trait KeptTrust { table: TableFolder =>
  import KeptTrust._

  /** What of it does not count, and why. */
  private def fault: Option[(Path, String)] = files.fault(Seq(own, rewriteLog, statistics, replaced))

  /** Likewise of a rewrite that names files of the table, by their paths in it, and lies at some places. */
  private def fault(named: Seq[String], places: Seq[Path], isOfOwner: Boolean = true): Option[(Path, String)] =
    files.fault(named.map(ListedFile.folderOf).distinct, Seq(own, rewriteLog, staging, replaced) ++ places, isOfOwner)

  /**
   * Takes files away, or moves them, because documents in the table say so. On a local disk these have to count, as in
   * [[isTrusted]], in each folder when it is open: somebody may have put another in its place since they were looked at.
   */
  def trusting[T](documents: Seq[Path])(body: => T): T = files.trusting(documents)(body)

  /** Whether that is being done. */
  def isTrusting: Boolean = files.isTrusting

  /**
   * Whether what is kept of the table counts. Readers go without it where it does not, statements end.
   */
  def isTrusted: Boolean = fault match {
    case Some(found) => isWarnedOf(found, Nil)
    case None =>
      warned.forget(w => w.root == root && w.rewrite.isEmpty)
      true
  }

  /** As above, of a rewrite that names files of the table, and lies at some places. */
  def isTrusted(named: Seq[String], places: Seq[Path]): Boolean =
    fault(named, places).forall(isWarnedOf(_, places))

  /** Whether documents that were read count where many may add files and touch none of another's; see [[FolderTrust]]. */
  def areOfTrusted(documents: Seq[Path]): Boolean = files.areOfTrusted(documents)

  /** @throws ZOrderRuntimeException where they do not */
  def requireOfTrusted(documents: Seq[Path]): Unit =
    if (!areOfTrusted(documents))
      refuse(documents.head -> "was somebody else's, or was gone, when its owner was asked for")

  /** Whether what is kept of the table counts where nothing but its place above shows whose it is. */
  def isOfOwner: Boolean = files.isOfOwner(Seq(own, rewriteLog, statistics))

  /** Whether a user is the superuser of a local disk, who reads everything. */
  def isSuperuser(user: String): Boolean = files.isSuperuser(user)

  /** Whether many may write into the folder, and delete what is right in it, as far as the file system reports it. */
  def isOfMany: Boolean = files.isOfMany

  private def isWarnedOf(what: (Path, String), rewrite: Seq[Path]): Boolean = {
    val (path, fault) = what
    if (warned.isNew(Distrust(root, path, fault, rewrite)))
      logWarning(
        s"$path $fault, and what is kept of the table is not used (WHERE A REWRITE IS NOT FINISHED, ITS ROWS ARE READ " +
          "TWICE): see ZORDER_NOT_TRUSTED")
    false
  }

  /** @throws ZOrderRuntimeException where what is kept of the table does not count, or is data that has its name */
  def requireTrusted(): Unit = {
    fault.foreach(refuse)
    requireNoData()
  }

  /** As above, of a rewrite that names files of the table, and lies at some places. */
  def requireTrusted(named: Seq[String], places: Seq[Path]): Unit = fault(named, places).foreach(refuse)

  /**
   * As above, of files that are read by what documents say. What the table's owner may have written says nothing of files in
   * folders that are closed to that owner, whose the statement may be that can read them: the superuser's.
   */
  def requireWordOf(named: Seq[String], places: Seq[Path]): Unit =
    fault(named, places, isOfOwner = false).foreach(refuse)

  private def refuse(what: (Path, String)): Unit =
    throw ZOrderErrors.notTrusted(what._1.toString, what._2, root.toString)
}

private object KeptTrust {

  private val warned = new RememberedWarnings[Distrust]

  /**
   * What is wrong with something that is kept of a table.
   *
   * @param rewrite
   *   the places of the rewrite that does not count for it; none where nothing of the table counts
   */
  private final case class Distrust(root: Path, path: Path, fault: String, rewrite: Seq[Path])
}
