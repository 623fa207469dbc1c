package io.sparkzorder.format.delta

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.delta.{DeltaColumnMapping, Snapshot}
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.util.DeltaFileOperations

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

  private def partition(action: AddFile): InternalRow = InternalRow.fromSeq(columns.toSeq.map { case (f, physical) =>
    val text = Literal(action.partitionValues.getOrElse(physical, null))
    Cast(text, f.dataType, zone, ansiEnabled = false).eval()
  })
}
