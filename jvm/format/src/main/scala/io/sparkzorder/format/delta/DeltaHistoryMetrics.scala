// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import org.apache.spark.SparkContext
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** The `operationMetrics` of an OPTIMIZE in Delta's history. */
private[delta] object DeltaHistoryMetrics {

  /** @return the metrics that Delta records for OPTIMIZE, by their names in the history */
  def of(context: SparkContext, removed: Seq[AddFile], added: Seq[AddFile]): Map[String, SQLMetric] = {
    val vectors = removed.flatMap(f => Option(f.deletionVector))
    val sizes = added.map(_.size).sorted
    def percentile(quarter: Int) = if (sizes.isEmpty) 0L else sizes(sizes.size * quarter / 4)
    Map(
      "minFileSize" -> sizes.headOption.getOrElse(0L),
      "p25FileSize" -> percentile(1),
      "p50FileSize" -> percentile(2),
      "p75FileSize" -> percentile(3),
      "maxFileSize" -> sizes.lastOption.getOrElse(0L),
      "numAddedFiles" -> added.size.toLong,
      "numRemovedFiles" -> removed.size.toLong,
      "numAddedBytes" -> sizes.sum,
      "numRemovedBytes" -> removed.map(_.size).sum,
      "numDeletionVectorsRemoved" -> vectors.size.toLong,
      "numDeletionVectorRowsRemoved" -> vectors.map(_.cardinality).sum,
      "numDeletionVectorBytesRemoved" -> vectors.map(_.sizeInBytes.toLong).sum
    ).map { case (name, value) =>
      val metric = SQLMetrics.createMetric(context, name)
      metric.set(value)
      name -> metric
    }
  }
}
