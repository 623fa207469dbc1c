// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.util.concurrent.{ConcurrentLinkedDeque, Semaphore}

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

  private val processes = mutable.ArrayBuffer.empty[Process]
  // Those that can go on, by their numbers.
  private var alive = IndexedSeq.empty[Int]
  private val finished = new Semaphore(0)
  private val calls = mutable.ArrayBuffer.empty[(Process, String)]
  private val choices = mutable.ArrayBuffer.empty[Choice]
  private var isDirty = false
  @volatile private var broken: Throwable = _

  def add(name: String)(body: => Unit): Unit = {
    alive :+= processes.size
    processes += new Process(this, processes.size, name, () => body)
  }

  /** All calls made, with who made them. */
  def trace: Seq[String] = calls.map { case (process, call) => s"${process.name}: $call" }.toSeq

  /** What the policy chose, for a replay. */
  def chosen: Seq[Choice] = choices.toSeq

  /** Runs all processes to their ends. */
  def run(): Unit = {
    choose().foreach(liveAndGoOn)
    finished.acquire()
    if (broken != null) throw broken
  }

  /** A process, and after its end the next one if that is still to begin: switching threads is what costs most. */
  @scala.annotation.tailrec
  private def liveAndGoOn(process: Process): Unit = {
    live(process)
    choose() match {
      case Some(next) if next.hasBegun =>
        next.turn.release()
      case Some(next) => liveAndGoOn(next)
      case None => finished.release()
    }
  }

  private def live(process: Process): Unit = {
    process.hasBegun = true
    Current.set(process)
    if (broken == null && !process.isKilled)
      try process.body()
      catch {
        case _: Killed =>
        case e: Throwable => if (broken == null) broken = new RuntimeException(s"${process.name} failed", e)
      }
    Current.set(null)
    alive = alive.filterNot(_ == process.number)
  }

  /** Called by the process that runs, before its call. */
  private def step(process: Process, call: String): Unit = {
    if (process.isKilled || broken != null) throw new Killed
    choose().filterNot(_ eq process).foreach { next =>
      if (next.hasBegun) next.turn.release() else Threads.run(() => liveAndGoOn(next))
      process.turn.acquire()
    }
    if (process.isKilled || broken != null) throw new Killed
    if (calls.size == MostCalls) broken = new IllegalStateException("a process never ends")
    calls += process -> call
  }

  /** Whose turn it is; None where all are done. */
  private def choose(): Option[Process] = {
    check()
    if (alive.isEmpty) None
    else {
      val choice = if (broken != null) Choice(alive.head, kill = true) else policy(alive, calls.size)
      choices += choice
      val to = processes(choice.process)
      if (choice.kill) {
        calls += to -> "killed"
        to.isKilled = true
      }
      Some(to)
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
  final class Killed extends ThreadDeath {
    override def fillInStackTrace(): Throwable = this
  }

  private final class Process(val scheduler: Scheduler, val number: Int, val name: String, val body: () => Unit) {
    val turn = new Semaphore(0)
    var hasBegun = false
    var isKilled = false
  }

  private val Current = new ThreadLocal[Process]

  /** Threads for processes, used again by the next schedules. */
  private object Threads {

    private final class Worker(private var task: () => Unit) extends Thread("simulated process") {
      setDaemon(true)
      private val turn = new Semaphore(0)

      override def run(): Unit = while (true) {
        task()
        idle.addFirst(this)
        turn.acquire()
      }

      def go(next: () => Unit): Unit = {
        task = next
        turn.release()
      }
    }

    private val idle = new ConcurrentLinkedDeque[Worker]()

    def run(task: () => Unit): Unit = Option(idle.pollFirst()).fold(new Worker(task).start())(_.go(task))
  }

  /** The process that runs; null for an observer. */
  def current: AnyRef = Current.get

  /** To be called before each call of the file system. */
  def before(call: => String): Unit = {
    val current = Current.get
    if (current != null) current.scheduler.step(current, call)
  }

  /** To be called after a call that changed what a reader may see. */
  def changed(): Unit = Option(Current.get).foreach(_.scheduler.isDirty = true)

  /** Runs `body` as an observer, whose calls are nobody's. */
  def unscheduled[T](body: => T): T = {
    val current = Current.get
    Current.set(null)
    try body
    finally Current.set(current)
  }
}
