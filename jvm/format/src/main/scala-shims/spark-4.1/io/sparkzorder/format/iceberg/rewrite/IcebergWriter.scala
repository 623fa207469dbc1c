// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.rewrite

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import io.sparkzorder.format.iceberg.encoded.EncodedWrite
import io.sparkzorder.move.TaggedJobs

import org.apache.iceberg.{DataFile => TableFile, Table}
import org.apache.iceberg.spark.FileRewriteCoordinator
import org.apache.iceberg.spark.source.SparkRewriteTable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.execution.datasources.v2.WriteToDataSourceV2
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.zorder.SparkInternals

/**
 * Writes rows by the encoder, or by Iceberg's own writer, as its `rewrite_data_files` does. None of the files is the table's
 * before a commit.
 *
 * @param table
 *   says where files are put
 * @param setId
 *   by which Iceberg knows the files that are rewritten
 * @param id
 *   stands in the names of all files that are written
 */
private[iceberg] final class IcebergWriter(
    session: SparkSession,
    table: Table,
    setId: String,
    id: String,
    options: Map[String, String]) {

  /**
   * @param rows
   *   in the tasks and the order in which they are to be written
   * @param columnsInFiles
   *   how many of their columns are written, in the order of the table's
   * @return
   *   in the order of their paths
   */
  def write(rows: LogicalPlan, columnsInFiles: Int): IndexedSeq[TableFile] = {
    val query = Project(rows.output.take(columnsInFiles), rows)
    EncodedWrite.of(session, table, id, query.output, options) match {
      case Some(write) =>
        run(write, query, Nil)
        write.files.sortBy(_.location)
      case None => writtenByIceberg(query)
    }
  }

  private def writtenByIceberg(query: LogicalPlan): IndexedSeq[TableFile] = {
    val write =
      new SparkRewriteTable(table, setId).newWriteBuilder(info(DataTypeUtils.fromAttributes(query.output))).build()
    val coordinator = FileRewriteCoordinator.get
    try {
      run(new OncePerTask(write.toBatch), query, write.supportedCustomMetrics.toSeq)
      coordinator.fetchNewFiles(table, setId).asScala.toIndexedSeq.sortBy(_.location)
    } finally coordinator.clearRewrite(table, setId)
  }

  private def run(write: BatchWrite, query: LogicalPlan, metrics: Seq[CustomMetric]): Unit = {
    // Spark's newer plans make the write themselves, under an id that nobody else knows.
    @nowarn("cat=deprecation")
    val plan = WriteToDataSourceV2(None, write, query, metrics)
    new TaggedJobs(session.sparkContext, id).run {
      SparkInternals.collect(SparkInternals.dataFrame(session, plan), "z-order: write")
    }
  }

  private def info(columns: StructType): LogicalWriteInfo = new LogicalWriteInfo {
    override def options: CaseInsensitiveStringMap = new CaseInsensitiveStringMap(IcebergWriter.this.options.asJava)
    override def queryId: String = id
    override def schema: StructType = columns
  }
}

/** Iceberg lets each attempt of a task commit: a speculative one would leave files that nobody knows of. */
private[iceberg] final class OncePerTask(theirs: BatchWrite) extends BatchWrite {

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory =
    theirs.createBatchWriterFactory(info)

  override def useCommitCoordinator: Boolean = true

  override def onDataWriterCommit(message: WriterCommitMessage): Unit = theirs.onDataWriterCommit(message)

  override def commit(messages: Array[WriterCommitMessage]): Unit = theirs.commit(messages)

  override def abort(messages: Array[WriterCommitMessage]): Unit = theirs.abort(messages)
}
