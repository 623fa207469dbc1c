// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.iceberg.{
  BaseFileScanTask,
  BaseTable,
  DataFile => TableFile,
  DeleteFile,
  FileScanTask,
  HasTableOperations,
  PartitionSpecParser,
  SchemaParser,
  Table
}
import org.apache.iceberg.expressions.{Expressions, ResidualEvaluator}

/**
 * A file of a version of a table.
 *
 * @param task
 *   reads its live rows; the file there is without metrics, which would go with it wherever rows are read
 */
private[iceberg] final case class PlannedFile(task: FileScanTask, metrics: PackedMetrics) {

  def file: TableFile = task.file
}

private[iceberg] object PlannedFile {

  /** All files of a snapshot, by path: it is processed in the same order however its manifests are laid out. */
  def of(table: Table, snapshotId: Long): IndexedSeq[PlannedFile] = {
    val forms = mutable.HashMap.empty[Int, (String, String)]
    def planned(task: FileScanTask): PlannedFile = {
      val (schema, spec) = forms.getOrElseUpdate(
        task.file.specId,
        (SchemaParser.toJson(task.schema), PartitionSpecParser.toJson(task.spec)))
      val deletes = task.deletes.asScala.toArray[DeleteFile]
      PlannedFile(
        new BaseFileScanTask(task.file.copyWithoutStats(), deletes, schema, spec, AllRows),
        PackedMetrics.of(task.file))
    }
    val scan = byManifests(table).newScan().useSnapshot(snapshotId).includeColumnStats()
    Using.resource(scan.planFiles())(_.asScala.map(planned).toIndexedSeq).sortBy(_.file.location)
  }

  /**
   * Scans of it are planned here. A catalog that plans them itself need not report bounds, nor by which numbers files
   * and rows came, which a rewrite has to keep.
   */
  def byManifests(table: Table): Table = table match {
    case known: HasTableOperations => new BaseTable(known.operations, known.name)
    case other => other
  }

  private val AllRows = ResidualEvaluator.unpartitioned(Expressions.alwaysTrue)
}
