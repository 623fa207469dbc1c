// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.parquet.encoder.EncodedFormat

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat

/**
 * Lets the encoder write the files of Spark's Parquet tables: as the setting says, and where rows are ordered if nobody
 * has set it. Committers, options and partitions stay Spark's.
 *
 * In the normalization of analyzed plans it belongs after the rules that put [[OrderedRows]] below writes.
 */
object EncodeWrites extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    // Another's subclass may write otherwise.
    case insert: InsertIntoHadoopFsRelationCommand
        if insert.fileFormat.getClass == classOf[ParquetFileFormat] && isEncoded(insert.query) =>
      insert.copy(fileFormat = new EncodedFormat(insert.fileFormat))
  }

  private def isEncoded(query: LogicalPlan): Boolean =
    ZOrderConf.writesByEncoder(conf).getOrElse(query.isInstanceOf[OrderedRows])
}
