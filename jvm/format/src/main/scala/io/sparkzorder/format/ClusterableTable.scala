// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import org.apache.spark.sql.SparkSession

/** A table whose files OPTIMIZE replaces. */
trait ClusterableTable extends ReadableTable {

  /** The table at its latest version, to be read and rewritten in `session`. */
  override def snapshot(session: SparkSession): ClusterableSnapshot

  /**
   * Runs a statement that rewrites the table in `session`, which exists for that statement only: what the format reads of
   * it is set before. Where the format has no transactions, no concurrent statement rewrites the table until it ends.
   *
   * @param dryRun
   *   whether nothing will be rewritten
   * @param body
   *   gets the table as it may be rewritten
   */
  def change[T](session: SparkSession, dryRun: Boolean)(body: ClusterableTable => T): T
}
