package io.sparkzorder.format.delta

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.format.{Clustering, DataFile}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.types.DataType

/** A file of a Delta table, as its log records it. */
private[delta] class DeltaFile(
    val action: AddFile,
    override val location: String,
    override val partition: InternalRow,
    override val partitionName: String,
    read: DeltaStatistics)
    extends DataFile {

  private lazy val parsed = read.parse(action.stats)

  override def path: String = action.path

  override def bytes: Long = action.size

  override def deletedRows: Long = action.numDeletedRecords

  override def rows: Option[Long] = action.numPhysicalRecords.map(_ - deletedRows)

  override def liveBytes: Long = action.numPhysicalRecords match {
    case Some(all) if all > 0 && deletedRows > 0 => (bytes.toDouble * (all - deletedRows) / all).toLong
    case _ => bytes
  }

  override def statistics(column: ColumnPath): ColumnStatistics =
    parsed.fold(ColumnStatistics.unknown)(read.column(_, column))

  override protected def readerMax(max: Any, dataType: DataType): Any = DeltaStatistics.readerMax(max, dataType)

  override lazy val clustering: Option[Clustering] = DeltaClustering.of(action)
}
