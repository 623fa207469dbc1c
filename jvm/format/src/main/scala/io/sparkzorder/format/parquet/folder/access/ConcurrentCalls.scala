// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.io.InterruptedIOException
import java.security.PrivilegedExceptionAction
import java.util.concurrent.{Callable, ExecutionException, Executors, Future, ThreadFactory}

import org.apache.hadoop.security.UserGroupInformation

/** Calls to a file system elsewhere, several at once: each of them mostly waits for the network. */
private[folder] object ConcurrentCalls {

  // Such a call takes a NameNode much less than the network: others hardly notice so many.
  val MostThreads = 16

  /**
   * Makes a call for each of `asked`, as this thread's user, while `body` uses the answers. An error comes out where `body`
   * uses the answer; calls that have not begun when `body` ends are not made.
   *
   * @param asked
   *   all different, in the order in which `body` uses them
   * @throws InterruptedIOException
   *   where this thread is interrupted, as of a call that it makes itself
   */
  def during[A, B, C](asked: IndexedSeq[A], call: A => B)(body: (A => B) => C): C =
    if (asked.size < 2) body(call)
    else {
      val user = UserGroupInformation.getCurrentUser
      def task(of: A): Callable[B] = () =>
        user.doAs(new PrivilegedExceptionAction[B] {
          override def run(): B = call(of)
        })
      val threads = Executors.newFixedThreadPool(math.min(asked.size, MostThreads), daemons)
      try {
        val begun = asked.iterator.map(a => a -> threads.submit(task(a))).toMap
        body(a => answer(begun(a)))
      } finally threads.shutdownNow(): Unit
    }

  private def answer[B](of: Future[B]): B =
    try of.get()
    catch {
      case e: ExecutionException => throw e.getCause
      case e: InterruptedException =>
        // As Hadoop's own client has it.
        Thread.currentThread().interrupt()
        throw new InterruptedIOException("interrupted while a file system was asked").initCause(e)
    }

  private val daemons: ThreadFactory = task => {
    val thread = new Thread(task, "spark-zorder access")
    thread.setDaemon(true)
    thread
  }
}
