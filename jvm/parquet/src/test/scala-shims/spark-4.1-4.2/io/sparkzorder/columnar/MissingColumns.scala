// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import org.apache.spark.sql.execution.vectorized.WritableColumnVector

object MissingColumns {

  /** As Spark 4.1 and 4.2 mark a column that a file does not have. */
  def in(vector: WritableColumnVector): Unit = vector.setMissing()
}
