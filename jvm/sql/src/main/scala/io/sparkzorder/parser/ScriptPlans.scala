// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

/**
 * Replaces the stand-ins in the plan of a script. Its plans are no trees that `transform` could change: a statement's
 * plan is no child, and a body that is given new children loses its handlers.
 *
 * @param ours
 *   the plans of our statements, by the name of the table that the stand-in reads
 */
private[parser] final class ScriptPlans(ours: Map[String, ScriptPlans.Replacement]) {

  def body(plan: CompoundBody): CompoundBody = plan.copy(
    collection = plan.collection.map(statement),
    handlers = plan.handlers.map(h => h.copy(body = body(h.body))))

  private def statement(plan: CompoundPlanStatement): CompoundPlanStatement = plan match {
    case single @ SingleStatement(UnresolvedRelation(Seq(name), _, _)) if ours.contains(name) =>
      val replacement = ours(name)
      val origin = single.origin.copy(
        sqlText = Some(replacement.script),
        startIndex = Some(replacement.start),
        stopIndex = Some(replacement.stop))
      CurrentOrigin.withOrigin(origin)(SingleStatement(replacement.plan))
    case p: CompoundBody => body(p)
    case p: IfElseStatement =>
      p.copy(conditionalBodies = p.conditionalBodies.map(body), elseBody = p.elseBody.map(body))
    case p: SearchedCaseStatement =>
      p.copy(conditionalBodies = p.conditionalBodies.map(body), elseBody = p.elseBody.map(body))
    case p: SimpleCaseStatement =>
      p.copy(conditionalBodies = p.conditionalBodies.map(body), elseBody = p.elseBody.map(body))
    case p: WhileStatement => p.copy(body = body(p.body))
    case p: RepeatStatement => p.copy(body = body(p.body))
    case p: LoopStatement => p.copy(body = body(p.body))
    case p: ForStatement => p.copy(body = body(p.body))
    case other => other
  }
}

private[parser] object ScriptPlans {

  /**
   * A statement of ours.
   *
   * @param start
   *   the position of its first character in the script, in UTF-16 units
   * @param stop
   *   the position of its last
   */
  final case class Replacement(plan: LogicalPlan, script: String, start: Int, stop: Int)
}
