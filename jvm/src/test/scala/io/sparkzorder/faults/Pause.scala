// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.faults

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.hadoop.fs.Path

/** Holds the first call of one kind that is chosen until it is released; other tasks go on concurrently. */
class Pause(call: String, chosen: => Boolean) extends FileFaults {

  private val taken = new AtomicBoolean
  private val reached = new CountDownLatch(1)
  private val released = new CountDownLatch(1)

  override def opening(path: Path): Unit = at("open")

  override def creating(path: Path): Unit = at("create")

  override def closing(path: Path): Unit = at("close")

  private def at(kind: String): Unit =
    if (kind == call && chosen && taken.compareAndSet(false, true)) {
      reached.countDown()
      Pause.await(released, "nobody released it")
    }

  /** Returns when the call has been made. */
  def awaitReached(): Unit = Pause.await(reached, s"no call to $call was made")

  def release(): Unit = released.countDown()
}

object Pause {
  // Far longer than anything takes; only a test that would hang notices.
  private def await(latch: CountDownLatch, otherwise: String): Unit =
    if (!latch.await(120, TimeUnit.SECONDS)) throw new IllegalStateException(otherwise)
}
