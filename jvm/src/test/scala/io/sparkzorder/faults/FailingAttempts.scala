// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.faults

import java.io.IOException
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext

/**
 * Lets the first attempts of one task fail at one kind of call.
 *
 * @param call
 *   open, read, create or close
 * @param attempts
 *   how many attempts fail
 * @param chosen
 *   whether the current task is in the job to disturb
 */
class FailingAttempts(call: String, attempts: Int, chosen: => Boolean) extends FileFaults {

  private val attemptsThatFailed = ConcurrentHashMap.newKeySet[Long]()

  /** How many attempts have failed. A writer of parquet-java 1.15 closes a file again whose close has failed. */
  def failed: Int = attemptsThatFailed.size

  private val reads = new ConcurrentHashMap[Long, Integer]

  override def opening(path: Path): Unit = at("open", path)

  // In the midst of a file: its footer has been read, and some of its rows.
  override def reading(path: Path, position: Long): Unit =
    if (call == "read" && TaskContext.get() != null &&
      reads.merge(TaskContext.get().taskAttemptId(), 1, (a: Integer, b: Integer) => a + b) == 4) at("read", path)

  override def creating(path: Path): Unit = at("create", path)

  override def closing(path: Path): Unit = at("close", path)

  private def at(kind: String, path: Path): Unit = {
    val task = TaskContext.get()
    if (kind == call && task != null && chosen && task.partitionId() == 0 && task.attemptNumber() < attempts) {
      attemptsThatFailed.add(task.taskAttemptId())
      throw new IOException(s"injected: cannot $kind ${path.getName}")
    }
  }
}
