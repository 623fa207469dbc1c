// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import io.sparkzorder.skipping.scan.IndexedScanExec

import org.apache.spark.sql.connector.metric.{CustomSumMetric, CustomTaskMetric}

/** A metric of a scan's node. Spark makes one by its name where it shows what a query has done. */
final class FilesPrunedByKeys extends CustomSumMetric {

  override def name: String = IndexedScanExec.FilesPrunedByKeys

  override def description: String = "number of files pruned by keys of joins"
}

/** The same of the files that are left out by what the query itself says. */
final class FilesPrunedByBounds extends CustomSumMetric {

  override def name: String = IndexedScanExec.FilesPruned

  override def description: String = "number of files pruned by bounds in the manifests"
}

private[scan] object PrunedFileMetrics {

  def of(byFilters: Long, byKeys: Long): Seq[CustomTaskMetric] =
    Seq(metric(IndexedScanExec.FilesPruned, byFilters), metric(IndexedScanExec.FilesPrunedByKeys, byKeys))

  private def metric(of: String, files: Long): CustomTaskMetric = new CustomTaskMetric {
    override def name: String = of
    override def value: Long = files
  }
}
