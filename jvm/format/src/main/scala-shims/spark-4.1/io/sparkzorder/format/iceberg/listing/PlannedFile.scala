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
import org.apache.iceberg.types.Type.TypeID
import org.apache.iceberg.types.TypeUtil

/**
 * A file of a version of a table.
 *
 * @param task
 *   reads its live rows; the file there is without metrics, which would go with it wherever rows are read, but for those
 *   by which Iceberg's reader knows that a VARIANT is shredded in it
 */
private[iceberg] final case class PlannedFile(task: FileScanTask, metrics: PackedMetrics) {

  def file: TableFile = task.file
}

private[iceberg] object PlannedFile {

  /** All files of a snapshot, by path: it is processed in the same order however its manifests are laid out. */
  def of(table: Table, snapshotId: Long): IndexedSeq[PlannedFile] = {
    val scan = byManifests(table).newScan().useSnapshot(snapshotId).includeColumnStats()
    val variants = TypeUtil.indexById(scan.schema.asStruct).asScala.collect {
      case (id, field) if field.`type`.typeId == TypeID.VARIANT => id
    }.toSet.asJava
    def slim(file: TableFile) = if (variants.isEmpty) file.copyWithoutStats() else file.copyWithStats(variants)
    val forms = mutable.HashMap.empty[Int, (String, String)]
    def planned(task: FileScanTask): PlannedFile = {
      val (schema, spec) = forms.getOrElseUpdate(
        task.file.specId,
        (SchemaParser.toJson(task.schema), PartitionSpecParser.toJson(task.spec)))
      val deletes = task.deletes.asScala.toArray[DeleteFile]
      PlannedFile(
        new BaseFileScanTask(slim(task.file), deletes, schema, spec, AllRows),
        PackedMetrics.of(task.file))
    }
    Using.resource(scan.planFiles())(_.asScala.map(planned).toIndexedSeq).sortBy(_.file.location)
  }

  /**
   * Scans of it are planned here. A catalog that plans them itself need not tell bounds, nor by which numbers files and rows
   * came, which a rewrite has to keep.
   */
  def byManifests(table: Table): Table = table match {
    case known: HasTableOperations => new BaseTable(known.operations, known.name)
    case other => other
  }

  private val AllRows = ResidualEvaluator.unpartitioned(Expressions.alwaysTrue)
}
