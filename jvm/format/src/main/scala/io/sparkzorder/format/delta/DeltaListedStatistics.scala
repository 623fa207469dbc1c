// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import java.util.{Collections, WeakHashMap}

import scala.collection.mutable

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.format.TextBounds
import io.sparkzorder.skipping.predicate.{ListedStatistics, LoadedStatistics, StatisticsByPath}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.files.{TahoeBatchFileIndex, TahoeFileIndex}
import org.apache.spark.sql.delta.implicits._
import org.apache.spark.sql.delta.sources.DeltaSQLConf
import org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex
import org.apache.spark.sql.execution.datasources.FileIndex
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** The statistics of the files of a Delta scan, out of the version that it reads; MERGE, UPDATE and DELETE have a scan, too. */
private[delta] object DeltaListedStatistics {

  /** None for other file indexes, such as those of changes, whose files a version need not have. */
  def of(session: SparkSession, location: FileIndex): Option[ListedStatistics] = location match {
    // The names of columns may then be those of another version.
    case _ if !session.sessionState.conf.getConf(DeltaSQLConf.DELTA_SCHEMA_ON_READ_CHECK_ENABLED) => None
    case prepared: PreparedDeltaFileIndex => Some(of(session, prepared, prepared.preparedScan.scannedSnapshot))
    case batch: TahoeBatchFileIndex if batch.getClass == classOf[TahoeBatchFileIndex] =>
      batch.snapshot match {
        case snapshot: Snapshot => Some(of(session, batch, snapshot))
        case _ => None
      }
    case _ => None
  }

  private def of(session: SparkSession, index: TahoeFileIndex, snapshot: Snapshot): ListedStatistics =
    new ListedStatistics {
      private def zone = session.sessionState.conf.sessionLocalTimeZone

      private def kept = known.computeIfAbsent(snapshot, _ => new LoadedStatistics[DeltaStatisticsByPath])

      override def loaded: Option[DeltaStatisticsByPath] = kept.loaded(zone)

      override def mayBound(column: String, dataType: DataType): Boolean =
        dataType.isInstanceOf[StructType] || DeltaStatistics.hasBounds(dataType)

      override def files: Long = snapshot.numOfFiles

      override def load(): Option[DeltaStatisticsByPath] =
        if (snapshot.numOfFiles > MaxFiles) None
        else kept.load(zone) {
          new DeltaStatisticsByPath(
            snapshot.metadata.schema,
            zone,
            DeltaFile.actions(session, snapshot).as[AddFile].collect(),
            file => index.absolutePath(file.path)
          )
        }
    }

  /** In the metadata of a column whose type was widened. */
  private[delta] val TypeChanges = "delta.typeChanges"

  // Delta puts the greatest character after a text that it cuts.
  private[delta] val AfterCut = UTF8String.fromString("\udbff\udfff")

  /** The statistics of more files take too much of the driver's memory. */
  private val MaxFiles = 100000

  // As long as Delta itself keeps a version. The values must not lead back to their keys.
  private val known = Collections.synchronizedMap(new WeakHashMap[Snapshot, LoadedStatistics[DeltaStatisticsByPath]])
}

/**
 * @param schema
 *   schema of the table
 * @param zone
 *   time zone of timestamps that are written without one
 */
private[delta] class DeltaStatisticsByPath(
    schema: StructType,
    zone: String,
    actions: Array[AddFile],
    absolute: AddFile => Path)
    extends StatisticsByPath {

  private val read = new DeltaStatistics(schema, Some(zone))
  private val numbers: Map[Path, Int] = actions.iterator.map(absolute).zipWithIndex.toMap
  // With the rows that a deletion vector hides, of which the statistics are, too.
  private val physicalRows: Array[Long] = actions.map(_.numPhysicalRecords.map(_.toLong).getOrElse(-1L))
  private val liveRows: Array[Long] =
    actions.map(a => (a.numPhysicalRecords.fold(0L)(_.toLong) - a.numDeletedRecords).max(0))
  private val texts: Array[String] = actions.map(_.stats)
  private val columns = mutable.Map.empty[ColumnPath, ColumnStatistics.OfFiles]

  override def size: Int = texts.length

  override def find(file: Path): Int = numbers.getOrElse(file, -1)

  override def rows(file: Int): Long = physicalRows(file)

  override def rowsAtLeast(file: Int): Long = liveRows(file)

  override def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles] = {
    val column = ColumnPath(path)
    val isKnown = column.isIn(schema) && column.dataType(schema) == dataType && DeltaStatistics.hasBounds(dataType) &&
      !(dataType == DoubleType && wasFloat(path, schema))
    Option.when(isKnown)(synchronized(columns.getOrElseUpdate(column, load(column, dataType))))
  }

  /** Whether files may hold a column as FLOAT, whose text in the log is another DOUBLE. */
  private def wasFloat(path: Seq[String], within: StructType): Boolean = {
    val field = within(path.head)
    field.metadata.contains(DeltaListedStatistics.TypeChanges) || (field.dataType match {
      case inner: StructType if path.size > 1 => wasFloat(path.tail, inner)
      case _ => false
    })
  }

  private def load(column: ColumnPath, dataType: DataType): ColumnStatistics.OfFiles = {
    // Other writers than Delta's leave NaN out of the bounds, as footers do.
    val isFloating = dataType == FloatType || dataType == DoubleType
    ColumnStatistics.ofFiles(texts.toIndexedSeq.map { text =>
      val known = read.parse(text).fold(ColumnStatistics.unknown)(read.column(_, column))
      val bounded = known.copy(max = DeltaStatistics.readerMax(known.max, dataType), mayHoldNaN = isFloating)
      if (isSure(bounded.min) && isSure(bounded.max)) bounded else bounded.unbounded
    })
  }

  private def isSure(bound: Any): Boolean = TextBounds.isSure(bound, DeltaListedStatistics.AfterCut)
}
