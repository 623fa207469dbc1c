// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import scala.jdk.CollectionConverters._

import io.sparkzorder.parquet.encoder.values.{Batch, RowBatch}

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column._
import org.apache.parquet.column.impl.ColumnWriteStoreV1
import org.apache.parquet.column.page.{PageWriteStore, PageWriter}
import org.apache.parquet.conf.HadoopParquetConfiguration
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.parquet.io.ColumnIOFactory
import org.apache.parquet.io.api.RecordConsumer
import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import org.apache.spark.sql.types.StructType

/**
 * The columns that Spark's and parquet-java's own writers take apart and encode: nested ones, INT96 and others. They are
 * written into the same file, and their pages end where one file check of all columns says so.
 *
 * @param schema
 *   all fields of the rows
 * @param fields
 *   ordinals of those to be written here
 * @param isCheckDue
 *   whether pages may end after the batch; parquet-java's `MessageColumnIO`, which keeps NULLs of absent groups back,
 *   then puts them out first
 */
private[encoder] final class ParquetJavaColumns(
    conf: Configuration,
    schema: StructType,
    fields: IndexedSeq[Int],
    settings: EncoderSettings,
    isCheckDue: () => Boolean) {

  private val support = new ParquetOutputFormat[InternalRow].getWriteSupport(conf)
  private val message: MessageType = support.init(new HadoopParquetConfiguration(ofFields)).getSchema

  /** One for each leaf. */
  val columns: IndexedSeq[ForeignColumn] =
    message.getColumns.asScala.map(new ForeignColumn(message, _, settings.properties)).toIndexedSeq

  private val byDescriptor = columns.map(c => c.descriptor -> c).toMap
  private val projection =
    UnsafeProjection.create(fields.map(i => BoundReference(i, schema(i).dataType, nullable = true)))
  private val required = fields.filterNot(schema(_).nullable)
  private val row = new UnsafeRow(schema.length)
  private var consumer: RecordConsumer = _
  // Whether a row is the batch's last, after which alone pages may end.
  private var isLast = false

  /** The settings of a write of these fields only. */
  private def ofFields: Configuration = {
    val own = new Configuration(conf)
    own.set(ParquetWriteSupport.SPARK_ROW_SCHEMA, StructType(fields.map(schema(_))).json)
    own
  }

  /** Begins a row group. */
  def begin(pages: PageWriteStore): Unit = {
    columns.foreach(_.begin(pages))
    consumer = new ColumnIOFactory(settings.isValidating).getColumnIO(message).getRecordWriter(store)
    support.prepareForWrite(consumer)
  }

  def add(batch: RowBatch): Unit = {
    required.find(batch.hasNulls).foreach(i => throw NullInRequired(schema(i).name))
    var i = 0
    while (i < batch.rows) {
      val at = batch.starts(i)
      row.pointTo(batch.array, Batch.Base + at, batch.starts(i + 1) - at)
      isLast = i == batch.rows - 1
      support.write(projection(row))
      i += 1
    }
    columns.foreach(_.rowsAdded(batch.rows))
  }

  /** Puts out what is kept back. */
  def flush(): Unit = consumer.flush()

  private val store: ColumnWriteStore = new ColumnWriteStore {
    override def getColumnWriter(path: ColumnDescriptor): ColumnWriter = byDescriptor(path).writer
    override def isColumnFlushNeeded: Boolean = isLast && isCheckDue()
    override def endRecord(): Unit = ()
    override def flush(): Unit = ()
    override def getAllocatedSize: Long = 0L
    override def getBufferedSize: Long = 0L
    override def memUsageString: String = ""
    override def close(): Unit = ()
  }
}

/**
 * A leaf that parquet-java's own writer encodes. With thresholds of 1 that writer ends a page at each `endRecord()`, which
 * is called only where [[PageCheck]] says so.
 */
private[encoder] final class ForeignColumn(
    message: MessageType,
    val descriptor: ColumnDescriptor,
    properties: ParquetProperties)
    extends PagedColumn {

  private val pageByRecord = ParquetProperties.copy(properties)
    .withPageValueCountThreshold(1)
    .withMinRowCountForPageSizeCheck(1)
    .estimateRowCountForPageSizeCheck(false)
    .build()
  private val alone =
    new MessageType(message.getName, prunedTo(message, descriptor.getPath.toList).asGroupType.getFields)
  private var store: ColumnWriteStoreV1 = _
  private var pages: PageWriter = _
  private var rows = 0L

  /** The type with nothing but the leaf at the path. */
  private def prunedTo(of: Type, path: List[String]): Type = path match {
    case name :: rest => val group: GroupType = of.asGroupType; group.withNewFields(prunedTo(group.getType(name), rest))
    case Nil => of
  }

  override def begin(to: PageWriteStore): Unit = {
    pages = to.getPageWriter(descriptor)
    store = new ColumnWriteStoreV1(alone, (_: ColumnDescriptor) => pages, pageByRecord)
  }

  def writer: ColumnWriter = store.getColumnWriter(descriptor)

  def rowsAdded(n: Int): Unit = rows += n

  override def pageRows: Long = rows
  override def pageBytes: Long = store.getBufferedSize - pages.getMemSize
  override def writtenBytes: Long = pages.getMemSize
  override def heldBytes: Long = store.getAllocatedSize - pages.allocatedSize

  override def writePage(): Unit = {
    store.endRecord()
    rows = 0
  }

  override def endChunk(): Unit = store.close()
}
