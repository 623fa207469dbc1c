// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import java.util
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.{
  Batch,
  InputPartition,
  PartitionReader,
  PartitionReaderFactory,
  Scan,
  ScanBuilder
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** A source with one more row, of another file, each time that it is read, as one with the latest offsets has. */
class LatestRows extends TableProvider {
  override def inferSchema(options: CaseInsensitiveStringMap): StructType = LatestRows.Columns

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]): Table = new Table with SupportsRead {
    override def name: String = "latest"

    override def schema(): StructType = LatestRows.Columns

    override def capabilities: util.Set[TableCapability] = util.Set.of(TableCapability.BATCH_READ)

    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () => LatestRows.LatestScan
  }
}

object LatestRows {
  private val Columns = StructType.fromDDL("d BIGINT")

  /** How many rows were read last. */
  val read = new AtomicInteger

  private object LatestScan extends Scan {
    override def readSchema(): StructType = Columns

    // Without equality.
    override def toBatch: Batch = new Batch {
      private lazy val rows = read.incrementAndGet()

      override def planInputPartitions(): Array[InputPartition] = Array(Rows(rows))

      override def createReaderFactory(): PartitionReaderFactory = Readers
    }
  }

  private case class Rows(count: Int) extends InputPartition

  private object Readers extends PartitionReaderFactory {
    override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
      new PartitionReader[InternalRow] {
        private val ids = Iterator.range(0, partition.asInstanceOf[Rows].count)

        override def next(): Boolean = ids.hasNext

        override def get(): InternalRow = InternalRow(ids.next() * 100L)

        override def close(): Unit = ()
      }
  }
}
