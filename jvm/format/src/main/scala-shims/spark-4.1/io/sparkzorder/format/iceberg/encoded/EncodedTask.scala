// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.encoded

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import io.sparkzorder.columnar.ReservedMemory
import io.sparkzorder.parquet.encoder.{EncodedFile, RowsOfFile}

import org.apache.iceberg.{DataFile, DataFiles, FileFormat, MetricsConfig, PartitionData, SortOrder}
import org.apache.iceberg.io.OutputFileFactory
import org.apache.iceberg.parquet.ParquetUtil
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{DataWriter, WriterCommitMessage}
import org.apache.spark.sql.zorder.SparkInternals

/** The files that a task has written. */
private[encoded] final case class FilesOfTask(files: Seq[DataFile]) extends WriterCommitMessage

/** Writes the rows of a task, which come partition by partition, into one file of each. */
private[encoded] final class EncodedTask(plan: FilesPlan, partitionId: Int, taskId: Long)
    extends DataWriter[InternalRow]
    with Logging {
  import plan.table

  private val spec = table.spec
  private val partitions = new PartitionOfRow(spec, plan.columns, plan.partition)
  private val metrics = MetricsConfig.forTable(table)
  private val names = OutputFileFactory.builderFor(table, partitionId, taskId)
    .format(FileFormat.PARQUET).operationId(s"${plan.id}-0").build()
  private val conf = plan.conf
  private val content =
    plan.content.getOrElse(throw new IllegalStateException(s"Columns of ${plan.schema} are not plain"))
  private val codec = ParquetOutputFormat.getCompression(conf)

  private val begun = ArrayBuffer.empty[String]
  private val written = ArrayBuffer.empty[DataFile]
  private var open = Option.empty[OpenFile]

  private final class OpenFile(partition: PartitionData) {
    private val to =
      (if (spec.isUnpartitioned) names.newOutputFile() else names.newOutputFile(spec, partition)).encryptingOutputFile
    begun += to.location
    private val output = new IcebergOutput(to)
    private val bounds = FloatingBounds.of(plan.schema, metrics)
    private val file = new EncodedFile(output, content, conf, codec, ReservedMemory.ofTask())
    private val rows = new RowsOfFile(file, content.fields)

    def write(row: InternalRow): Unit = {
      rows.write(row)
      var i = 0
      while (i < bounds.length) {
        bounds(i).add(row)
        i += 1
      }
    }

    def close(): Unit = rows.close()

    /** What a manifest says of the file, which is closed: what its footer says, and what that leaves out. */
    def asDataFile: DataFile = {
      val inFooter = ParquetUtil.fileMetrics(table.io.newInputFile(to.location, output.length), metrics)
      val found = new FileMetrics(inFooter, metrics)
      LongTexts.addTo(found, plan.schema, file.rowGroups)
      bounds.foreach(_.addTo(found))
      DataFiles.builder(spec)
        .withFormat(FileFormat.PARQUET)
        .withPath(to.location)
        .withPartition(partition)
        .withFileSizeInBytes(output.length)
        .withMetrics(found.asMetrics)
        .withSplitOffsets(file.rowGroups.map(g => Long.box(g.getStartingPos)).asJava)
        .withSortOrder(SortOrder.unsorted)
        .build()
    }
  }

  override def write(row: InternalRow): Unit = {
    if (partitions.isNew(row)) {
      complete()
      open = Some(new OpenFile(partitions.current))
    }
    open.get.write(row)
  }

  private def complete(): Unit = {
    open.foreach { file =>
      file.close()
      written += file.asDataFile
    }
    open = None
  }

  override def commit(): WriterCommitMessage = {
    complete()
    SparkInternals.reportWritten(written.map(_.fileSizeInBytes).sum, written.map(_.recordCount).sum)
    FilesOfTask(written.toSeq)
  }

  override def abort(): Unit = {
    close()
    begun.foreach { file =>
      try table.io.deleteFile(file)
      catch { case NonFatal(e) => logWarning(s"Cannot delete $file", e) }
    }
  }

  override def close(): Unit = open.foreach { file =>
    open = None
    try file.close()
    catch { case NonFatal(e) => logDebug("a file of a task that failed could not be closed", e) }
  }
}
