// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.zorder.SparkInternals

/** Values as files have them: bounds and partitions are of these, while queries pad CHAR(n) that is stored shorter. */
private[sparkzorder] object StoredValues {

  /** With which Spark reads them. */
  val setting: (String, String) = SQLConf.READ_SIDE_CHAR_PADDING.key -> "false"

  /** A session that reads them: the user's own where the table has no such column. */
  def session(users: SparkSession, table: ReadableTable): SparkSession =
    if (!table.schema.exists(f => CharVarcharUtils.getRawType(f.metadata).isDefined)) users
    else {
      val copy = SparkInternals.copy(users)
      copy.conf.set(setting._1, setting._2)
      copy
    }
}
