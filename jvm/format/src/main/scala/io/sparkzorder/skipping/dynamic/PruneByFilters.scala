// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import io.sparkzorder.skipping.predicate.FilePredicate

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/**
 * Gives a scan by a format's own reader those of the query's filters by which the format cannot plan its files, such as ones
 * over functions of a column. The scan then leaves out files by them when it runs.
 *
 * Scans by Spark's reader have all filters from Spark.
 */
final class PruneByFilters(session: SparkSession, indexes: ScanIndexes)
    extends PruningRule(session)
    with PredicateHelper {

  override protected def pruned(plan: SparkPlan): SparkPlan = plan.transformUp {
    case filter @ FilterExec(condition, scan: BatchScanExec) if condition.deterministic =>
      narrowed(scan, condition).fold(filter)(fewer => filter.copy(child = fewer))
  }

  private def narrowed(scan: BatchScanExec, condition: Expression): Option[BatchScanExec] = {
    val useful = splitConjunctivePredicates(condition).map(TableNames.of(scan)).filter(FilePredicate.mayExclude)
    for {
      files <- if (useful.isEmpty) None else indexes.of(scan)
      more = useful.filterNot(f => files.isPlannedBy(f) || files.filters.exists(_.semanticEquals(f))) if more.nonEmpty
    } yield files.withFilters(files.filters ++ more)
  }
}
