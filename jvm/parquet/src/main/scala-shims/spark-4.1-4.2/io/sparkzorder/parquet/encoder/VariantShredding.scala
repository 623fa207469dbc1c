// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions

/** Whether Spark gives parts of variants columns of their own, by what it finds in the rows. */
private[encoder] object VariantShredding {
  def isInferred(options: => ParquetOptions): Boolean = options.inferShreddingForVariant
}
