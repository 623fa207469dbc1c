// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write.sort

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils

/** Appends columns to rows without a look at those that they have. Not thread-safe: a task makes its own. */
private[write] final class ColumnAppender(output: Seq[Attribute], columns: Seq[Expression])
    extends (UnsafeRow => UnsafeRow) {

  private val values = UnsafeProjection.create(columns, output)
  private val joiner = GenerateUnsafeRowJoiner.create(
    DataTypeUtils.fromAttributes(output),
    RankedColumns.schema(columns))

  override def apply(row: UnsafeRow): UnsafeRow = joiner.join(row, values(row))
}
