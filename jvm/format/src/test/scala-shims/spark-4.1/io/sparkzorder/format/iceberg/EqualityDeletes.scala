// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import java.util.UUID

import org.apache.iceberg.{ContentFile, FileFormat, SnapshotRef, Table}
import org.apache.iceberg.data.{GenericFileWriterFactory, GenericRecord, Record}
import org.apache.iceberg.io.OutputFileFactory

/** Deletes rows by a value of theirs, as Flink does and Spark never. */
object EqualityDeletes {

  def of(table: Table, column: String, values: Any*): Unit = of(table, None, column, values)

  def onBranch(branch: String, table: Table, column: String, values: Any*): Unit =
    of(table, None, column, values, branch)

  /** In the partition of a file, by the spec that it was written with. */
  def beside(file: ContentFile[_], table: Table, column: String, values: Any*): Unit =
    of(table, Some(file), column, values)

  private def of(
      table: Table,
      beside: Option[ContentFile[_]],
      column: String,
      values: Seq[Any],
      branch: String = SnapshotRef.MAIN_BRANCH): Unit = {
    val spec = beside.fold(table.spec)(file => table.specs.get(file.specId))
    val partition = beside.map(_.partition).orNull
    val schema = table.schema.select(column)
    val factory = new GenericFileWriterFactory.Builder(table)
      .deleteFileFormat(FileFormat.PARQUET)
      .equalityDeleteRowSchema(schema)
      .equalityFieldIds(Array(schema.findField(column).fieldId))
      .build()
    val files = OutputFileFactory.builderFor(table, 1, 1).operationId(UUID.randomUUID().toString).build()
    val file = if (beside.isEmpty) files.newOutputFile() else files.newOutputFile(spec, partition)
    val writer = factory.newEqualityDeleteWriter(file, spec, partition)
    try values.foreach { value =>
        val record: Record = GenericRecord.create(schema)
        record.setField(column, value)
        writer.write(record)
      }
    finally writer.close()
    table.newRowDelta().addDeletes(writer.toDeleteFile).toBranch(branch).commit()
  }
}
