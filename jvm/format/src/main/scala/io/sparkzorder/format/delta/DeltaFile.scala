// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import com.fasterxml.jackson.databind.node.ObjectNode
import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.format.{Clustering, DataFile, PartitionRow}

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.delta.{DeltaColumnMapping, Snapshot}
import org.apache.spark.sql.delta.actions.{Action, AddFile}
import org.apache.spark.sql.delta.util.{DeltaFileOperations, JsonUtils}
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

/** A file of a Delta table, as its log records it. */
private[delta] class DeltaFile(
    val action: AddFile,
    override val location: String,
    override val partition: PartitionRow,
    override val partitionName: String,
    read: DeltaStatistics)
    extends DataFile {

  private lazy val parsed = read.parse(action.stats)

  override def path: String = action.path

  /** An empty string is NULL to Delta's protocol; its reader shows one that some writers leave in a log. */
  override def writtenPartition: InternalRow =
    if (!partition.values.contains(UTF8String.EMPTY_UTF8)) partition
    else new PartitionRow(partition.values.map(v => if (v == UTF8String.EMPTY_UTF8) null else v))

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

private[delta] object DeltaFile {

  /**
   * The file actions of a snapshot. Delta keeps the list in 50 parts, however short it is: as many tasks as run at once read
   * them in a fraction of the time.
   */
  def actions(session: SparkSession, snapshot: Snapshot): DataFrame =
    snapshot.allFiles.toDF().coalesce(session.sparkContext.defaultParallelism)
}

/** Turns the file actions of a snapshot into [[DeltaFile]]s, with partition values typed as Delta's scan types them. */
private[delta] class DeltaFileReader(session: SparkSession, snapshot: Snapshot) {

  private val zone = Option(session.sessionState.conf.sessionLocalTimeZone)
  private val statistics = new DeltaStatistics(snapshot.metadata.schema, zone)
  private val dataPath = snapshot.dataPath.toString
  private val columns = snapshot.metadata.partitionSchema.fields.map(f => (f, DeltaColumnMapping.getPhysicalName(f)))

  def file(action: AddFile): DeltaFile =
    new DeltaFile(
      action,
      DeltaFileOperations.absolutePath(dataPath, action.path).toString,
      partition(action),
      columns.map { case (f, physical) =>
        ExternalCatalogUtils.getPartitionPathString(f.name, action.partitionValues.getOrElse(physical, null))
      }.mkString("/"),
      statistics
    )

  private def partition(action: AddFile): PartitionRow = new PartitionRow(columns.map { case (f, physical) =>
    val text = Literal(action.partitionValues.getOrElse(physical, null))
    Cast(text, f.dataType, zone, ansiEnabled = false).eval()
  })
}

/**
 * Changes file actions by way of their JSON, the form that Delta's protocol fixes: the constructor and `copy` of
 * [[AddFile]] change from one release of Delta to the next.
 */
private[delta] object DeltaActions {

  /** The action of a file whose rows the table had before, with `statistics` and `tags` where they are given. */
  def rewritten(file: AddFile, statistics: Option[String], tags: Map[String, String]): AddFile = {
    val root = JsonUtils.mapper.readTree(file.json)
    val add = root.get("add").asInstanceOf[ObjectNode]
    add.put("dataChange", false)
    statistics.foreach(add.put("stats", _))
    if (tags.nonEmpty) {
      val all = add.withObjectProperty("tags")
      tags.foreach { case (key, value) => all.put(key, value) }
    }
    Action.fromJson(JsonUtils.mapper.writeValueAsString(root)).asInstanceOf[AddFile]
  }
}
