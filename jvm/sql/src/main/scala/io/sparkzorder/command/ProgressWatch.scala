// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import java.util.Collections

import scala.collection.mutable

import io.sparkzorder.config.ZOrderConf

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart, SparkListenerTaskEnd}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

/**
 * Publishes a statement's progress in a session setting: the one place that a classic session and Connect can both read
 * while the statement runs. A client that wants to know sets it empty, and unsets it afterwards. Of two statements at once
 * in a session the first one publishes.
 *
 * @param publish
 *   takes each new state, as text
 * @param closed
 *   called when the statement has ended
 */
private[command] class ProgressWatch(
    context: SparkContext,
    table: String,
    publish: String => Unit,
    closed: () => Unit = () => ())
    extends SparkListener {
  import ProgressWatch._

  private val id = java.util.UUID.randomUUID.toString
  private val phaseOfStage = mutable.HashMap.empty[Int, (Phase, Boolean)]
  private var round = Round(0, 0, 1, None)
  private var tasks = Phases.map(_ -> new PhaseTasks).toMap
  private var phase = Phases.head
  private var isOpen = true

  context.addSparkListener(this)

  /** The statement goes on with these files, `batch` of `batches`, if that is known. */
  def begins(files: Int, bytes: Long, batch: Int, batches: Option[Int]): Unit = synchronized {
    phase = Phases.head
    round = Round(files, bytes, batch, batches)
    tasks = Phases.map(_ -> new PhaseTasks).toMap
    phaseOfStage.clear()
    publishState()
  }

  /** Runs a part of a phase, whose jobs are known by a property. */
  def during[T](of: Phase)(body: => T): T = {
    synchronized { phase = of; publishState() }
    val before = context.getLocalProperty(Property)
    context.setLocalProperty(Property, s"$id $of")
    try body
    finally context.setLocalProperty(Property, before)
  }

  def close(): Unit = {
    synchronized { isOpen = false }
    context.removeSparkListener(this)
    closed()
  }

  override def onJobStart(job: SparkListenerJobStart): Unit = synchronized {
    val marker = Option(job.properties).flatMap(p => Option(p.getProperty(Property))).getOrElse("")
    val parents = job.stageInfos.flatMap(_.parentIds).toSet
    for (of <- Phases if marker == s"$id $of"; stage <- job.stageInfos if !phaseOfStage.contains(stage.stageId)) {
      val isMap = parents(stage.stageId)
      phaseOfStage(stage.stageId) = (of, isMap)
      tasks(of).start(isMap, stage.numTasks)
    }
  }

  override def onTaskEnd(task: SparkListenerTaskEnd): Unit = synchronized {
    for ((of, isMap) <- phaseOfStage.get(task.stageId) if task.taskInfo.successful) {
      tasks(of).end(isMap)
      publishState()
    }
  }

  private def publishState(): Unit = if (isOpen) {
    val at = Phases.indexOf(phase)
    val shares = Phases.zipWithIndex.map { case (p, i) => p -> (if (i < at) 1.0 else tasks(p).share) }
    val state = Map[String, Any](
      "table" -> table,
      "phase" -> phase,
      "files" -> round.files,
      "bytes" -> round.bytes,
      "batch" -> round.batch,
      "batches" -> round.batches,
      "shares" -> shares.toMap)
    publish(mapper.writeValueAsString(state))
  }
}

private[command] object ProgressWatch {

  type Phase = String
  val Sampling: Phase = "sampling"
  val Moving: Phase = "moving"
  val Committing: Phase = "committing"
  private val Phases = Seq(Sampling, Moving, Committing)

  private val Property = "io.sparkzorder.progress"
  private val mapper = new ObjectMapper().registerModule(DefaultScalaModule)

  /** A watch for the client of a session, if it wants to know. */
  def of(session: SparkSession, table: String): Option[ProgressWatch] = {
    val conf = session.sessionState.conf
    // The client may be gone by now, and nobody else would unset it.
    def publish(state: String): Unit = if (ZOrderConf.isWatched(conf)) ZOrderConf.publishProgress(conf, state)
    if (ZOrderConf.isWatched(conf) && watched.add(conf))
      Some(new ProgressWatch(session.sparkContext, table, publish, () => { watched.remove(conf); () }))
    else None
  }

  /** Sessions, by their settings, of which a statement publishes its progress. */
  private val watched: java.util.Set[SQLConf] =
    Collections.synchronizedSet(Collections.newSetFromMap(new java.util.IdentityHashMap[SQLConf, java.lang.Boolean]))

  private final case class Round(files: Int, bytes: Long, batch: Int, batches: Option[Int])

  /** Tasks whose output is shuffled and tasks that end a job: how many there are and how many are done. */
  private final class PhaseTasks {
    private val (total, done) = (Array(0, 0), Array(0, 0))

    private def kind(isMap: Boolean): Int = if (isMap) 0 else 1

    def start(isMap: Boolean, number: Int): Unit = total(kind(isMap)) += number

    def end(isMap: Boolean): Unit = done(kind(isMap)) += 1

    /** Every row goes through both kinds, where there are both, however many tasks they have. */
    def share: Double = {
      val shares = Seq(0, 1).filter(total(_) > 0).map(i => math.min(1.0, done(i).toDouble / total(i)))
      if (shares.isEmpty) 0.0 else shares.sum / shares.size
    }
  }
}
