// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.rewrite

import io.sparkzorder.format.iceberg.listing.PartitionColumns

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.zorder.SparkInternals

/**
 * The live rows of some files: the columns of the table, those of row lineage where it has that, and after them the
 * partition columns that no file has.
 */
private[iceberg] final class RowsToRewrite(
    session: SparkSession,
    val read: FilesToRead,
    partitions: PartitionColumns) {

  private val scan = read.rows(session.sessionState.conf)

  /** The number of the columns that files have. */
  val columnsInFiles: Int = scan.output.size

  /** The same each time. */
  val rows: DataFrame = {
    val derived = partitions.derived(scan.output)
    SparkInternals.dataFrame(session, if (derived.isEmpty) scan else Project(scan.output ++ derived, scan))
  }
}
