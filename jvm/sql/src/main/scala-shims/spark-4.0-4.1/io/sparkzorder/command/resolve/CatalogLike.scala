// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.Identifier

/**
 * `CREATE TABLE ... LIKE` of a table that is not in Spark's session catalog: Spark 4.0 and 4.1 know no such statement.
 */
private[resolve] trait CatalogLike {
  def target: Identifier
  def source: ResolvedTable
  def provider: Option[String]
  def properties: Map[String, String]
  def withProperties(properties: Map[String, String]): LogicalPlan
}

private[resolve] object CatalogLike {
  def unapply(plan: LogicalPlan): Option[CatalogLike] = None
}
