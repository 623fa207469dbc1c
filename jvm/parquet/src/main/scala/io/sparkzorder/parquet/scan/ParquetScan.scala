// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.scan

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import io.sparkzorder.errors.{UnreadableFile, ZOrderErrors}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, GetStructField, PlanExpression}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.parquet.{ParquetOptions, ParquetReadSupport, ParquetUtils}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.zorder.SparkInternals
import org.apache.spark.util.SerializableConfiguration

/** A scan in a physical plan, and what it passes to the readers of its files. */
object PlannedScan {

  /**
   * @param scan
   *   a scan of Parquet files, or of a format that stores its rows in such files
   * @param pushesFilters
   *   whether the format hands filters on to the readers
   */
  def of(scan: FileSourceScanExec, pushesFilters: Boolean): ParquetScan = {
    val relation = scan.relation
    val session: SparkSession = relation.sparkSession
    val conf = session.sessionState.conf
    val hadoop = session.sessionState.newHadoopConfWithOptions(relation.options)
    // The format prepares its reader, which is never called: it leaves in the configuration all that readers are told,
    // among it the schema by the names in the files, which under column mapping may differ from the table's.
    relation.fileFormat.buildReaderWithPartitionValues(
      relation.sparkSession,
      relation.dataSchema,
      relation.partitionSchema,
      scan.requiredSchema,
      Nil,
      relation.options + (FileFormat.OPTION_RETURNING_BATCH -> scan.supportsColumnar.toString),
      hadoop
    )
    val stored = DataType.fromJson(hadoop.get(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA)).asInstanceOf[StructType]
    val filters = if (pushesFilters) staticFilters(scan).map(renamed(_, scan.requiredSchema, stored)) else Nil
    val options = new ParquetOptions(relation.options, conf)
    val all = StructType(relation.partitionSchema.fields ++ stored.fields)
    val reader = new FileVolume(
      session.sparkContext.broadcast(new SerializableConfiguration(hadoop)),
      stored,
      ParquetUtils.isBatchReadSupportedForSchema(conf, all),
      new FilterPushDown(SparkInternals.pushedFilters(relation, filters), conf, options.datetimeRebaseModeInRead)
    )
    new ParquetScan(reader, new FileSourceOptions(relation.options))
  }

  /** Those that need no other query's result. */
  private def staticFilters(scan: FileSourceScanExec): Seq[Expression] =
    scan.dataFilters.filterNot(_.exists(_.isInstanceOf[PlanExpression[_]]))

  /** The filter by the names in the files; the stored schema has the same fields at the same positions. */
  private def renamed(filter: Expression, schema: StructType, stored: StructType): Expression =
    if (schema == stored) filter
    else
      filter.transform {
        // Without a name of its own it takes that of the field at its position.
        case field: GetStructField => field.copy(name = None)
        case a: AttributeReference if schema.fieldNames.contains(a.name) =>
          val field = stored(schema.fieldIndex(a.name))
          AttributeReference(field.name, field.dataType, a.nullable, a.metadata)(a.exprId, a.qualifier)
      }
}

/**
 * What the scans of a table pass to the readers of its files.
 *
 * @param reader
 *   measures one file
 * @param options
 *   options of the table and of the session: whether the scan passes over missing or corrupt files
 */
final class ParquetScan private[sparkzorder] (reader: FileVolume, options: FileSourceOptions) extends Serializable {

  /**
   * How much of the files the scan reads, from their footers and page indexes, in one Spark job.
   *
   * @param files
   *   absolute paths, each with whether the scan opens the file at all
   * @throws ZOrderRuntimeException
   *   if a file is missing or no Parquet, unless the scan passes over such files
   */
  def volume(session: SparkSession, files: IndexedSeq[(String, Boolean)]): ScanVolume =
    if (files.isEmpty) ScanVolume.none
    else {
      val tasks = (files.size + ParquetScan.FilesPerTask - 1) / ParquetScan.FilesPerTask
      UnreadableFile.named {
        session.sparkContext
          .parallelize(files, tasks)
          .mapPartitions(part => Iterator(part.map { case (file, isRead) => of(file, isRead) }.reduce(_ + _)))
          .fold(ScanVolume.none)(_ + _)
      }
    }

  private def of(file: String, isRead: Boolean): ScanVolume =
    try reader.of(file, isRead)
    catch {
      case _: FileNotFoundException if options.ignoreMissingFiles => ScanVolume.none
      case e if isCorrupt(e) && options.ignoreCorruptFiles => ScanVolume.none
      case NonFatal(e) => throw ZOrderErrors.unreadableFile(file, UnreadableFile.reason(e), e)
    }

  private def isCorrupt(error: Throwable): Boolean =
    !error.isInstanceOf[FileNotFoundException] && FileReaders.isOfCorruptFile(error)
}

private object ParquetScan {
  private val FilesPerTask = 16
}
