// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.datasources.HadoopFsRelation

/** Whether a file that is missing or damaged is an error. If not, one reading may have rows that the next one has not. */
private[dynamic] object ReadsAll {

  def apply(relation: HadoopFsRelation): Boolean = {
    val options = new FileSourceOptions(CaseInsensitiveMap(relation.options))
    !options.ignoreMissingFiles && !options.ignoreCorruptFiles
  }
}
