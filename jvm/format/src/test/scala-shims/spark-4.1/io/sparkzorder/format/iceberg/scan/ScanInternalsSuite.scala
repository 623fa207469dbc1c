// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import java.util.{Collections, List => JavaList}

import io.sparkzorder.format.iceberg.IcebergSession

import org.apache.iceberg.ScanTaskGroup
import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.connector.read.{Batch, InputPartition, PartitionReaderFactory, Scan}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.types.StructType

/** What is asked of a release of Iceberg that has it not is unknown, and a batch that cannot be changed is left alone. */
class ScanInternalsSuite extends QueryTest with IcebergSession {

  private class OtherBatch(fields: JavaList[Object]) extends Batch {
    // As Iceberg has it, but for its name.
    protected val groups: JavaList[Object] = fields
    override def planInputPartitions(): Array[InputPartition] = Array.empty
    override def createReaderFactory(): PartitionReaderFactory = throw new UnsupportedOperationException
  }

  private class OtherScan extends Scan {
    override def readSchema(): StructType = new StructType
    override def toBatch: Batch = new OtherBatch(Collections.emptyList())
  }

  private val none: JavaList[ScanTaskGroup[_]] = Collections.emptyList()

  test("of a scan and a batch that have not what is looked for nothing is known, and nothing is changed") {
    val scan = new OtherScan
    assert(!ScanInternals.readsVersion(scan))
    assert(ScanInternals.table(scan) === None && ScanInternals.taskGroups(scan) === None)
    assert(ScanInternals.projection(scan) === None && ScanInternals.filter(scan) === None)
    assert(ScanInternals.isCaseSensitive(scan) === None && ScanInternals.snapshotId(scan) === None)
    assert(ScanInternals.withTaskGroups(scan.toBatch, none) === None)
  }

  test("Iceberg's own scan tells all of it, and its batch can be changed") {
    withIceberg {
      create(samples(100))
      val plan = sql(s"SELECT * FROM $t WHERE a > 3").queryExecution.executedPlan
      val scan = plan.collectFirst { case node: BatchScanExec => node.scan }.get
      assert(ScanInternals.readsVersion(scan) && ScanInternals.snapshotId(scan) === Some(current.snapshotId))
      assert(ScanInternals.table(scan).map(_.location) === Some(table.location))
      assert(ScanInternals.projection(scan).isDefined && ScanInternals.filter(scan).isDefined)
      assert(ScanInternals.isCaseSensitive(scan) === Some(false))
      assert(ScanInternals.taskGroups(scan).exists(_.size > 0))
      val changed = ScanInternals.withTaskGroups(scan.toBatch, none)
      assert(changed.map(_.planInputPartitions().length) === Some(0))
      assert(scan.toBatch.planInputPartitions().nonEmpty)
    }
  }
}
