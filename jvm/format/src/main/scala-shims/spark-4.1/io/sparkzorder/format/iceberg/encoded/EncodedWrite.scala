// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.encoded

import org.apache.iceberg.{DataFile, Table}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.connector.write._

/** Writes files of a table by the encoder, where Iceberg's own writer would write the same values. */
private[iceberg] final class EncodedWrite private (plan: FilesPlan) extends BatchWrite {

  private var committed = IndexedSeq.empty[DataFile]

  /** All files, once Spark has committed the write. None of them is the table's. */
  def files: IndexedSeq[DataFile] = committed

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory = new EncodedWriterFactory(plan)

  /** A speculative attempt of a task would leave files that nobody knows of. */
  override def useCommitCoordinator: Boolean = true

  override def commit(messages: Array[WriterCommitMessage]): Unit =
    committed = messages.toIndexedSeq.collect { case FilesOfTask(files) => files }.flatten

  override def abort(messages: Array[WriterCommitMessage]): Unit = ()
}

private[iceberg] object EncodedWrite {

  /** As [[FilesPlan.of]]. */
  def of(
      session: SparkSession,
      table: Table,
      id: String,
      columns: Seq[Attribute],
      options: Map[String, String]): Option[EncodedWrite] =
    FilesPlan.of(session, table, id, columns, options).map(new EncodedWrite(_))
}

private final class EncodedWriterFactory(plan: FilesPlan) extends DataWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] =
    new EncodedTask(plan, partitionId, taskId)
}
