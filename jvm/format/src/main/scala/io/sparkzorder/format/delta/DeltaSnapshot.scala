// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import scala.util.Try

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{BatchedRun, ClusterableSnapshot, DataFile, Rewrite, StatisticsRemedy}

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Expression, PredicateHelper}
import org.apache.spark.sql.delta.{
  DeltaConfigs,
  DeltaLog,
  NoMapping,
  PreprocessTableWithDVsStrategy,
  RowTracking,
  Snapshot
}
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.implicits._
import org.apache.spark.sql.delta.skipping.clustering.{ClusteredTableUtils, ClusteringColumnInfo}
import org.apache.spark.sql.delta.sources.DeltaSQLConf
import org.apache.spark.sql.delta.stats.{SkippingEligibleDataType, StatisticsCollection, StatsCollectionUtils}
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * A version of a Delta table.
 *
 * @param isOld
 *   whether the statement names this version, as `/t@v3` does, so that it cannot be rewritten
 */
private[delta] class DeltaSnapshot(
    name: String,
    session: SparkSession,
    snapshot: Snapshot,
    catalogTable: Option[CatalogTable],
    isOld: Boolean = false)
    extends ClusterableSnapshot
    with PredicateHelper {

  override def path: String = snapshot.dataPath.toString

  override def id: String = snapshot.metadata.id

  override def schema: StructType = snapshot.metadata.schema

  override def partitionSchema: StructType = snapshot.metadata.partitionSchema

  override def targetFileBytes: Option[Long] = {
    // Only what somebody has set: Delta's own default of 1 GiB is no wish of the user's.
    val fromTable = snapshot.metadata.configuration.get("delta.targetFileSize").map { value =>
      Try(JavaUtils.byteStringAsBytes(value.replace(" ", ""))).toOption.filter(_ > 0).getOrElse {
        val allowed = Seq("a size of 1 byte or more, such as '256m'")
        throw ZOrderErrors.invalidTableProperty(s"delta.`$path`", "delta.targetFileSize", value, allowed)
      }
    }
    val entry = DeltaSQLConf.DELTA_OPTIMIZE_MAX_FILE_SIZE
    val conf = session.sessionState.conf
    fromTable.orElse(if (conf.contains(entry.key)) Some(conf.getConf(entry)).filter(_ > 0) else None)
  }

  override def batchBytes: Option[Long] = session.sessionState.conf.getConf(DeltaSQLConf.DELTA_OPTIMIZE_BATCH_SIZE)

  override def keepsReplacedFiles: Boolean = true

  override def openRun(statement: String): Option[BatchedRun] = DeltaRunRecord.open(snapshot, statement)

  override def storedNames(column: ColumnPath): Seq[String] = DeltaStatistics.stored(column, schema)._1

  override def columnsWithStatistics: Seq[ColumnPath] = {
    val partitions = partitionSchema.fieldNames.toSet
    // Of other types (BOOLEAN, BINARY, ARRAY ...) the log counts NULLs only, by which no point lookup skips.
    ColumnPath
      .leaves(snapshot.statCollectionLogicalSchema)
      .filter(p => !partitions(p.parts.head) && SkippingEligibleDataType(p.dataType(schema)))
  }

  private lazy val keptCharacters =
    StatsCollectionUtils.getDataSkippingStringPrefixLength(session, snapshot.metadata)

  override def recordedBounds(min: Any, max: Any, dataType: DataType): (Any, Any) = (min, max) match {
    case (low: UTF8String, high: UTF8String) =>
      // Delta's own, which rounds the maximum up; none where that is not possible.
      val cutLow = StatisticsCollection.truncateMinStringAgg(keptCharacters)(low.toString)
      val cutHigh = StatisticsCollection.truncateMaxStringAgg(keptCharacters)(high.toString)
      (UTF8String.fromString(cutLow), UTF8String.fromString(cutHigh))
    case _ => (min, DeltaStatistics.readerMax(max, dataType))
  }

  override def statisticsRemedy(column: ColumnPath): StatisticsRemedy = {
    val dataType = column.dataType(schema)
    val rewrite = s"OPTIMIZE $name ZORDER BY ($column) writes them"
    if (!SkippingEligibleDataType(dataType))
      StatisticsRemedy("none for this type in Delta", s"Delta's log keeps no bounds of type ${dataType.sql}")
    else if (hasStatistics(column))
      StatisticsRemedy("OPTIMIZE writes them", s"the files were written without them; $rewrite")
    else
      StatisticsRemedy(
        "set dataSkippingStatsColumns",
        "the table collects none of the column; name it in the table property 'delta.dataSkippingStatsColumns' (or raise " +
          s"'delta.dataSkippingNumIndexedCols'), and $rewrite"
      )
  }

  /** As Delta decides it: also a struct counts as long as it is in the schema of statistics. */
  private def hasStatistics(column: ColumnPath): Boolean =
    find(snapshot.statCollectionLogicalSchema, column.parts)

  private def find(schema: StructType, parts: Seq[String]): Boolean =
    schema.fields.find(_.name == parts.head).exists { field =>
      parts.tail.isEmpty || (field.dataType match {
        case struct: StructType => find(struct, parts.tail)
        case _ => false
      })
    }

  override def requireOptimizable(columns: Seq[ColumnPath]): Unit = {
    if (isOld) throw ZOrderErrors.timeTravel(name)
    if (snapshot.isCatalogOwned) throw ZOrderErrors.catalogManagedTable(name)
    if (ClusteredTableUtils.isSupported(snapshot.protocol))
      throw ZOrderErrors.liquidClusteredTable(name, ClusteringColumnInfo.extractLogicalNames(snapshot))
    if (StructsWithoutFields.areNull && mayMissFieldsOfStructs)
      throw ZOrderErrors.structsWithoutFields(name, org.apache.spark.SPARK_VERSION)
    val check = DeltaSQLConf.DELTA_OPTIMIZE_ZORDER_COL_STAT_CHECK
    val without = columns.filterNot(hasStatistics)
    if (without.nonEmpty && session.sessionState.conf.getConf(check))
      throw ZOrderErrors.columnsWithoutStatistics(without.map(_.toString), name, check.key)
  }

  /** Fields can be dropped where columns have ids: each was given one, and the greatest that was given is kept. */
  private def mayMissFieldsOfStructs: Boolean = {
    val metadata = snapshot.metadata
    val fields = fieldsIn(metadata.schema)
    metadata.columnMappingMode != NoMapping && fields > metadata.schema.size &&
    DeltaConfigs.COLUMN_MAPPING_MAX_ID.fromMetaData(metadata) > fields
  }

  private def fieldsIn(dataType: DataType): Int = dataType match {
    case struct: StructType => struct.fields.map(field => 1 + fieldsIn(field.dataType)).sum
    case array: ArrayType => fieldsIn(array.elementType)
    case map: MapType => fieldsIn(map.keyType) + fieldsIn(map.valueType)
    case _ => 0
  }

  /** Without it Delta reads deleted rows as live ones, and rows without their ids. */
  private def requireDeltaExtension(files: Seq[AddFile]): Unit = {
    val isNeeded = files.exists(_.deletionVector != null) || RowTracking.isEnabled(snapshot.protocol, snapshot.metadata)
    val strategies = session.sessionState.planner.strategies
    if (isNeeded && !strategies.exists(_.isInstanceOf[PreprocessTableWithDVsStrategy]))
      throw ZOrderErrors.withoutDeltaExtension(name)
  }

  override def files(predicate: Option[Expression]): IndexedSeq[DataFile] = {
    val all = DeltaFile.actions(session, snapshot)
    val (onPartitions, onData) = predicate.toSeq.flatMap(splitConjunctivePredicates).partition(isOnPartitions)
    val listed =
      (if (onPartitions.isEmpty) all else DeltaLog.filterFileList(partitionSchema, all, onPartitions)).as[
        AddFile].collect()
    // Delta's own skipping; its result lacks the statistics.
    val matching = if (onData.isEmpty) None else Some(snapshot.filesForScan(onData).files.map(_.path).toSet)
    val reader = new DeltaFileReader(session, snapshot)
    // By path, so that the same snapshot is processed in the same order however the log is laid out.
    listed.filter(f => matching.forall(_(f.path))).sortBy(_.path).map(reader.file).toIndexedSeq
  }

  override def read(files: IndexedSeq[DataFile]): DataFrame =
    snapshot.deltaLog.createDataFrame(snapshot, files.map(_.asInstanceOf[DeltaFile].action))

  override def rewrite(
      files: IndexedSeq[DataFile],
      predicate: Option[Expression],
      columns: Seq[ColumnPath]): Rewrite = {
    val own = files.map(_.asInstanceOf[DeltaFile])
    requireDeltaExtension(own.map(_.action))
    new DeltaRewrite(name, session, snapshot, catalogTable, own, predicate)
  }
}
