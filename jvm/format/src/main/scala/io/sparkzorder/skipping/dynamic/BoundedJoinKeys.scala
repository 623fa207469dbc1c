// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import io.sparkzorder.skipping.scan.BetweenKeys

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
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, Join, LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.execution.{LogicalRDD, SparkPlan}
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.joins.{BroadcastNestedLoopJoinExec, ShuffledJoin}

/**
 * The keys of joins that give them bounds: by equality where both sides are shuffled, or by comparison. Neither side of a
 * shuffled join is there when the other one is read, so the bounds of a side's keys are a query of their own, which reads
 * that side once more.
 */
private[dynamic] object BoundedJoinKeys extends PredicateHelper {

  def ofChildren(join: ShuffledJoin, keys: Seq[JoinKey]): Seq[Seq[JoinKey]] = {
    val left = if (keepsLeftRows(join)) keys.filter(JoinKeys.isOf(join.left)) else Nil
    val right = if (keepsRightRows(join)) keys.filter(JoinKeys.isOf(join.right)) else Nil
    join.logicalLink match {
      case Some(Join(leftSide, rightSide, _, _, _)) =>
        Seq(
          left ++ (if (dropsLeftRows(join.joinType)) own(join, join.leftKeys, join.rightKeys, rightSide) else Nil),
          right ++ (if (dropsRightRows(join.joinType)) own(join, join.rightKeys, join.leftKeys, leftSide) else Nil)
        )
      case _ => Seq(left, right)
    }
  }

  private def own(
      join: ShuffledJoin,
      keys: Seq[Expression],
      others: Seq[Expression],
      side: LogicalPlan): Seq[JoinKey] =
    for {
      repeatable <- RepeatableSide.of(side).toSeq
      (key, other) <- keys.zip(others)
      if repeatable.has(other)
    } yield BoundedJoinKey(key, repeatable, Some(other), Some(other), keepsOthers(join.joinType))

  /** Those of a join without an equality, for the side that is not broadcast: `key BETWEEN a.first AND a.last`. */
  def ofRanges(join: BroadcastNestedLoopJoinExec): Seq[JoinKey] = {
    val (rows, other, drops) = join.buildSide match {
      case BuildRight => (join.left, (j: Join) => j.right, dropsLeftRows(join.joinType))
      case BuildLeft => (join.right, (j: Join) => j.left, dropsRightRows(join.joinType))
    }
    (join.condition, join.logicalLink) match {
      case (Some(condition), Some(logical: Join)) if drops =>
        RepeatableSide.of(other(logical)).toSeq.flatMap(ranges(condition, rows, _, keepsOthers(join.joinType)))
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

  /** Whether each row of the left side that comes out does so alone, or with a row of the right side. */
  private def keepsLeftRows(join: ShuffledJoin): Boolean = join.joinType match {
    case _: InnerLike | LeftOuter | LeftSemi | LeftAnti | _: ExistenceJoin => true
    case _ => false
  }

  private def keepsRightRows(join: ShuffledJoin): Boolean = join.joinType match {
    case _: InnerLike | RightOuter => true
    case _ => false
  }

  private def keepsOthers(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftSemi => false
    case _ => true
  }

  /** Whether rows of the left side come out only if they have a match. */
  private def dropsLeftRows(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftSemi | RightOuter => true
    case _ => false
  }

  private def dropsRightRows(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftOuter => true
    case _ => false
  }
}

/**
 * A side of a join that can be read twice at little cost, with the same rows both times.
 *
 * @param plan
 *   has the rows of that side, or more than these, which make the bounds of its keys wider
 * @param files
 *   the files below, if it has any
 * @param bytes
 *   their bytes, of all columns
 * @param isSmaller
 *   whether fewer rows than those of the files are likely to come out, or files need not be read
 * @param hasMore
 *   whether there are rows that the side has not, on which an expression may fail that does not fail on the side's
 */
final private[dynamic] case class RepeatableSide(
    plan: LogicalPlan,
    files: Option[FileIndex],
    bytes: BigInt,
    isSmaller: Boolean,
    hasMore: Boolean = false) {

  /** The least bytes of files, of which some may be left out, beside which it costs little to read it once more. */
  def worth: BigInt = bytes * (if (isSmaller) 10 else 50)

  /** Whether an expression can be computed over these rows with the values that it has over the side's. */
  def has(expression: Expression): Boolean =
    expression.references.subsetOf(plan.outputSet) && RepeatableSide.isRepeatable(expression) &&
      (!hasMore || RepeatableSide.isColumn(expression))

  private def where(condition: Expression): RepeatableSide =
    if (has(condition))
      copy(plan = Filter(condition, plan), isSmaller = isSmaller || RepeatableSide.isLikelySelective(condition))
    else copy(hasMore = true)

  private def select(expressions: Seq[NamedExpression]): RepeatableSide =
    copy(plan = Project(expressions.filter(has), plan))

  /** The query for the bounds of keys of a join, which reads this side once for all of them. */
  def bounds(keys: Seq[BoundedJoinKey]): LogicalPlan = {
    val values = keys.flatMap(k => k.least ++ k.greatest).distinct.map(e => e -> Alias(e, "key")()).toMap
    val of = keys.map(k => (k.least.map(values(_).toAttribute), k.greatest.map(values(_).toAttribute)))
    Aggregate(Nil, Seq(Alias(BetweenKeys.bounds(of), "bounds")()), Project(values.values.toSeq, plan))
  }
}

private[dynamic] object RepeatableSide extends PredicateHelper {

  /**
   * The rows of a plan, or more than these, of files that are filtered and projected, or of rows that are kept somewhere,
   * such as those of MERGE's source. Filters and columns that have other values when they are computed again, such as
   * Delta's counting of rows, are left out.
   */
  def of(plan: LogicalPlan): Option[RepeatableSide] = plan match {
    case Project(expressions, child) => of(child).map(_.select(expressions))
    case Filter(condition, child) => of(child).map(_.where(condition))
    // Of a query that is planned again when a part of it has run.
    case LogicalQueryStage(before, _) => of(before)
    case files: LogicalRelation if !files.isStreaming =>
      files.relation match {
        case relation: HadoopFsRelation if ReadsAll(relation) =>
          Some(RepeatableSide(plan, Some(relation.location), relation.sizeInBytes, isSmaller = false))
        case _ => None
      }
    case rows: LogicalRDD if rows.rdd.isCheckpointed => Some(inMemory(rows))
    case rows: LocalRelation if !rows.isStreaming => Some(inMemory(rows))
    case _ => None
  }

  private def inMemory(rows: LogicalPlan): RepeatableSide =
    RepeatableSide(rows, None, rows.stats.sizeInBytes, isSmaller = true)

  /** Whether an expression has the same value each time, and is none of a user's functions. */
  private def isRepeatable(expression: Expression): Boolean = expression.deterministic && !expression.exists {
    case _: PlanExpression[_] | _: UserDefinedExpression => true
    case _ => false
  }

  private def isColumn(expression: Expression): Boolean = expression match {
    case _: Attribute | Alias(_: Attribute, _) => true
    case _ => false
  }
}
