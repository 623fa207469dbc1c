// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import scala.collection.mutable
import scala.util.{Try, Using}

import io.sparkzorder.errors.ZOrderErrors

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals

/**
 * The workload that Spark's event logs tell: every scan of the table that has a filter, as often as it ran.
 *
 * A scan without a filter reads all files in whatever layout, and is most often maintenance such as OPTIMIZE itself: it
 * does not count.
 */
private[advise] object EventLogWorkload {

  /**
   * @param path
   *   an event log, or a folder of logs: single files or rolled ones, compressed or not
   * @throws ZOrderAnalysisException
   *   where there is no log, and where none has a scan of the table with a filter that is understood
   */
  def of(session: SparkSession, path: String, table: String, folder: Option[Path], schema: StructType): Workload = {
    val conf = session.sessionState.conf
    val text = new FilterText(schema, toAttributes(schema), conf.resolver, conf.sessionLocalTimeZone)
    val seen = read(session, path, folder, text)
    val scans = seen.scans.values.toSeq
    if (scans.isEmpty) throw ZOrderErrors.eventLog(path, s"it has no scan of $table with a filter that is understood")
    val unreadable = seen.unreadable.headOption.map { first =>
      s"${seen.unreadable.size} files of the event log could not be read, $first among them"
    }
    val notUnderstood =
      if (seen.lost == 0) None else Some(s"${seen.lost} filters in the event log were not understood and are left out")
    val unfiltered =
      if (seen.unfiltered == 0) None
      else Some(s"${seen.unfiltered} scans in the event log have no filter and are left out")
    Workload.of(scans, Seq(notUnderstood, unfiltered, unreadable).flatten)
  }

  /**
   * @param scans
   *   the scans by their filters, whose texts differ from run to run, with how often they ran
   * @param lost
   *   number of filters that are not understood
   * @param unfiltered
   *   number of scans without a filter
   * @param unreadable
   *   names of files that are no logs, or damaged
   */
  private final case class Seen(
      scans: mutable.LinkedHashMap[Set[Expression], ScanFilters],
      var lost: Long,
      var unfiltered: Long,
      unreadable: mutable.Buffer[String]) {

    def add(lists: Seq[String], text: FilterText): Unit = {
      val (understood, lostOfLists) = lists.map(text.parse).unzip
      val filters = understood.flatten
      lost += lostOfLists.sum
      if (filters.isEmpty && lostOfLists.sum == 0) unfiltered += 1
      else if (filters.nonEmpty) {
        val scan = ScanFilters(filters, 1.0)
        scans(scan.key) = scans.get(scan.key).fold(scan)(seen => seen.copy(weight = seen.weight + 1))
      }
    }
  }

  private def read(session: SparkSession, path: String, folder: Option[Path], text: FilterText): Seen = {
    val root = new Path(path)
    val files = Try {
      val fs = root.getFileSystem(session.sessionState.newHadoopConf())
      (fs, SparkInternals.eventLogFiles(fs, root))
    }
    val (fs, logs) = files.getOrElse(throw ZOrderErrors.eventLog(path, "there is nothing that could be read"))
    val seen = Seen(mutable.LinkedHashMap.empty, 0L, 0L, mutable.Buffer.empty)
    for (log <- logs) {
      // A log may be large: one line is in memory at a time.
      val result = Using(scala.io.Source.fromInputStream(SparkInternals.openEventLog(log, fs), "UTF-8")) { source =>
        for (line <- source.getLines(); scan <- LoggedScans.of(line) if TableFolders.isIn(scan.folder, folder))
          seen.add(scan.filters, text)
      }
      if (result.isFailure) seen.unreadable += log.getName
    }
    if (logs.size == seen.unreadable.size) throw ZOrderErrors.eventLog(path, "there is no event log of Spark's in it")
    seen
  }
}
