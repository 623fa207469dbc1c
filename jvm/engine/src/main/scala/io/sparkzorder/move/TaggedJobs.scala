// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import java.util.concurrent.TimeUnit

import scala.annotation.tailrec

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging

/**
 * Jobs by a tag of their own. Spark ends a job as soon as one of its tasks has failed, while others still run and write
 * files; who deletes what a job has written waits for them.
 */
final class TaggedJobs(context: SparkContext, tag: String) extends Logging {

  /** The jobs of a body; if it fails, it does so when none of their tasks runs any more, or a minute later. */
  def run[A](body: => A): A = {
    context.addJobTag(tag)
    try body
    catch {
      case e: Throwable =>
        try awaitTasks(System.nanoTime + TimeUnit.MINUTES.toNanos(1))
        catch { case _: InterruptedException => Thread.currentThread.interrupt() }
        throw e
    } finally context.removeJobTag(tag)
  }

  @tailrec
  private def awaitTasks(deadline: Long): Unit =
    if (runningTasks > 0) {
      if (System.nanoTime > deadline) logWarning(s"Tasks of $tag still run; files that they write may be left")
      else {
        Thread.sleep(20)
        awaitTasks(deadline)
      }
    }

  private def runningTasks: Int = {
    val tracker = context.statusTracker
    val stages = tracker.getJobIdsForTag(tag).flatMap(job => tracker.getJobInfo(job)).flatMap(_.stageIds)
    stages.distinct.flatMap(stage => tracker.getStageInfo(stage)).map(_.numActiveTasks).sum
  }
}
