// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.util.concurrent.Semaphore

import scala.collection.mutable

/**
 * Lets simulated processes, each a thread, make file-system calls one at a time: before each call `policy` says whose
 * call is next, or who is killed instead.
 *
 * @param policy
 *   by the processes that can go on, in a fixed order, and the number of calls so far
 * @param afterChange
 *   called after each call that changed the disk; throws where something is wrong
 */
final class Scheduler(policy: Scheduler.Policy, afterChange: () => Unit) {
  import Scheduler._

  private final class Process(val number: Int, val name: String, body: () => Unit) {
    val turn = new Semaphore(0)
    var isKilled = false
    var isDone = false
    var failure: Throwable = _
    val thread: Thread = new Thread(() => live(this, body), name)
  }

  private val processes = mutable.ArrayBuffer.empty[Process]
  private val finished = new Semaphore(0)
  private val calls = mutable.ArrayBuffer.empty[String]
  private val choices = mutable.ArrayBuffer.empty[Choice]
  private var isDirty = false
  @volatile private var broken: Throwable = _

  def add(name: String)(body: => Unit): Unit =
    processes += new Process(processes.size, name, () => body)

  /** All calls made, with who made them. */
  def trace: Seq[String] = calls.toSeq

  /** What the policy chose, for a replay. */
  def chosen: Seq[Choice] = choices.toSeq

  /** Runs all processes to their ends. */
  def run(): Unit = {
    processes.foreach(_.thread.start())
    next(None)
    finished.acquire()
    processes.foreach(_.thread.join())
    if (broken != null) throw broken
  }

  private def live(process: Process, body: () => Unit): Unit = {
    process.turn.acquire()
    Current.set((this, process.number))
    if (broken == null && !process.isKilled)
      try body()
      catch {
        case _: Killed =>
        case e: Throwable => if (broken == null) broken = new RuntimeException(s"${process.name} failed", e)
      }
    process.isDone = true
    next(Some(process))
  }

  /** Called by the process that runs, before its call. */
  private def step(process: Process, call: String): Unit = {
    if (process.isKilled || broken != null) throw new Killed
    next(Some(process))
    if (process.isKilled || broken != null) throw new Killed
    if (calls.size == MostCalls) broken = new IllegalStateException("a process never ends")
    calls += s"${process.name}: $call"
  }

  /** Gives the turn to the next process, and waits for the turn of the one that gave it. */
  private def next(from: Option[Process]): Unit = {
    check()
    val alive = processes.filterNot(_.isDone).toSeq
    if (alive.isEmpty) finished.release()
    else {
      val choice =
        if (broken != null) Choice(alive.head.number, kill = true) else policy(alive.map(_.number), calls.size)
      choices += choice
      val to = processes(choice.process)
      if (choice.kill) {
        calls += s"${to.name}: killed"
        to.isKilled = true
      }
      if (!from.contains(to) || to.isDone) {
        to.turn.release()
        from.filterNot(_.isDone).foreach(_.turn.acquire())
      }
    }
  }

  private def check(): Unit = if (isDirty && broken == null) {
    isDirty = false
    try unscheduled(afterChange())
    catch { case e: Throwable => broken = e }
  }

  /** How many calls were made. */
  def count: Int = calls.size
}

object Scheduler {

  final case class Choice(process: Int, kill: Boolean = false) {
    override def toString: String = s"${if (kill) "-" else ""}$process"
  }

  private val MostCalls = 20000

  type Policy = (Seq[Int], Int) => Choice

  /** The end of a process: no `catch` of the code takes it, and each call in its `finally` ends it again. */
  final class Killed extends ThreadDeath

  private val Current = new ThreadLocal[(Scheduler, Int)]

  /** To be called before each call of the file system. */
  def before(call: String): Unit = Option(Current.get).foreach { case (s, number) => s.step(s.processes(number), call) }

  /** To be called after a call that changed what a reader may see. */
  def changed(): Unit = Option(Current.get).foreach(_._1.isDirty = true)

  /** Runs `body` as an observer, whose calls are nobody's. */
  def unscheduled[T](body: => T): T = {
    val current = Current.get
    Current.remove()
    try body
    finally Current.set(current)
  }
}
