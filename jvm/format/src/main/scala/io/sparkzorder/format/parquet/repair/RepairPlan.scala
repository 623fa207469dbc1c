// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.repair

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.RepairableTable.Step
import io.sparkzorder.format.parquet.listing.TableListing
import io.sparkzorder.format.parquet.log.{DamagedRewrite, RestoredNames}
import io.sparkzorder.format.parquet.repair.FolderEvidence.{Decision, TakeAdded, TakeReplaced}
import io.sparkzorder.format.parquet.repair.RepairPlan._

/**
 * What makes the log of a damaged rewrite whole again.
 *
 * @param log
 *   the folder of the log, relative to the table, as is `place`
 * @param place
 *   where files lie that are taken out of the table
 * @param folders
 *   what is done in each folder
 */
private[repair] final case class RepairPlan(rewrite: DamagedRewrite, log: String, place: String, folders: Seq[Change]) {

  /** The folders that have their new files. */
  def moved: Set[String] = folders.filterNot(_.decision.isInstanceOf[TakeAdded]).map(_.folder).toSet

  /** As the statement returns them. */
  def steps: Seq[Step] = {
    val (document, condition) = (rewrite.documents.head.name, rewrite.documents.map(_.condition).mkString("; "))
    def step(folder: Option[String], action: String, files: Seq[String], reason: String, movedTo: Option[String]) =
      Step(s"$log/$document", condition, Some(rewrite.number), folder, action, files, reason, movedTo)
    val ofFolders = folders.flatMap { c =>
      def out(action: String, files: Seq[TableListing.File]) =
        if (files.isEmpty) Nil
        else Seq(step(Some(c.folder), action, files.map(_.id.path).sorted, c.decision.reason, Some(place)))
      val renamed = c.renamed.map(_._2).sorted
      val names =
        if (renamed.isEmpty) Nil
        else {
          val why = "a process that sleeps since it read the verdict may take files of the old names away"
          Seq(step(Some(c.folder), "rename new files", renamed, why, None))
        }
      names ++ out("set aside new files", c.addedOut) ++ out("set aside old files", c.replacedOut)
    }
    val documents = rewrite.documents.map { d =>
      val why = if (rewrite.isClosed) "nothing was left to do in this rewrite" else "nothing is left to do after that"
      val to = Some(s"$place/_log")
      Step(s"$log/${d.name}", d.condition, Some(rewrite.number), None, "write the document anew", Nil, why, to)
    }
    ofFolders ++ documents
  }
}

private[repair] object RepairPlan {

  final case class Change(evidence: FolderEvidence, decision: Decision, rewrite: DamagedRewrite) {

    def folder: String = evidence.folder

    /** All that leave their places. */
    def going: Seq[TableListing.File] = addedOut ++ replacedOut ++ renamed.map(_._1)

    def addedOut: Seq[TableListing.File] = decision match {
      case _: TakeAdded => evidence.added
      case _ => Nil
    }

    def replacedOut: Seq[TableListing.File] = decision match {
      case _: TakeReplaced => evidence.replaced
      case _ => Nil
    }

    /** New files that get other names, with their new paths. */
    lazy val renamed: Seq[(TableListing.File, String)] = decision match {
      case TakeReplaced(_, true) =>
        val old =
          evidence.added.filterNot(f => RestoredNames.idOf(f.id.path).contains(newId(rewrite))).sortBy(_.id.path)
        // By the old path, not by what is left to rename: a repair that is begun again finds the same names.
        old.map(f => f -> RestoredNames.of(Seq(f.id.path), s"${newId(rewrite)}-${number(f.id.path)}").head)
      case _ => Nil
    }

    /** The new files with their bytes, where old ones leave: by their names from then on. */
    lazy val staying: Seq[(String, Long)] = decision match {
      case _: TakeReplaced =>
        val names = renamed.map { case (file, to) => file.id.path -> to }.toMap
        evidence.added.map(f => names.getOrElse(f.id.path, f.id.path) -> f.id.bytes)
      case _ => Nil
    }

    private def number(path: String): Long =
      UUID.nameUUIDFromBytes(path.getBytes(UTF_8)).getMostSignificantBits & Long.MaxValue
  }

  /** In the new names of files of a rewrite; always the same, so that another process goes on where one was interrupted. */
  def newId(rewrite: DamagedRewrite): String =
    UUID.nameUUIDFromBytes(s"${rewrite.log} ${rewrite.number} ${rewrite.id}".getBytes(UTF_8)).toString

  /** Whether a file is one of the rewrite's new ones, by its path. */
  def isAdded(rewrite: DamagedRewrite): String => Boolean = {
    val names = rewrite.entry.toSeq.flatMap(_.folders).flatMap(_.added.map(_.path)).toSet
    val (ids, again) = (rewrite.ids, newId(rewrite))
    path => {
      val name = ListedFile.nameOf(path)
      names(path) ||
      RestoredNames.idOf(path).fold(ids.exists(name.contains(_)))(id => id == again || ids.contains(id))
    }
  }
}
