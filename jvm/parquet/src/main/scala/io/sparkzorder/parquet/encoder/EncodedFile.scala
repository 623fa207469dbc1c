// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import java.util.{HashMap => JHashMap}

import scala.jdk.CollectionConverters._

import io.sparkzorder.columnar.{Columns, ColumnsRow, ReservedMemory}
import io.sparkzorder.parquet.encoder.values.{Batch, RowBatch, SelectedRows}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.{ColumnChunkPageWriteStore, ParquetFileWriter}
import org.apache.parquet.hadoop.metadata.{BlockMetaData, CompressionCodecName}
import org.apache.parquet.hadoop.util.HadoopOutputFile
import org.apache.parquet.io.OutputFile
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * A Parquet file whose rows are encoded column by column: the same bytes as Spark's writer gives for the same rows and
 * settings, for a fraction of its CPU. Compression, page headers, indexes and footers are parquet-java's.
 *
 * Not thread-safe. A write that failed leaves a file without a footer, which nobody can read.
 *
 * @param to
 *   where it is written; it must not be there
 * @param conf
 *   the settings that Spark's `ParquetFileFormat.prepareWrite` gives to a task, or others of parquet-java's
 *   `ParquetOutputFormat` where no column is left to parquet-java's own writers
 */
private[sparkzorder] final class EncodedFile(
    to: OutputFile,
    content: FileContent,
    conf: Configuration,
    codec: CompressionCodecName,
    memory: ReservedMemory)
    extends Logging {
  import content.{fields => schema, message}

  private val settings = EncoderSettings.of(conf)
  private val properties = settings.properties

  private val fields = schema.length

  private val encoders = new EncoderOfType(properties, content.isOfOneCalendar)
  private val encoded: IndexedSeq[Option[EncodedColumn]] = schema.indices.map { i =>
    val field = message.getType(i)
    if (!field.isPrimitive) None
    else {
      val column = message.getColumnDescription(Array(field.getName))
      encoders.of(schema(i).dataType, column).map(new EncodedColumn(column, i, _, properties))
    }
  }
  private val own = encoded.flatten
  private val foreign = {
    val others = encoded.indices.filter(encoded(_).isEmpty)
    if (others.isEmpty) None
    else Some(new ParquetJavaColumns(conf, schema, others, settings, () => rows + waiting >= pageCheck.next))
  }
  private val columns: IndexedSeq[PagedColumn] = own ++ foreign.fold(IndexedSeq.empty[PagedColumn])(_.columns)
  logDebug(
    s"${to.getPath}: ${schema.indices.map(i =>
        s"${schema(i).name} ${if (encoded(i).isDefined) "by column" else "by row"}").mkString(", ")}")

  private val codecs = new Codecs(conf, properties.getPageSizeThreshold)
  private val compressor = codecs.compressor(codec)
  private val output = new ClosableOutput(to)
  private val file = new ParquetFileWriter(
    output,
    message,
    ParquetFileWriter.Mode.CREATE,
    settings.rowGroupBytes,
    settings.maxPadding,
    null,
    properties)

  private val batch = new RowBatch(fields)
  // Rows that wait for the encoder are in one of these two, and the other is empty.
  private val selected = new SelectedRows
  private val groupCheck = new RowGroupCheck(properties)
  private var rowGroupLimit = settings.rowGroupBytes
  private var pageCheck: PageCheck = _
  private var store: ColumnChunkPageWriteStore = _
  private var groups = 0
  // Rows of the row group, without those that wait.
  private var rows = 0L
  private var hasFailed = false
  private var isClosed = false
  try aborting {
      file.start()
      beginGroup()
    }
  catch {
    case e: Throwable =>
      // Nobody has this object yet, to close it.
      close()
      throw e
  }

  def write(row: UnsafeRow): Unit = aborting {
    if (row.numFields != fields)
      throw new IllegalArgumentException(s"A row of ${row.numFields} fields for $fields columns")
    if (selected.rows > 0 || !batch.fits(row)) encodeWaiting()
    batch.add(row)
    checkIfDue()
  }

  /** Whether rows of these columns may be written without being made rows. */
  def takes(columns: Columns): Boolean =
    foreign.isEmpty && columns.types.length == fields && schema.indices.forall(i =>
      schema(i).dataType == columns.types(i))

  /**
   * Writes a row of columns that the file takes. They must not change until it is closed.
   */
  def write(row: ColumnsRow): Unit = aborting {
    if (batch.rows > 0 || !selected.fits(row)) encodeWaiting()
    selected.add(row)
    checkIfDue()
  }

  private def waiting: Int = batch.rows + selected.rows

  private def encodeWaiting(): Unit = {
    encode()
    // Rows may be so large that memory ends before sizes are looked at.
    if (!tryKeepGroup(groupBytes)) nextGroup()
  }

  private def checkIfDue(): Unit =
    if (rows + waiting >= math.min(pageCheck.next, math.min(groupCheck.next, groupCheck.maxRows))) {
      encode()
      check()
    }

  private def encode(): Unit = {
    val of: Batch = if (batch.rows > 0) batch else selected
    var i = 0
    while (i < own.length) {
      own(i).add(of)
      i += 1
    }
    foreign.foreach(_.add(batch))
    rows += of.rows
    batch.clear()
    selected.clear()
  }

  private def check(): Unit = {
    if (rows >= pageCheck.next) pageCheck.run(rows, columns)
    val bytes = groupBytes
    if (groupCheck.isFull(rows, bytes, rowGroupLimit) || !tryKeepGroup(bytes)) nextGroup()
  }

  private def groupBytes: Long = columns.iterator.map(c => c.pageBytes + c.writtenBytes).sum

  /** Reserves memory for what is held; whether the row group may go on. A small one does in any case: to end it would cost more than it frees. */
  private def tryKeepGroup(bytes: Long): Boolean = {
    // A page is copied when it is complete: it counts both as held and in `bytes`.
    val held = batch.array.length + bytes + columns.iterator.map(_.heldBytes).sum
    memory.tryReserve(held) || bytes < EncodedFile.MinGroupBytes
  }

  private def nextGroup(): Unit = {
    endGroup()
    beginGroup()
    groupCheck.begin()
  }

  private def beginGroup(): Unit = {
    store = new ColumnChunkPageWriteStore(
      compressor,
      message,
      properties.getAllocator,
      properties.getColumnIndexTruncateLength,
      properties.getPageWriteChecksumEnabled,
      null,
      groups)
    own.foreach(_.begin(store))
    foreign.foreach(_.begin(store))
    pageCheck = new PageCheck(properties)
  }

  private def endGroup(): Unit = {
    if (rows > 0) {
      foreign.foreach(_.flush())
      groups += 1
      file.startBlock(rows)
      columns.foreach { column =>
        if (column.pageRows > 0) column.writePage()
        column.endChunk()
      }
      store.flushToFileWriter(file)
      file.endBlock()
      rows = 0
      rowGroupLimit = math.min(file.getNextRowGroupSize, settings.rowGroupBytes)
    }
    store.close()
    store = null
    memory.release()
  }

  /** The row groups of a file that has been closed; their statistics are whole, also where they are too long for a footer. */
  def rowGroups: Seq[BlockMetaData] = file.getFooter.getBlocks.asScala.toSeq

  /** Writes what is left, and the footer, unless a row could not be written. */
  def close(): Unit = if (!isClosed) {
    isClosed = true
    try
      if (!hasFailed) aborting {
        if (waiting > 0) encode()
        endGroup()
        file.end(new JHashMap(content.metadata.asJava))
      }
    finally {
      memory.release()
      try if (store != null) store.close()
      finally
        try ParquetJavaFiles.close(file, hasFailed)
        finally {
          if (hasFailed) output.abandon()
          codecs.release()
        }
    }
  }

  private def aborting(body: => Unit): Unit =
    try body
    catch {
      case e: Throwable =>
        hasFailed = true
        ParquetJavaFiles.abort(file)
        throw e
    }
}

private[sparkzorder] object EncodedFile {
  private val MinGroupBytes = 8L << 20

  /** A file as Spark's writer writes it, by the settings that its `ParquetFileFormat.prepareWrite` gives to a task. */
  private[encoder] def ofSpark(
      path: Path,
      conf: Configuration,
      codec: CompressionCodecName,
      memory: ReservedMemory): EncodedFile =
    new EncodedFile(HadoopOutputFile.fromPath(path, conf), FileContent.ofSpark(conf), conf, codec, memory)
}
