// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import org.apache.spark.sql.internal.SQLConf

/** Settings of Spark's writer that not every Spark has. */
object WriterSettings {
  val withoutShredding: Map[String, String] = Map(SQLConf.VARIANT_INFER_SHREDDING_SCHEMA.key -> "false")
}
