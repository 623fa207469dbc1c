// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.vectorized.ColumnarBatch

/** What is made of the rows of a batch, one after the other; the batch is freed behind the last one, if its reader wants that. */
private[move] abstract class RowsOfBatch(batch: ColumnarBatch) extends Iterator[InternalRow] {

  /** Rows of the batch that are done with. */
  protected var done: Int = 0

  override def hasNext: Boolean = {
    val more = done < batch.numRows
    if (!more) batch.closeIfFreeable()
    more
  }
}
