// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildRight}
import org.apache.spark.sql.catalyst.plans.{
  ExistenceJoin,
  InnerLike,
  JoinType,
  LeftAnti,
  LeftOuter,
  LeftSemi,
  RightOuter
}
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.{BroadcastNestedLoopJoinExec, ShuffledJoin}

/**
 * The keys of joins that give them bounds: by equality where both sides are shuffled, or by comparison. Neither side of a
 * shuffled join is there when the other one is read, so the bounds of a side's keys are a query of their own, which reads
 * that side once more.
 */
private[dynamic] object BoundedJoinKeys extends PredicateHelper {

  def ofChildren(join: ShuffledJoin, keys: Seq[JoinKey], sides: RepeatableSides): Seq[Seq[JoinKey]] = {
    val left = if (passesKeysToLeft(join)) keys.filter(JoinKeys.isOf(join.left)) else Nil
    val right = if (passesKeysToRight(join)) keys.filter(JoinKeys.isOf(join.right)) else Nil
    join.logicalLink match {
      case Some(Join(leftSide, rightSide, _, _, _)) =>
        Seq(
          left ++ (if (needsMatchOfLeft(join.joinType)) own(join, join.leftKeys, join.rightKeys, sides.of(rightSide))
                   else Nil),
          right ++ (if (needsMatchOfRight(join.joinType)) own(join, join.rightKeys, join.leftKeys, sides.of(leftSide))
                    else Nil)
        )
      case _ => Seq(left, right)
    }
  }

  private def own(
      join: ShuffledJoin,
      keys: Seq[Expression],
      others: Seq[Expression],
      side: Option[RepeatableSide]): Seq[JoinKey] =
    for {
      repeatable <- side.toSeq
      (key, other) <- keys.zip(others)
      bounded <- BoundedJoinKey.ofEquality(key, repeatable, other, keepsOthers(join.joinType))
    } yield bounded

  /** Those of a join without an equality, for the side that is not broadcast: `key BETWEEN a.first AND a.last`. */
  def ofRanges(join: BroadcastNestedLoopJoinExec, sides: RepeatableSides): Seq[JoinKey] = {
    val (rows, other, drops) = join.buildSide match {
      case BuildRight => (join.left, (j: Join) => j.right, needsMatchOfLeft(join.joinType))
      case BuildLeft => (join.right, (j: Join) => j.left, needsMatchOfRight(join.joinType))
    }
    (join.condition, join.logicalLink) match {
      case (Some(condition), Some(logical: Join)) if drops =>
        sides.of(other(logical)).toSeq.flatMap(ranges(condition, rows, _, keepsOthers(join.joinType)))
      case _ => Nil
    }
  }

  private def ranges(
      condition: Expression,
      rows: SparkPlan,
      side: RepeatableSide,
      keepsOthers: Boolean): Seq[JoinKey] = {
    def isKey(e: Expression) = e.references.nonEmpty && e.references.subsetOf(rows.outputSet)
    val bounds = splitConjunctivePredicates(condition).collect {
      case AtLeast(key, bound) if isKey(key) && side.has(bound) =>
        BoundedJoinKey(key, side, Some(bound), None, keepsOthers)
      case AtLeast(bound, key) if isKey(key) && side.has(bound) =>
        BoundedJoinKey(key, side, None, Some(bound), keepsOthers)
    }
    bounds.groupBy(_.key.canonicalized).values.map { of =>
      of.head.copy(least = of.flatMap(_.least).headOption, greatest = of.flatMap(_.greatest).headOption)
    }.toSeq
  }

  /** A comparison as one of a greater side with a smaller one. */
  private object AtLeast {
    def unapply(comparison: Expression): Option[(Expression, Expression)] = comparison match {
      case GreaterThanOrEqual(greater, smaller) => Some((greater, smaller))
      case GreaterThan(greater, smaller) => Some((greater, smaller))
      case LessThanOrEqual(smaller, greater) => Some((greater, smaller))
      case LessThan(smaller, greater) => Some((greater, smaller))
      case _ => None
    }
  }

  /** Whether keys from above the join may be handed to its left side: a left row less is the rows less that are made of it. */
  private def passesKeysToLeft(join: ShuffledJoin): Boolean = join.joinType match {
    case _: InnerLike | LeftOuter | LeftSemi | LeftAnti | _: ExistenceJoin => true
    case _ => false
  }

  private def passesKeysToRight(join: ShuffledJoin): Boolean = join.joinType match {
    case _: InnerLike | RightOuter => true
    case _ => false
  }

  private def keepsOthers(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftSemi => false
    case _ => true
  }

  /** Whether rows of the left side come out only if they have a match. */
  private def needsMatchOfLeft(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftSemi | RightOuter => true
    case _ => false
  }

  /** Whether rows of the right side count only where they have a match. MERGE looks so for rows that it is not to insert. */
  private def needsMatchOfRight(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftOuter | LeftSemi | LeftAnti | _: ExistenceJoin => true
    case _ => false
  }
}
