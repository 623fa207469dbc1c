// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import org.apache.spark.sql.internal.SQLConf

/** A struct none of whose fields a file has: NULL, or a struct of NULLs. */
private[optimize] object NullStructs {

  /** What makes readers take it for no NULL. */
  val settings: Map[String, String] =
    Map(SQLConf.LEGACY_PARQUET_RETURN_NULL_STRUCT_IF_ALL_FIELDS_MISSING.key -> "false")
}
