// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import io.sparkzorder.skipping.predicate.PrunesFiles

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.read.{Scan, SupportsRuntimeV2Filtering}
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceRDD}
import org.apache.spark.sql.execution.joins.StoragePartitionJoinParams
import org.apache.spark.sql.zorder.SparkInternals

/**
 * Spark's scan of a table of Iceberg's that leaves out files, too, when it runs. Spark hands to a scan the values of columns
 * alone; here the scan takes the filters as they are.
 *
 * It has the constructor of its parent, by which Spark copies it; each copy has a scan of its own. Where Spark makes a plain
 * [[BatchScanExec]] of it, all files are read.
 */
private[iceberg] class PrunedScanExec(
    columns: Seq[AttributeReference],
    ofScan: Scan,
    filters: Seq[Expression],
    order: Option[Seq[SortOrder]],
    ofTable: Table,
    joinParams: StoragePartitionJoinParams)
    extends BatchScanExec(columns, PrunedScanExec.withOwn(ofScan, filters), filters, order, ofTable, joinParams) {

  override lazy val inputRDD: RDD[InternalRow] = {
    // Of all files: operators above are planned for it.
    val planned = outputPartitioning
    val (_, ofPartitions) = PrunesFiles.among(runtimeFilters)
    val predicates = ofPartitions.flatMap {
      case DynamicPruningExpression(filter) => SparkInternals.runtimePredicate(filter)
      case _ => None
    }
    if (predicates.nonEmpty) scan.asInstanceOf[SupportsRuntimeV2Filtering].filter(predicates.toArray)
    val left = scan.asInstanceOf[PrunedScan].prunedBatch.planInputPartitions().toSeq
    val rows =
      if (left.isEmpty && planned == SinglePartition) sparkContext.parallelize(Seq.empty[InternalRow], 1)
      else new DataSourceRDD(sparkContext, left.map(Seq(_)), readerFactory, supportsColumnar, customMetrics)
    postDriverMetrics()
    rows
  }
}

private[iceberg] object PrunedScanExec {

  // A plan that was sent to an executor has no scan, and is copied there too.
  private def withOwn(scan: Scan, filters: Seq[Expression]): Scan = scan match {
    case pruned: PrunedScan => pruned.withFilters(PrunesFiles.among(filters)._1)
    case other => other
  }
}
