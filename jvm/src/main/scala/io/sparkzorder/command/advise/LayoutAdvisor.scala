// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.advise.simulate.{KnownFiles, ScansToRead, WorkloadRead}
import io.sparkzorder.config.{TargetFileSize, ZOrderConf}
import io.sparkzorder.curve.Curve

import org.apache.spark.sql.SparkSession

/** Finds the best sets of columns, and for each the best file size and curve. */
private[advise] final class LayoutAdvisor(session: SparkSession, request: AdviceRequest) {
  import LayoutAdvisor._
  import request.{options, table}

  private val conf = session.sessionState.conf
  private val input = new AdviceInput(session, request)
  private val scans = ScansToRead.of(input.scans, input.snapshot.partitionSchema, input.partitions)
  private val trials = new LayoutTrials(input, scans, input.snapshot.recordedBounds)
  private val today = KnownFiles.real(input.files, input.partitions, input.sample.columns.map(_.column))

  private val targets = {
    val said = options.targetFileSize.orElse(input.snapshot.targetFileBytes.map(TargetFileSize.Asked))
    val asked = said.getOrElse(ZOrderConf.targetFileSize(conf)) match {
      case TargetFileSize.Asked(bytes) => Some(bytes)
      case TargetFileSize.Auto => TargetSizes.ofLastRuns(input.files)
    }
    TargetSizes.of(asked, conf.filesOpenCostInBytes)
  }
  // Whoever runs the statement may do so in another session: only what the table says need not stand in it.
  private val unsaidTarget = input.snapshot.targetFileBytes
  private val defaultCurve = ZOrderConf.curve(conf)
  private val warnings = new LayoutWarnings(input, today)

  /** The best first. */
  def advice(): Seq[AdvisedLayout] = {
    val size = targets.forSearch(input.bytes, math.min(trials.mostFiles, LayoutTrials.FilesToCompare))
    val curve = options.curve.getOrElse(defaultCurve)
    val tried = new SetSearch(columns => trials.compared(columns, curve, size).bytes).of(input.columns)
    val best = tried.take(BestSets) ++ tried.groupBy(_.columns.size).values.map(_.head)
    val judged = best.map(_.columns).distinct.map(judge).sortBy(_.rating)
    val now = readNow()
    // What reads more than today is no advice; if all does, the best of it alone is said, to show that there is none.
    val notWorse = judged.filter(_.read.bytes <= now.bytes)
    val shown = if (notWorse.isEmpty) judged.take(1) else notWorse
    val layouts = shown.map(layout(_, now.bytes))
    val first = shown.head
    val general = warnings.ofTable(now.bytes, first.read.bytes, first.columns, first.files, layouts.head.files)
    layouts.head.copy(warnings = layouts.head.warnings ++ general) +: layouts.tail
  }

  private def readNow(): WorkloadRead = scans.some(math.max(MostAnswers / today.size, 1)).share(today)

  /** The best size and curve for a set of columns. */
  private def judge(columns: Seq[Int]): Judged = {
    val curve = options.curve.getOrElse(defaultCurve)
    def cost(read: WorkloadRead) = targets.cost(read, input.bytes)
    val size =
      if (targets.isFixed) targets.sizes.head
      else targets.sizes.minBy(size => cost(trials.compared(columns, curve, size)))
    // One column has one order along any curve; another format has the curve that it has.
    val isGiven = options.curve.isDefined || columns.size == 1 || table.ownRewrite(Nil, size).isDefined
    val curves = if (isGiven) Seq(curve) else curve +: Curve.names.filter(_ != curve)
    curves
      .map { name =>
        val (files, read) = trials.judged(columns, name, size)
        Judged(columns, name, size, files, read, SetSearch.rated(cost(read), columns.size))
      }
      // The default, unless another is better by more than the sample's noise.
      .reduceLeft((best, other) => if (other.rating < best.rating * (1 - CurveNoise)) other else best)
  }

  private def layout(judged: Judged, now: Double): AdvisedLayout = {
    val chosen = judged.columns.map(input.sample.columns(_).column)
    AdvisedLayout(
      chosen,
      judged.curve,
      judged.targetFileBytes,
      warnings.plannedFiles(judged.files, judged.targetFileBytes),
      judged.read.bytes,
      now,
      input.bytes,
      rewriteSeconds,
      Option.when(judged.read.bytes < now)(statement(chosen, judged)),
      warnings.ofSet(judged.columns, judged.targetFileBytes, judged.files)
    )
  }

  private def rewriteSeconds: Double = RewriteCost.seconds(
    input.sample.rows / input.sample.share,
    input.bytes,
    input.partitions.size,
    session.sparkContext.defaultParallelism)

  private def statement(columns: Seq[ZOrderColumn], judged: Judged): String =
    table.ownRewrite(columns.map(_.path), judged.targetFileBytes).getOrElse {
      OptimizeText.of(
        table.nameInSql,
        columns,
        request.predicate,
        Some(judged.curve).filter(_ != defaultCurve),
        Some(judged.targetFileBytes).filterNot(unsaidTarget.contains))
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
      files: KnownFiles,
      read: WorkloadRead,
      rating: Double)
}
