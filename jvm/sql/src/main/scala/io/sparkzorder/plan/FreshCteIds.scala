// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import org.apache.spark.sql.catalyst.plans.logical._

/**
 * Gives the common table expressions that a plan defines ids of their own, for a copy of the plan that comes to stand
 * beside it: Spark tells them apart by their ids only, and takes two of one id for one.
 */
private[plan] object FreshCteIds {

  def apply(plan: LogicalPlan): LogicalPlan = {
    // In the order of the old ones, on which Spark's inlining relies.
    val fresh = defined(plan).sorted.map(id => id -> CTERelationDef.newId).toMap
    if (fresh.isEmpty) plan
    else
      plan.transformUpWithSubqueries {
        case definition: CTERelationDef => definition.copy(id = fresh(definition.id))
        // What a query around the plan defines keeps its id.
        case reference: CTERelationRef => reference.copy(cteId = fresh.getOrElse(reference.cteId, reference.cteId))
        case loop: UnionLoop => loop.copy(id = fresh.getOrElse(loop.id, loop.id))
        case reference: UnionLoopRef => reference.copy(loopId = fresh.getOrElse(reference.loopId, reference.loopId))
      }
  }

  private def defined(plan: LogicalPlan): Seq[Long] =
    plan.collectWithSubqueries { case definition: CTERelationDef => definition.id }.distinct
}
