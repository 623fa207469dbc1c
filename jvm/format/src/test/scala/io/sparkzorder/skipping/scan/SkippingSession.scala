// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import java.io.File

import io.sparkzorder.{JobLog, ZOrderSharedSession}
import io.sparkzorder.skipping.dynamic.{PruneByFirstRows, PruneByJoinKeys, ScanIndexes}
import io.sparkzorder.skipping.predicate.IndexedFiles

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{DataFrame, QueryTest, SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

/** A session whose queries skip files by indexes that tests put in memory. */
trait SkippingSession extends ZOrderSharedSession with JobLog with AdaptiveSparkPlanHelper { self: QueryTest =>

  override protected def validatesPlans: Boolean = true

  override protected def sessionExtensions: Seq[String] = Seq(classOf[SkippingTestExtension].getName)

  /** Forgets all indexes, then indexes the tables in `folders`, each as it is now. */
  protected def indexed[A](folders: File*)(body: => A): A = {
    IndexesInMemory.clear()
    folders.foreach(f => IndexesInMemory.add(spark, f))
    try body
    finally IndexesInMemory.clear()
  }

  /** Runs `body` with adaptive execution and without. */
  protected def adaptive(body: => Unit): Unit =
    for (on <- Seq("true", "false")) withSQLConf("spark.sql.adaptive.enabled" -> on)(body)

  /** Every file scan of a query that has run, those of subqueries too. */
  protected def scans(data: DataFrame): Seq[FileSourceScanExec] =
    collectWithSubqueries(data.queryExecution.executedPlan) { case s: FileSourceScanExec => s }

  protected def metric(scan: FileSourceScanExec, name: String): Long = scan.metrics(name).value

  /** Files read and files left out by the index, of the only scan of a query. */
  protected def filesOf(data: DataFrame): (Long, Long) = {
    val Seq(scan) = scans(data)
    (metric(scan, "numFiles"), scan.metrics.get(IndexedScanExec.FilesPruned).map(_.value).getOrElse(-1L))
  }

  /**
   * Checks that a query has the same rows without the index.
   *
   * @return
   *   the query after it has run with the index
   */
  protected def checked(query: => DataFrame): DataFrame = {
    val expected = withSQLConf("spark.sql.zorder.skipping.enabled" -> "false")(query.collect().toSeq)
    val data = query
    checkAnswer(data, expected)
    data
  }
}

class SkippingTestExtension extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectQueryStagePrepRule(session => new ReplaceParquetListing(session, IndexesInMemory))
    val indexes = new ScanIndexes(_ => None, _ => None, _ => None)
    extensions.injectQueryStagePrepRule(session => new PruneByJoinKeys(session, indexes))
    extensions.injectQueryStagePrepRule(session => new PruneByFirstRows(session, indexes))
    extensions.injectColumnar(session => new ReplaceParquetListing(session, IndexesInMemory).inColumnarRules)
    extensions.injectColumnar(session => new PruneByJoinKeys(session, indexes).inColumnarRules)
    extensions.injectColumnar(session => new PruneByFirstRows(session, indexes).inColumnarRules)
  }
}

/** Indexes of tables by folder, made by reading every file. */
object IndexesInMemory extends IndexSource {

  override def fingerprint(session: SparkSession, tableFolder: Path): AnyRef = None

  @volatile var asked = 0
  @volatile var failure = Option.empty[Throwable]

  /** What to leave out of listings of files, each given by its name, for old listings and for fresh ones. */
  @volatile var leavingOut: (Set[String], Boolean) => Option[Set[String]] = (_, _) => Some(Set.empty)
  @volatile private var indexes = Map.empty[Path, IndexedFiles]

  def clear(): Unit = {
    asked = 0
    failure = None
    leavingOut = (_, _) => Some(Set.empty)
    indexes = Map.empty
  }

  def add(session: SparkSession, folder: File): Unit = put(folder, FilesOfTable.index(session, folder))

  def put(folder: File, index: IndexedFiles): Unit = indexes += new Path("file:" + folder.getPath) -> index

  override def isTable(hadoop: Configuration, folder: Path): Boolean = indexes.contains(folder)

  override def latest(session: SparkSession, tableFolder: Path): Option[IndexedFiles] = {
    asked += 1
    failure.foreach(throw _)
    indexes.get(tableFolder)
  }

  override def filesToExclude(
      session: SparkSession,
      tableFolder: Path,
      listed: ListedFiles,
      isFresh: Boolean,
      isCovered: String => Boolean): Option[Set[String]] = leavingOut(listed.in(_ => true).map(_.path).toSet, isFresh)
}
