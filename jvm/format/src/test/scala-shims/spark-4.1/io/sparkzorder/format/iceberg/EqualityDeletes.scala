// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import java.util.UUID

import org.apache.iceberg.{FileFormat, Table}
import org.apache.iceberg.data.{GenericFileWriterFactory, GenericRecord, Record}
import org.apache.iceberg.io.OutputFileFactory

/** Deletes rows by a value of theirs, as Flink does and Spark never. */
object EqualityDeletes {

  def of(table: Table, column: String, values: Any*): Unit = {
    val schema = table.schema.select(column)
    val factory = new GenericFileWriterFactory.Builder(table)
      .deleteFileFormat(FileFormat.PARQUET)
      .equalityDeleteRowSchema(schema)
      .equalityFieldIds(Array(schema.findField(column).fieldId))
      .build()
    val file = OutputFileFactory.builderFor(table, 1, 1).operationId(UUID.randomUUID().toString).build().newOutputFile()
    val writer = factory.newEqualityDeleteWriter(file, table.spec, null)
    try values.foreach { value =>
        val record: Record = GenericRecord.create(schema)
        record.setField(column, value)
        writer.write(record)
      }
    finally writer.close()
    table.newRowDelta().addDeletes(writer.toDeleteFile).commit()
  }
}
