// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.repair

import io.sparkzorder.format.parquet.listing.TableListing
import io.sparkzorder.format.parquet.log.DamagedRewrite.{Given, NotGiven, Unreadable, Verdict}

/**
 * What the files of a folder say of a rewrite whose log cannot be read.
 *
 * @param added
 *   new files of the rewrite that are there
 * @param replaced
 *   old files that are there: those that the entry names, or files from before the rewrite all of whose rows are in new
 *   files
 * @param doubtful
 *   other files from before the rewrite that have some of its rows, and files from after it that have only such
 * @param later
 *   number of all files that came after the rewrite
 * @param isAllThere
 *   whether all new files are there; None where nothing says so
 * @param isNamed
 *   whether the entry can be read, which names the old files
 * @param replacedIsIn
 *   whether each row of the old files is in new ones, as often
 * @param addedIsElsewhere
 *   whether each row of the new files is in others, as often
 */
private[repair] final case class FolderEvidence(
    folder: String,
    added: Seq[TableListing.File],
    replaced: Seq[TableListing.File],
    doubtful: Seq[TableListing.File],
    later: Int,
    isAllThere: Option[Boolean],
    isNamed: Boolean,
    replacedIsIn: Boolean,
    addedIsElsewhere: Boolean) {
  import FolderEvidence._

  /**
   * What is to be done, or why that cannot be known. No file is taken out of the table unless its rows are in files that
   * stay, or a verdict that can be read says so. That rows are equal does not show which file an old one is: two loads may
   * have the same. So old files leave only where the entry names them.
   */
  def decide(verdict: Verdict): Either[String, Decision] = verdict match {
    case Given(moved) if !moved(folder) =>
      Right(TakeAdded("the verdict says that this folder keeps its old files"))
    case Given(_) =>
      oldFilesAreKnown.map(_ => TakeReplaced("the verdict says that the new files count", rename = false))
    case NotGiven if addedIsElsewhere =>
      Right(TakeAdded("no verdict was given, so that no old file was deleted; all rows are in other files"))
    case NotGiven => Left(s"no verdict was given, and yet rows of the new files in '$folder' are in no others")
    case Unreadable =>
      for (_ <- newFilesAreWhole; _ <- oldFilesAreKnown; _ <- oldFilesAreIn; _ <- nobodyElse) yield
        // A process may have slept since it read the verdict, and know it otherwise.
        TakeReplaced("all rows of old files are in the new ones", rename = true)
  }

  private def newFilesAreWhole: Either[String, Unit] =
    if (isAllThere.contains(false)) Left(s"not all new files of '$folder' are there") else Right(())

  private def oldFilesAreKnown: Either[String, Unit] =
    if (!isNamed && (replaced ++ doubtful).nonEmpty)
      Left(s"files of '$folder' have rows of the new ones, and only the entry told which are old")
    else Right(())

  private def oldFilesAreIn: Either[String, Unit] =
    if (doubtful.nonEmpty) Left(s"files of '$folder' have rows of the rewrite and cannot be told from old ones")
    else if (!replacedIsIn) Left(s"rows of old files of '$folder' are not all in new ones")
    else Right(())

  private def nobodyElse: Either[String, Unit] =
    if (replaced.isEmpty && later > 0)
      Left(s"old files of '$folder' are gone, and files came that may have been written in their place")
    else Right(())
}

private[repair] object FolderEvidence {

  /** @param reason how it is known that this is right */
  sealed abstract class Decision(val reason: String)

  /** New files leave the table. */
  final case class TakeAdded(why: String) extends Decision(why)

  /**
   * Old files leave the table.
   *
   * @param rename
   *   whether the new ones get names that no other process knows
   */
  final case class TakeReplaced(why: String, rename: Boolean) extends Decision(why)
}
