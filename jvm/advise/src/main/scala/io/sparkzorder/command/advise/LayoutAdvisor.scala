// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.config.{TargetFileSize, ZOrderConf}
import io.sparkzorder.curve.Curve

import org.apache.spark.sql.SparkSession

/** Finds the best sets of columns, and for each the best curve. */
private[advise] final class LayoutAdvisor(session: SparkSession, command: AdviseLayoutCommand, input: AdviceInput) {
  import LayoutAdvisor._
  import command.{options, table}

  private val conf = session.sessionState.conf
  private val scans = ScansToRead.of(input.scans, input.snapshot.partitionSchema, input.partitions)
  private val today = SimulatedFiles.real(input.files, input.partitions, input.sample.columns.map(_.column))

  private val isPartitioned = !input.snapshot.partitionSchema.isEmpty
  private val ofTable = input.snapshot.targetFileBytes.map(TargetFileSize.Asked)

  // As OPTIMIZE takes it, but for the size of the table's last run, with which it would be run again.
  private val targets = {
    def ofSession = ZOrderConf.targetFileSize(conf) match {
      case TargetFileSize.Auto => TargetSizes.ofLastRuns(input.groups, isPartitioned).getOrElse(TargetFileSize.Auto)
      case asked => asked
    }
    val size = options.targetFileSize.orElse(ofTable).getOrElse(ofSession)
    new TargetSizes(size, input.groups, isPartitioned, conf.filesOpenCostInBytes)
  }

  /** What the statement must say: whoever runs it may do so in another session, with the same table. */
  private val saidSize: Option[TargetFileSize] =
    Some(targets.size).filter(_ != ofTable.getOrElse(TargetFileSize.Auto))

  private val trials = new LayoutTrials(input, scans, targets, input.snapshot.recordedBounds)
  private val defaultCurve = ZOrderConf.curve(conf)
  private val warnings = new LayoutWarnings(input, today)

  /** The best first. */
  def advice(): Seq[AdvisedLayout] = {
    val curve = options.curve.getOrElse(defaultCurve)
    val tried = new SetSearch(columns => targets.cost(trials.compared(columns, curve))).search(input.columns)
    val best = tried.take(BestSets) ++ tried.groupBy(_.columns.size).values.map(_.head)
    val now = readNow()
    def isWorthIt(layout: Judged) = warnings.isWorthIt(now.bytes, layout.read.bytes)
    val judged = best.map(_.columns).distinct.map(judge).sortBy(layout => (!isWorthIt(layout), layout.rating))
    // What reads more than today is no advice; if all does, the best of it alone is said, to show that there is none.
    val notWorse = judged.filter(_.read.bytes <= now.bytes)
    val shown = if (notWorse.isEmpty) judged.take(1) else notWorse
    val layouts = shown.map(layout(_, now.bytes))
    val general =
      warnings.ofTable(now.bytes, shown.head.read.bytes, shown.head.columns, shown.head.files, layouts.head.files)
    val first = layouts.head.copy(warnings = layouts.head.warnings ++ general)
    first +: layouts.tail.map { other =>
      // Where the first is not worth it either, that has been said.
      if (other.statement.isDefined || first.statement.isEmpty) other
      else other.copy(warnings = other.warnings :+ LayoutWarnings.HardlyLess)
    }
  }

  private def readNow(): WorkloadRead = scans.some(math.max(MostAnswers / today.size, 1)).share(today)

  /** The best curve for a set of columns. */
  private def judge(columns: Seq[Int]): Judged = {
    val curve = options.curve.getOrElse(defaultCurve)
    val size = targets.largest(columns.size)
    // One column has one order along any curve; another format has the curve that it has.
    val isGiven = options.curve.isDefined || columns.size == 1 || command.foreign.isDefined
    val curves = if (isGiven) Seq(curve) else curve +: Curve.names.filter(_ != curve)
    curves
      .map { name =>
        val (files, read) = trials.judged(columns, name)
        Judged(columns, name, size, files, read, SetSearch.rated(targets.cost(read), columns.size))
      }
      // The default, unless another is better by more than the sample's noise.
      .reduceLeft((best, other) => if (other.rating < best.rating * (1 - CurveNoise)) other else best)
  }

  private def layout(judged: Judged, now: Double): AdvisedLayout = {
    val chosen = judged.columns.map(input.sample.columns(_).column)
    val files = warnings.plannedFiles(judged.files, targets.files(chosen.size))
    AdvisedLayout(
      chosen,
      judged.curve,
      judged.targetFileBytes,
      files,
      judged.read.bytes,
      now,
      input.bytes,
      rewriteSeconds,
      Option.when(warnings.isWorthIt(now, judged.read.bytes))(statement(chosen, judged)),
      warnings.ofSet(judged.columns, judged.targetFileBytes, judged.files, files)
    )
  }

  private def rewriteSeconds: Double = RewriteCost.seconds(
    input.sample.rows / input.sample.share,
    input.bytes,
    input.partitions.size,
    session.sparkContext.defaultParallelism)

  private def statement(columns: Seq[ZOrderColumn], judged: Judged): String =
    command.foreign.map(_.rewriteText(columns.map(_.path), judged.targetFileBytes)).getOrElse {
      OptimizeText.of(
        table.nameInSql,
        columns,
        command.predicate,
        Some(judged.curve).filter(_ != defaultCurve),
        saidSize)
    }
}

private object LayoutAdvisor {

  /** The best sets of whatever size that are judged, beside the best one of each size. */
  private val BestSets = 8

  /** Answers of the pruner about today's files: some seconds. */
  private val MostAnswers = 5000000

  private val CurveNoise = 0.02

  /** @param rating by what layouts are compared: what the workload costs, as a share of the table's bytes */
  private final case class Judged(
      columns: Seq[Int],
      curve: String,
      targetFileBytes: Long,
      files: SimulatedFiles,
      read: WorkloadRead,
      rating: Double)
}
