// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import io.sparkzorder.columnar.{Columns, ColumnsRow}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals

/** Rows of any kind for one file: those of columns in memory as they are, all others one by one. */
private[sparkzorder] final class RowsOfFile(file: EncodedFile, schema: StructType) {

  // A field that breaks the promise of its type is still NULL.
  private lazy val toUnsafe = UnsafeProjection.create(SparkInternals.asNullable(schema))

  // The columns of the last row, if the file takes them.
  private var taken: Columns = _

  private def takes(columns: Columns): Boolean = (columns eq taken) || file.takes(columns) && {
    taken = columns
    true
  }

  def write(row: InternalRow): Unit = row match {
    case unsafe: UnsafeRow => file.write(unsafe)
    case row: ColumnsRow if takes(row.columns) => file.write(row)
    case other => file.write(toUnsafe(other))
  }

  def close(): Unit = file.close()
}
