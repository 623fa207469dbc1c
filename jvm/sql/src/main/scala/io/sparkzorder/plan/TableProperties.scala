// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

/** The table properties in a plan that defines a table. */
object TableProperties {

  /** The properties; None for every other plan. */
  def of(plan: LogicalPlan): Option[Map[String, String]] = spec(plan).map(_.properties)

  /** The definition that the plan makes of the table; None for every other plan. */
  def spec(plan: LogicalPlan): Option[TableSpecBase] = plan match {
    case c: CreateTable => Some(c.tableSpec)
    case c: CreateTableAsSelect => Some(c.tableSpec)
    case r: ReplaceTable => Some(r.tableSpec)
    case r: ReplaceTableAsSelect => Some(r.tableSpec)
    case _ => None
  }

  /** The same plan with other properties; a plan of which there is no [[spec]] stays as it is. */
  def replace(plan: LogicalPlan, properties: Map[String, String]): LogicalPlan =
    CurrentOrigin.withOrigin(plan.origin) {
      val changed = plan match {
        case c: CreateTable => c.copy(tableSpec = withProperties(c.tableSpec, properties))
        case c: CreateTableAsSelect => c.copy(tableSpec = withProperties(c.tableSpec, properties))
        case r: ReplaceTable => r.copy(tableSpec = withProperties(r.tableSpec, properties))
        case r: ReplaceTableAsSelect => r.copy(tableSpec = withProperties(r.tableSpec, properties))
        case other => other
      }
      if (changed ne plan) changed.copyTagsFrom(plan)
      changed
    }

  private def withProperties(spec: TableSpecBase, properties: Map[String, String]): TableSpecBase = spec match {
    case s: UnresolvedTableSpec => CurrentOrigin.withOrigin(s.origin)(s.copy(properties = properties))
    case s: TableSpec => s.copy(properties = properties)
    case other => other
  }
}
