// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.plans.logical.{CreateTableLike, LogicalPlan}
import org.apache.spark.sql.connector.catalog.Identifier

/**
 * `CREATE TABLE ... LIKE` of a table that is not in Spark's session catalog: Spark 4.2 asks the catalog to make it.
 *
 * @param target
 *   the name of the table to be made
 */
private[resolve] final class CatalogLike private (
    like: CreateTableLike,
    val target: Identifier,
    val source: ResolvedTable) {

  def provider: Option[String] = like.provider

  /** What the statement sets. */
  def properties: Map[String, String] = like.properties

  def withProperties(properties: Map[String, String]): LogicalPlan = like.copy(properties = properties)
}

private[resolve] object CatalogLike {
  def unapply(plan: LogicalPlan): Option[CatalogLike] = plan match {
    case like @ CreateTableLike(ResolvedIdentifier(_, target), source: ResolvedTable, _, _, _, _, _) =>
      Some(new CatalogLike(like, target, source))
    case _ => None
  }
}
