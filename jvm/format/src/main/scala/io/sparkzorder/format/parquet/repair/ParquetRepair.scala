// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.repair

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.RepairableTable.Step
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.index.IndexRefresh
import io.sparkzorder.format.parquet.listing.{TableDefinition, TableListing}
import io.sparkzorder.format.parquet.log.{DamagedLog, DamagedRewrite, KeptName}
import io.sparkzorder.format.parquet.log.DamagedRewrite.{Document, Given, NotGiven, Unreadable}
import io.sparkzorder.format.parquet.rewrite.{PlainParquetCheck, RewriteLease}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/**
 * Makes a log whole again of which an entry or a verdict cannot be read.
 *
 * No other process gets past such a document. First a verdict is given where there is none, and staged files are taken
 * away: whoever slept since it knew the entry follows that, and can move no file in any more. Then the files are looked
 * at once more, and those that are too many leave the table, for a folder in `_zorder`. The documents are written last.
 * An interrupted repair is begun again and finds the same.
 */
private[parquet] final class ParquetRepair(session: SparkSession, table: TableDefinition, statement: String) {
  import ParquetRepair._
  import table.folder

  private val damaged = new DamagedLog(folder, table.rewriteLog)
  private val evidence = new Evidence(session, table, damaged, statement)

  /**
   * What a repair would do.
   *
   * @throws ZOrderRuntimeException
   *   where the files do not show it
   */
  def foresee(): Seq[Step] = folder.permitted {
    val id = damagedId()
    id.map(_._1).toSeq.map(idStep) ++ plans(id.fold(table.rewriteLog.id())(_._2)).flatMap(_.steps)
  }

  /** Does it. */
  def run(held: RewriteLease): Seq[Step] = folder.permitted {
    val id = damagedId()
    val foreseen = plans(id.fold(table.rewriteLog.id())(_._2))
    id.foreach { case (document, known) => damaged.mendId(document, known) }
    foreseen.foreach { p =>
      if (!p.rewrite.isClosed) {
        p.rewrite.verdict match {
          case NotGiven => damaged.giveVerdict(p.rewrite, p.moved)
          // For all ids that the rewrite may have: by the names of verdicts they are known from here on.
          case Given(moved) => damaged.giveVerdict(p.rewrite, moved)
          case Unreadable =>
        }
        // Somebody may have moved there what is closed to them.
        folder.trusting(damaged.documentsOf(p.rewrite))(damaged.setStagedAside(p.rewrite))
      }
    }
    // From here on no process moves files in. Another may have given the verdict.
    val now = if (foreseen.isEmpty) Nil else plans(table.rewriteLog.id())
    new PlainParquetCheck(table).checkAgain(now.flatMap(_.folders).flatMap(_.going).map(_.id.path))
    now.foreach(p => folder.trusting(damaged.documentsOf(p.rewrite))(carryOut(p)))
    if (now.nonEmpty) {
      new IndexRefresh(session, table).runOrWarn()
      held.changed()
    }
    id.map(_._1).toSeq.map(idStep) ++ merged(foreseen.flatMap(_.steps), now.flatMap(_.steps))
  }

  /** The log's document with its id, where that cannot be read, and the id. */
  private def damagedId(): Option[(Document, Option[String])] = damaged.damagedId().map { case (document, ids) =>
    if (ids.size > 1) {
      val reason = s"entries of several logs are there (${ids.sorted.mkString(", ")}), and it says which of them counts"
      throw ZOrderErrors.cannotRepair(table.name, Seq(inLog(document.name)), reason, Nil)
    }
    document -> ids.headOption
  }

  private def idStep(document: Document): Step = {
    val why = "the names of the entries tell it; where there is none, the next rewrite begins a log"
    val to = Some(relative(new Path(folder.setAside, "log")))
    Step(inLog(document.name), document.condition, None, None, "write the document anew", Nil, why, to)
  }

  private def plans(id: Option[String]): Seq[RepairPlan] = {
    val found = id.toSeq.flatMap(damaged.rewrites)
    lazy val files = table.listing(session).all()
    // Of two at once it cannot be known whose new files are whose.
    found.filterNot(_.isClosed).drop(1).foreach(r => throw unclear(r, "another rewrite is open and damaged, too", Nil))
    val plans = found.map { rewrite =>
      if (rewrite.ids.isEmpty && !rewrite.isClosed)
        throw unclear(rewrite, "nothing is left that tells which files the rewrite has written", Nil)
      if (!rewrite.isClosed) requireListed(rewrite, files)
      val of = if (rewrite.isClosed) Nil else evidence.of(rewrite, files)
      val changes = of.map(e => RepairPlan.Change(e, decided(rewrite, e), rewrite))
      RepairPlan(rewrite, relative(folder.rewriteLog), relative(damaged.placeOf(rewrite)), changes)
    }
    // Who may have written what is left of the log must be one who could take these files away.
    if (plans.nonEmpty) folder.requireNoMountInOwn(table.name)
    plans.foreach(p => folder.requireTrusted(p.folders.flatMap(_.going).map(_.id.path), damaged.placesOf(p.rewrite)))
    plans
  }

  /** Files of the rewrite in folders that are no partitions of the catalog would stay beside those that they replaced. */
  private def requireListed(rewrite: DamagedRewrite, listed: IndexedSeq[TableListing.File]): Unit = {
    val known = listed.map(_.id.path).toSet
    val isAdded = RepairPlan.isAdded(rewrite)
    val missing = dataBelow(folder.root).filter(path => isAdded(path) && !known(path))
    if (missing.nonEmpty) {
      val reason =
        "the catalog has no partition for folders with new files of the rewrite; add it (MSCK REPAIR TABLE, or " +
          "ALTER TABLE ... ADD PARTITION), or name the table by its path"
      throw ZOrderErrors.cannotRepair(table.name, rewrite.documents.map(d => inLog(d.name)), reason, missing.sorted)
    }
  }

  private def dataBelow(path: Path): Seq[String] = {
    val (folders, files) = folder.list(path).filterNot(_.getPath == folder.own).partition(_.isDirectory)
    // What lies where a link leads is not the table's.
    val within = folders.map(_.getPath).filterNot(f => folder.hasLink(relative(f)))
    files.map(_.getPath).filterNot(f => TableFolder.isHidden(f.getName)).map(relative) ++ within.flatMap(dataBelow)
  }

  private def decided(rewrite: DamagedRewrite, e: FolderEvidence): FolderEvidence.Decision =
    e.decide(rewrite.verdict).fold(why => throw unclear(rewrite, why, e.added ++ e.replaced ++ e.doubtful), identity)

  private def unclear(rewrite: DamagedRewrite, why: String, files: Seq[TableListing.File]) =
    ZOrderErrors.cannotRepair(table.name, rewrite.documents.map(d => inLog(d.name)), why, files.map(_.id.path).sorted)

  private def carryOut(plan: RepairPlan): Unit = {
    val identities = folder.identities(plan.folders.flatMap(_.going).map(_.id.path).distinct)
    val place = damaged.placeOf(plan.rewrite)
    def takeOut(file: TableListing.File) =
      folder.moveUnchanged(
        file.id,
        identities.get(file.id.path),
        isDue = true,
        new Path(place, new Path(null, null, KeptName.nameFor(file.id.path))))
    def rename(file: TableListing.File, to: String) =
      folder.renameUnchanged(file.id, identities.get(file.id.path), folder.resolve(to))
    def areThere(files: Seq[(String, Long)]) = files.forall { case (path, bytes) =>
      folder.status(folder.resolve(path)).exists(_.getLen == bytes)
    }
    val remaining = plan.folders.flatMap { c =>
      val kept = c.renamed.filterNot { case (file, to) => rename(file, to) }.map(_._1)
      // Old files stay as long as a new one may go, or has gone while this process slept.
      val out =
        if (kept.isEmpty) (c.addedOut ++ c.replacedOut).filterNot(f => areThere(c.staying) && takeOut(f)) else Nil
      kept ++ out
    }
    if (remaining.nonEmpty) throw ZOrderErrors.cannotDelete(folder.root.toString, remaining.map(_.id.path))
    damaged.mend(plan.rewrite)
  }

  private def relative(path: Path): String = folder.relative(path).get

  private def inLog(name: String): String = s"${relative(folder.rewriteLog)}/$name"
}

private object ParquetRepair {

  /** The files of the second look, with the reasons of the first, before which no verdict was given. */
  private def merged(foreseen: Seq[Step], done: Seq[Step]): Seq[Step] = {
    def key(s: Step) = (s.document, s.folder, s.action)
    val reasons = foreseen.map(s => key(s) -> s.reason).toMap
    done.map(s => s.copy(reason = reasons.getOrElse(key(s), s.reason)))
  }
}
