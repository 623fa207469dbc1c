// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import java.util.concurrent.atomic.AtomicBoolean

import scala.collection.immutable.ListMap
import scala.collection.mutable
import scala.util.control.NonFatal

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.format.TableFormats

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.QueryExecutionListener
import org.apache.spark.sql.zorder.SparkInternals

/**
 * Records of each query that has run what ADVISE LAYOUT needs of it, where `spark.sql.zorder.advise.record` says so: a
 * line for each table, with the filters of all its scans, if one has any. docs/advice.md describes a line.
 *
 * Spark calls it on the thread of its listeners; no query waits for it.
 */
private[workload] final class QueryRecorder(formats: TableFormats) extends QueryExecutionListener {

  private val recordings = mutable.Map.empty[String, Recording]

  // What is thrown here may end the thread of all listeners, and Spark with it.
  override def onSuccess(name: String, execution: QueryExecution, nanos: Long): Unit =
    try {
      val session = execution.sparkSession
      ZOrderConf.recordFolder(session.sessionState.conf).foreach { folder =>
        val target = synchronized(
          recordings.getOrElseUpdate(folder, new Recording(folder, session.sessionState.newHadoopConf())))
        lines(execution, session.sessionState.conf).foreach(target.add)
      }
    } catch { case e @ (NonFatal(_) | _: LinkageError | _: StackOverflowError) => QueryRecorder.warn(e) }

  override def onFailure(name: String, execution: QueryExecution, exception: Exception): Unit = ()

  private def lines(execution: QueryExecution, conf: SQLConf): Iterable[String] = {
    val json = new FilterJson.Writer(ZOrderConf.recordsValues(conf))
    val scans = new QueriedTables(execution).scans(formats.scan(_).isDefined)
    scans.groupBy(QueryRecorder.tableOf).collect {
      case (Some((kind, table)), ofTable) if ofTable.exists(_.filters.exists(QueryRecorder.selects(json, _))) =>
        QueryRecorder.mapper.writeValueAsString(
          ListMap[String, Any](kind -> table, "scans" -> ofTable.map(_.filters.flatMap(json.of))))
    }
  }
}

private[workload] object QueryRecorder extends Logging {

  /** As Spark says of every join, a column must not be NULL: that alone selects no files. */
  private def selects(json: FilterJson.Writer, filter: Expression): Boolean =
    !filter.isInstanceOf[IsNotNull] && json.of(filter).isDefined

  private val mapper = new ObjectMapper().registerModule(DefaultScalaModule)

  private def tableOf(scan: TableScan): Option[(String, String)] =
    scan.source.map("table" -> _).orElse(scan.folders.headOption.filterNot(isOfALog).map { first =>
      "folder" -> abovePartitions(first).toString
    })

  /** The names of partitions' folders are values. What lies right in one is a file of it that is read alone. */
  @scala.annotation.tailrec
  private def abovePartitions(path: Path): Path = {
    val parent = path.getParent
    if (parent != null && (path.getName.contains('=') || parent.getName.contains('='))) abovePartitions(parent)
    else path
  }

  private val hasWarned = new AtomicBoolean

  private def warn(e: Throwable): Unit =
    if (!hasWarned.getAndSet(true)) logWarning("A query could not be recorded; it is said once", e)

  /** Whether it is a file in a hidden folder, as those are that formats read for themselves. */
  private def isOfALog(path: Path): Boolean =
    path.getParent != null && path.getParent.getName.startsWith("_") && path.getName.contains('.')
}

/** Lets a session record its queries as soon as one is analysed while the setting is on. */
final class RecordQueries(session: SparkSession, formats: TableFormats) extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit =
    if (ZOrderConf.recordFolder(session.sessionState.conf).isDefined) {
      // A copy of a session has its listeners.
      session.listenerManager.synchronized {
        if (!SparkInternals.queryListeners(session).exists(_.isInstanceOf[QueryRecorder]))
          session.listenerManager.register(new QueryRecorder(formats))
      }
    }
}
