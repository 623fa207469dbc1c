// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import io.sparkzorder.skipping.scan.IndexedScanExec

import org.apache.spark.sql.connector.metric.{CustomSumMetric, CustomTaskMetric}

/** The metric of a scan's node. Spark makes one by its name where it shows what a query has done. */
final class FilesPrunedByKeys extends CustomSumMetric {

  override def name: String = IndexedScanExec.FilesPrunedByKeys

  override def description: String = "number of files pruned by keys of joins"
}

private[scan] object FilesPrunedByKeys {

  def of(files: Long): CustomTaskMetric = new CustomTaskMetric {
    override def name: String = IndexedScanExec.FilesPrunedByKeys
    override def value: Long = files
  }
}
