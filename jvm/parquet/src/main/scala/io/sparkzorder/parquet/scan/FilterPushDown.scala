// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.scan

import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.parquet.filter2.predicate.FilterApi
import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.ParquetFilters
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter

/**
 * Turns a scan's filters into the one by which a file's reader skips row groups and pages, as Spark's private code in
 * `ParquetFileFormat` does.
 *
 * @param filters
 *   filters by the names in the files
 * @param conf
 *   settings of the session: what kinds of predicates are pushed down, and whether names are compared by case
 * @param rebaseMode
 *   rebase mode of dates in files that do not say by which calendar they were written
 */
private[sparkzorder] class FilterPushDown(filters: Seq[Filter], conf: SQLConf, rebaseMode: String)
    extends Serializable {

  private val enabled = conf.parquetFilterPushDown
  private val date = conf.parquetFilterPushDownDate
  private val timestamp = conf.parquetFilterPushDownTimestamp
  private val decimal = conf.parquetFilterPushDownDecimal
  private val string = conf.parquetFilterPushDownStringPredicate
  private val inThreshold = conf.parquetFilterPushDownInFilterThreshold
  private val caseSensitive = conf.caseSensitiveAnalysis

  /** None where the file's reader gets no filter, and so reads everything. */
  def of(file: FileMetaData): Option[FilterCompat.Filter] =
    if (!enabled) None
    else {
      val rebase = DataSourceUtils.datetimeRebaseSpec(file.getKeyValueMetaData.get(_), rebaseMode)
      val parquet = new ParquetFilters(
        file.getSchema,
        date,
        timestamp,
        decimal,
        string,
        inThreshold,
        caseSensitive,
        rebase)
      filters.flatMap(parquet.createFilter(_)).reduceOption(FilterApi.and).map(FilterCompat.get)
    }
}
