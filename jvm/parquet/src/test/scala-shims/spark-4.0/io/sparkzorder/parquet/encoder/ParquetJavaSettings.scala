// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

object ParquetJavaSettings {

  /** Settings of newer writers of parquet-java that Spark's own, 1.15, does not have. */
  val missing: Set[String] = Set("BLOCK_ROW_COUNT_LIMIT", "ENABLE_BYTE_STREAM_SPLIT")
}
