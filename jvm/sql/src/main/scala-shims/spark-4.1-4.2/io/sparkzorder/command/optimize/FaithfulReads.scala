// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import org.apache.spark.sql.internal.SQLConf

/** Settings with which Spark's readers give values as they are stored. */
private[optimize] object FaithfulReads {

  /** A struct of which a file has no field is no NULL. */
  val settings: Map[String, String] =
    Map(SQLConf.LEGACY_PARQUET_RETURN_NULL_STRUCT_IF_ALL_FIELDS_MISSING.key -> "false")
}
