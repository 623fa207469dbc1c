// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildRight}
import org.apache.spark.sql.catalyst.plans.{FullOuter, InnerLike, LeftSemi, RightOuter}
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioningLike
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.joins.{BroadcastHashJoinExec, BroadcastNestedLoopJoinExec, ShuffledJoin}

/** A key of a join above: rows with another value of it than the other side has, or none, do not come out of that join. */
sealed private[dynamic] trait JoinKey {

  /** Over the rows of the operator that this key is handed to. */
  def key: Expression

  def over(other: Expression): JoinKey

  /** This key by a query of the other side's bounds, which needs no broadcast; None where that does not pay. */
  def early: Option[BoundedJoinKey]
}

/**
 * A key of a join whose other side is broadcast.
 *
 * @param build
 *   the side that is broadcast
 * @param buildKeys
 *   all keys of the join, over the rows of `build`
 * @param index
 *   the position of this key among them
 * @param side
 *   the rows of `build` as a side that can be read again, where it can
 */
final private[dynamic] case class BroadcastJoinKey(
    key: Expression,
    build: SparkPlan,
    buildKeys: Seq[Expression],
    index: Int,
    side: () => Option[RepeatableSide])
    extends JoinKey {
  override def over(other: Expression): JoinKey = copy(key = other)

  /** By a query of its own, as for a shuffled join; one without a filter has hardly less than all keys. */
  override def early: Option[BoundedJoinKey] =
    side().filter(_.isSmaller).flatMap(
      BoundedJoinKey.ofEquality(key, _, buildKeys(index), keepsOthers = false))
}

/**
 * A key of a join that has bounds by the other side's rows.
 *
 * @param side
 *   the other side
 * @param least
 *   over its rows: no row has a match whose key is less than the least of these
 * @param greatest
 *   the same of the greatest
 * @param keepsOthers
 *   whether rows of the other side come out without a match, too: then there must be none that the bounds do not know
 */
final private[dynamic] case class BoundedJoinKey(
    key: Expression,
    side: RepeatableSide,
    least: Option[Expression],
    greatest: Option[Expression],
    keepsOthers: Boolean)
    extends JoinKey {
  override def over(other: Expression): JoinKey = copy(key = other)

  override def early: Option[BoundedJoinKey] = Some(this)
}

private[dynamic] object BoundedJoinKey {

  /** The key that equals one over the rows of the other side; None where that cannot be computed twice. */
  def ofEquality(
      key: Expression,
      side: RepeatableSide,
      other: Expression,
      keepsOthers: Boolean): Option[BoundedJoinKey] =
    Option.when(side.has(other))(BoundedJoinKey(key, side, Some(other), Some(other), keepsOthers))
}

/**
 * Hands keys of joins down a plan. An operator passes on the keys of which it holds that each row that comes out of it
 * has one row below that made it alone, with the same key; all others, such as a limit, pass on none.
 */
private[dynamic] object JoinKeys {

  /** For each child of an operator the keys without which no row of the child matters, given those for its own rows. */
  def ofChildren(
      operator: SparkPlan,
      keys: Seq[JoinKey],
      sides: RepeatableSides,
      numbers: NumberedRows): Seq[Seq[JoinKey]] = operator match {
    case project: ProjectExec if numbers.areNotMissed(project) =>
      Seq(keys.flatMap(below(project, _)))
    case filter: FilterExec if filter.condition.deterministic => Seq(keys)
    case _: SortExec => Seq(keys)
    case union: UnionExec => union.children.map(child => keys.flatMap(below(union, child, _)))
    case join: BroadcastHashJoinExec =>
      val own = if (dropsUnmatched(join)) ownKeys(join, sides) else Nil
      join.buildSide match {
        case BuildLeft => Seq(Nil, keys.filter(isOf(join.right)) ++ own)
        case BuildRight => Seq(keys.filter(isOf(join.left)) ++ own, Nil)
      }
    case join: BroadcastNestedLoopJoinExec =>
      val own = BoundedJoinKeys.ofRanges(join, sides)
      if (join.buildSide == BuildRight) {
        val passed = if (joinsEachForItself(join)) keys.filter(isOf(join.left)) else Nil
        Seq(passed ++ own, Nil)
      } else Seq(Nil, own)
    case join: ShuffledJoin => BoundedJoinKeys.ofChildren(join, keys, sides)
    // A broadcast above is not there when the stage below is planned.
    case exchange: ShuffleExchangeExec if exchange.outputPartitioning.isInstanceOf[HashPartitioningLike] =>
      Seq(keys.flatMap(_.early))
    case _ => operator.children.map(_ => Nil)
  }

  /** Whether rows of the left side do not decide which rows of the right one come out alone. */
  private def joinsEachForItself(join: BroadcastNestedLoopJoinExec): Boolean = join.joinType match {
    case RightOuter | FullOuter => false
    case _ => true
  }

  def isOf(child: SparkPlan)(key: JoinKey): Boolean = key.key.references.subsetOf(child.outputSet)

  /** Expressions over the rows of a projection as ones over the rows below it. */
  def belowAliases(project: ProjectExec): Expression => Expression = {
    val aliases = AttributeMap(project.projectList.collect { case a: Alias => a.toAttribute -> a.child })
    _.transform { case a: Attribute => aliases.getOrElse(a, a) }
  }

  private def below(project: ProjectExec, key: JoinKey): Option[JoinKey] = {
    val replaced = belowAliases(project)(key.key)
    Some(key.over(replaced)).filter(k => replaced.deterministic && isOf(project.child)(k))
  }

  private def below(union: UnionExec, child: SparkPlan, key: JoinKey): Option[JoinKey] = {
    val columns = AttributeMap(union.output.zip(child.output))
    val replaced = key.key.transform { case a: Attribute => columns.getOrElse(a, a) }
    Some(key.over(replaced)).filter(k => isOf(child)(k) && replaced.dataType == key.key.dataType)
  }

  /** Whether rows of the side that is not broadcast come out only if they have a match. */
  private def dropsUnmatched(join: BroadcastHashJoinExec): Boolean = join.joinType match {
    case _: InnerLike => true
    case LeftSemi => join.buildSide == BuildRight
    case _ => false
  }

  private def ownKeys(join: BroadcastHashJoinExec, sides: RepeatableSides): Seq[JoinKey] = {
    val (build, buildKeys, keys) = join.buildSide match {
      case BuildLeft => (join.left, join.leftKeys, join.rightKeys)
      case BuildRight => (join.right, join.rightKeys, join.leftKeys)
    }
    val rows = join.logicalLink.collect { case j: Join => if (join.buildSide == BuildLeft) j.left else j.right }
    if (isOfStream(build)) Nil
    else
      keys.zipWithIndex.map { case (key, i) =>
        BroadcastJoinKey(key, build, buildKeys, i, () => rows.flatMap(sides.of))
      }
  }

  /** Spark looks for watermarks and states of a stream in its plan, and not in subqueries, nor in what is computed once. */
  private def isOfStream(side: SparkPlan): Boolean = side.exists(_.logicalLink.exists(_.isStreaming))
}
