// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import java.util.concurrent.TimeUnit.NANOSECONDS
import java.util.concurrent.locks.ReentrantLock

import scala.collection.concurrent.TrieMap
import scala.ref.SoftReference
import scala.util.control.NonFatal

import io.sparkzorder.errors.Interruption

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.types.DataType

/**
 * The statistics of the files that a scan lists, of a format that keeps them in its own log.
 *
 * [[load]] is called while a query runs, never while it is planned. None where there are none, or too many files for
 * the driver's memory.
 */
trait ListedStatistics {
  def load(): Option[StatisticsByPath]

  /** What [[load]] has kept; None before, too. */
  def loaded: Option[StatisticsByPath]

  /** Whether there may be bounds of a column, as far as is known without them. */
  def mayBound(column: String, dataType: DataType): Boolean

  /** The number of all files of which [[load]] reads the statistics. */
  def files: Long
}

object ListedStatistics {

  /** What statistics may fail by while a query goes on without them: one that is cancelled must not. */
  object Failure {
    def unapply(e: Throwable): Option[Throwable] = Option(e).filter(e => NonFatal(e) && !Interruption.isIn(e))
  }
}

/** The statistics of files that are found by their paths. */
trait StatisticsByPath extends FilesWithStatistics {

  /** The number of a file; -1 where nothing is known of it. */
  def find(file: Path): Int
}

/**
 * The statistics of a version of a table that were loaded, for each time zone: once, and queries that come meanwhile wait. They
 * go where memory is short, and are loaded again.
 */
final class LoadedStatistics[S <: StatisticsByPath] {

  private val read = TrieMap.empty[String, SoftReference[S]]
  // When, in nanoseconds of this JVM.
  private val failed = TrieMap.empty[String, Long]
  private val loading = new ReentrantLock

  /** What [[load]] has kept; None before, too. Waits for nobody. */
  def loaded(zone: String): Option[S] = read.get(zone).flatMap(_.get)

  /**
   * What is kept, or else what is made now.
   *
   * @return
   *   None where it could not be made a moment ago: it would fail again for every query
   */
  def load(zone: String)(make: => S): Option[S] = loaded(zone).orElse {
    // A query that waits can be cancelled.
    loading.lockInterruptibly()
    try loaded(zone).orElse(Option.unless(hasFailed(zone))(kept(zone, make)))
    finally loading.unlock()
  }

  private def hasFailed(zone: String) =
    failed.get(zone).exists(at => NANOSECONDS.toMinutes(System.nanoTime() - at) < LoadedStatistics.MinutesAfterFailure)

  private def kept(zone: String, make: => S): S = {
    val made =
      try make
      catch {
        case ListedStatistics.Failure(e) =>
          failed(zone) = System.nanoTime()
          throw e
      }
    read(zone) = new SoftReference(made)
    made
  }
}

private object LoadedStatistics {
  private val MinutesAfterFailure = 10L
}
