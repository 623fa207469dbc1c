// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

/**
 * Settings of Spark's writer that not every Spark has: Spark 4.0 has none, and does not shred what it is not told to.
 */
object WriterSettings {
  val withoutShredding: Map[String, String] = Map.empty
}
