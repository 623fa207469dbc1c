// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.fs.statistics.IOStatisticsSupport.retrieveIOStatistics
import org.apache.spark.SparkEnv
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration

/**
 * Counts the requests that the driver and the executors make of an object store, from where it was made. It counts what
 * all of their work makes, as the clients of a store do, and each executor has a client of its own.
 *
 * Only of S3A, whose client counts each request; of other file systems nothing is asked. Who has a client of his own is
 * not counted, such as Delta Lake for the checksums of its log.
 */
private[command] final class StoreRequests private (session: SparkSession, root: Path) {
  import StoreRequests._

  private val context = session.sparkContext
  private val before = now()

  /**
   * The requests since then, by their kind, the most frequent first. None where they are not known: executors have come
   * that could not be asked before, or have gone.
   */
  def made(): Option[Seq[(String, Long)]] =
    for {
      first <- before
      last <- now()
      if first.keySet.subsetOf(last.keySet)
    } yield {
      // An executor that has come since began with none.
      val since = last.toSeq.flatMap { case (process, counts) =>
        counts.map { case (kind, count) => kind -> (count - first.get(process).flatMap(_.get(kind)).getOrElse(0L)) }
      }
      since.groupMapReduce(_._1)(_._2)(_ + _).filter(_._2 > 0).toSeq.sortBy { case (kind, count) => (-count, kind) }
    }

  /** By process; None where not every one of them has answered. */
  private def now(): Option[Map[String, Counts]] =
    try ofProcesses()
    catch { case NonFatal(_) => None }

  private def ofProcesses(): Option[Map[String, Counts]] = {
    val hadoop = new SerializableConfiguration(session.sessionState.newHadoopConf())
    val ofDriver = Driver -> counts(root, hadoop)
    if (context.isLocal) Some(Map(ofDriver))
    else {
      // Spark counts the driver among them.
      val executors = context.statusTracker.getExecutorInfos.length - 1
      Iterator.continually(ofExecutors(hadoop)).take(Attempts).collectFirst {
        case found if found.size >= executors => found + ofDriver
      }
    }
  }

  private def ofExecutors(hadoop: SerializableConfiguration): Map[String, Counts] = {
    val (tasks, name, conf) = (2 * context.defaultParallelism, root.toString, context.broadcast(hadoop))
    val found = context.parallelize(0 until tasks, tasks).map { _ =>
      // So that no executor runs all of them.
      Thread.sleep(PauseMillis)
      SparkEnv.get.executorId -> counts(new Path(name), conf.value)
    }
    try found.collect().toMap
    finally conf.destroy()
  }
}

private[command] object StoreRequests {

  private type Counts = Map[String, Long]

  // A name that no executor has.
  private val Driver = "driver"

  // Executors that are busy, or come just now, may take part in none of the jobs.
  private val Attempts = 3
  private val PauseMillis = 20L

  private val All = "audit_request_execution"
  private val Kinds = Map(
    "HEAD" -> "action_http_head_request",
    "GET" -> "action_http_get_request",
    "LIST" -> "object_list_request",
    "PUT" -> "object_put_request_completed",
    "DELETE" -> "object_delete_request"
  )
  // S3A does not count all of them apart: beginnings and ends of uploads, and deletions of many objects.
  private val Others = "others"

  /** Begins to count; None where the file system of a path does not count its requests. */
  def of(session: SparkSession, root: String): Option[StoreRequests] = {
    val path = new Path(root)
    if (areCounted(session, path)) Some(new StoreRequests(session, path)) else None
  }

  def areCounted(session: SparkSession, path: Path): Boolean =
    Try(counters(path.getFileSystem(session.sessionState.newHadoopConf())).contains(All)).getOrElse(false)

  private def counters(files: FileSystem): Map[String, java.lang.Long] =
    Option(retrieveIOStatistics(files)).fold(Map.empty[String, java.lang.Long])(_.counters.asScala.toMap)

  private def counts(path: Path, hadoop: SerializableConfiguration): Counts = {
    val found = counters(path.getFileSystem(hadoop.value)).map { case (name, count) => name -> count.longValue }
    val named = Kinds.map { case (kind, name) => kind -> found.getOrElse(name, 0L) }
    named + (Others -> (found.getOrElse(All, 0L) - named.values.sum))
  }
}
