// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import org.apache.spark.sql.internal.SQLConf

/**
 * Settings with which Spark's readers give values as they are stored. A struct of which a file has no field is always
 * NULL to Spark 4.0: the tables where that can be are refused, by `StructsWithoutFields`.
 */
private[optimize] object FaithfulReads {

  /** Without this one the parts of a variant, value and metadata, are taken by their places and not by their names. */
  val settings: Map[String, String] = Map(SQLConf.VARIANT_ALLOW_READING_SHREDDED.key -> "true")
}
