// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import scala.collection.mutable
import scala.util.Random

import io.sparkzorder.format.parquet.log.Scheduler.{Choice, Policy}

/** Runs processes on a simulated table under a policy, and says how it came to a fault. */
object Exploration {

  /** A process by its name, as in a failing schedule. */
  type Cast = Seq[(String, SimulatedTable => Unit)]

  /**
   * @param calls
   *   file-system calls of all schedules
   * @param states
   *   states after a change that were checked
   * @param distinct
   *   those of them in which no schedule before has left the disk
   */
  final case class Count(schedules: Long, calls: Long, states: Long, distinct: Long) {
    def +(other: Count): Count =
      Count(schedules + other.schedules, calls + other.calls, states + other.states, distinct + other.distinct)
  }

  object Count { val none: Count = Count(0, 0, 0, 0) }

  /** States of the disk that were checked, by [[SimulatedDisk.mark]]. */
  final class States {
    private val marks = mutable.LongMap.empty[Unit]

    def size: Int = marks.size

    def add(mark: Long): Unit = marks(mark) = ()
  }

  /** @throws AssertionError with the list of calls, and with the choices that make them again */
  def run(
      kind: SimulatedDisk.Kind,
      cast: Cast,
      policy: Policy,
      known: States,
      remembered: Int = RewriteLog.Remembered): Count = {
    val table = new SimulatedTable(kind, remembered)
    try {
      var states = 0L
      val knownBefore = known.size
      val scheduler = new Scheduler(policy, () => { states += 1; known.add(table.disk.mark); table.check() })
      cast.foreach { case (name, body) => scheduler.add(name)(body(table)) }
      try {
        scheduler.run()
        table.checkEnd()
      } catch {
        case e: Throwable => throw new AssertionError(
            s"${rootOf(e).getMessage}\n" +
              s"on $kind, remembering $remembered, with ${cast.map(_._1).mkString(", ")}:\n" +
              s"${scheduler.trace.mkString("  ", "\n  ", "")}\nreplay: ${text(scheduler.chosen)}",
            e
          )
      }
      Count(1, scheduler.count, states, known.size - knownBefore)
    } finally table.close()
  }

  private def rootOf(e: Throwable): Throwable = if (e.getCause == null) e else rootOf(e.getCause)

  /** Choices as `0*12 1*3 -0`: so many calls of a process, and one killed. */
  def text(choices: Seq[Choice]): String = {
    val runs = choices.foldLeft(List.empty[(Choice, Int)]) {
      case ((last, n) :: before, choice) if last == choice => (last, n + 1) :: before
      case (before, choice) => (choice, 1) :: before
    }
    runs.reverse.map { case (c, n) => if (n == 1) c.toString else s"$c*$n" }.mkString(" ")
  }

  /** The policy that a failing schedule printed. */
  def replay(text: String): Policy = {
    val choices = text.split(' ').iterator.flatMap { part =>
      val Array(choice, n) = (part + "*1").split('*').take(2)
      Seq.fill(n.toInt)(Choice(choice.stripPrefix("-").toInt, choice.startsWith("-")))
    }.toIndexedSeq
    var i = -1
    (alive, _) => {
      i += 1
      choices.lift(i).filter(c => alive.contains(c.process)).getOrElse(Choice(alive.head))
    }
  }

  /** Each process in turn makes so many calls; then all go on to their ends, in the order given. */
  def stretches(parts: Seq[(Int, Int)], order: Seq[Int], killed: Set[Int] = Set.empty): Policy = {
    var left = parts.toList
    (alive, _) => {
      while (left.nonEmpty && (left.head._2 == 0 || !alive.contains(left.head._1))) left = left.tail
      left match {
        case (process, n) :: rest =>
          left = (process, n - 1) :: rest
          Choice(process)
        case _ => order.find(alive.contains).map(p => Choice(p, killed(p))).getOrElse(Choice(alive.head))
      }
    }
  }

  /**
   * By chance: how often processes change, whether some are killed, and one that sleeps until all other processes are
   * done.
   */
  def random(seed: Long): Policy = {
    val chance = new Random(seed)
    val change = Seq(0.02, 0.1, 0.4)(chance.nextInt(3))
    val kill = Seq(0.0, 0.0, 0.004, 0.02)(chance.nextInt(4))
    val sleeper = chance.nextInt(6)
    val sleepsFrom = chance.nextInt(150)
    var sleeps = false
    var running = -1
    (alive, calls) => {
      if (!sleeps && calls >= sleepsFrom && running == sleeper) sleeps = true
      val awake = if (sleeps && alive.size > 1) alive.filterNot(_ == sleeper) else alive
      if (!awake.contains(running) || chance.nextDouble() < change) running = awake(chance.nextInt(awake.size))
      Choice(running, chance.nextDouble() < kill / 10)
    }
  }
}
