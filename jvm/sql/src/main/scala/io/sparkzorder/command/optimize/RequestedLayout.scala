// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.column.{ColumnPath, OrderColumns, ZOrderColumn}
import io.sparkzorder.command.optimize.select.VersionToOptimize
import io.sparkzorder.config.{TargetFileSize, ZOrderConf}
import io.sparkzorder.curve.Curve
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{BatchedRun, ClusterableSnapshot, ClusterableTable}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.quoteIfNeeded

/**
 * What an OPTIMIZE asks for: its words, and the session's settings for what they leave open.
 *
 * @param first
 *   the version of the table with which the statement began
 * @throws ZOrderAnalysisException
 *   where the table has a column no more
 */
private[command] final class RequestedLayout(
    session: SparkSession,
    table: ClusterableTable,
    command: OptimizeCommand,
    first: ClusterableSnapshot) {
  import command.{options, predicate}

  private val conf = session.sessionState.conf

  // Analysis may have seen an older version of the table.
  val columns: Seq[ZOrderColumn] =
    command.columns.map(_.in(first.schema).getOrElse(throw ZOrderErrors.tableChanged(table.name)))

  val paths: Seq[ColumnPath] = columns.map(_.path)

  def storedNames: Seq[Seq[String]] = paths.map(first.storedNames)

  def isCompaction: Boolean = command.isCompaction

  /** A compaction counts as incremental: it skips files that already fit. */
  val isIncremental: Boolean = isCompaction || options.incremental.getOrElse(ZOrderConf.incremental(conf))

  val curveName: String = options.curve.getOrElse(ZOrderConf.curve(conf))

  lazy val curve: Curve = Curve.of(curveName, columns.length)

  def batchBytes: Option[Long] = options.batchBytes.orElse(first.batchBytes)

  private def targetFileSize(snapshot: ClusterableSnapshot): TargetFileSize =
    options.targetFileSize
      .orElse(snapshot.targetFileBytes.map(TargetFileSize.Asked))
      .getOrElse(ZOrderConf.targetFileSize(conf))

  /** Whether it asks for new files as such: however little queries gain, the user gets them. */
  def isForNewFiles: Boolean = {
    val isCompressed = options.compression.isDefined || ZOrderConf.optimizeCompression(conf).isDefined
    options.force || isCompressed || batchBytes.isDefined || targetFileSize(first) != TargetFileSize.Auto
  }

  /**
   * Whether writers are to put rows into the order that the statement asks for. Of a single file it is not known: it may be
   * older than the order, or of a program without this extension.
   */
  def isOrderOfWriters: Boolean = curveName == Curve.names.head && table.order.exists { order =>
    order.isZOrder && order.columns.map(OrderColumns.find(_, first.schema, conf.resolver)) == paths.map(Some(_))
  }

  def in(snapshot: ClusterableSnapshot): VersionToOptimize =
    VersionToOptimize.of(snapshot, predicate, options.overlappingFiles, targetFileSize(snapshot), columns.size)

  /** Of all that decides which files the statement writes; the size of its batches does not. */
  def digest: String = {
    val names = storedNames.map(_.map(quoteIfNeeded).mkString("."))
    val where = predicate.fold("")(_.sql)
    val choice = options.overlappingFiles.toString
    val size = targetFileSize(first) match {
      case TargetFileSize.Asked(bytes) => bytes.toString
      case TargetFileSize.Auto => TargetFileSize.AutoName
    }
    val compression = options.compression.orElse(ZOrderConf.optimizeCompression(conf)).map(_.toString)
    BatchedRun.digest(Seq(first.id, curveName, size, choice, where) ++ compression ++ names)
  }

  /** Whether the statement means the same in a later version of the table. */
  def isSameIn(later: ClusterableSnapshot): Boolean = {
    def form(snapshot: ClusterableSnapshot) = {
      val schema = snapshot.schema
      val found = paths.map(c => if (c.isIn(schema)) Some((snapshot.storedNames(c), c.dataType(schema))) else None)
      (snapshot.id, snapshot.partitionSchema, found)
    }
    form(first) == form(later)
  }
}
