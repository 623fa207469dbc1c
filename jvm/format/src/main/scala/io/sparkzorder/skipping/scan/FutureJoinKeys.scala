// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.InSubqueryExec

/**
 * Says in the plan of a query that has not run that its joins will prune a scan. It is always replaced before the scan
 * runs.
 *
 * @param child
 *   the key, over the scan's columns
 * @param of
 *   the expression whose values prune, on the other side of the join. Not a part of what the plan means: plans with
 *   other names are the same.
 */
final case class FutureJoinKeys(child: Expression)(val of: String)
    extends UnaryExpression
    with Predicate
    with Unevaluable {

  override def toString: String = s"$child IN (keys of join by $of)"

  override protected def otherCopyArgs: Seq[AnyRef] = of :: Nil

  override protected def withNewChildInternal(newChild: Expression): FutureJoinKeys = copy(child = newChild)(of)
}

object FutureJoinKeys {

  /**
   * What can be known only when a scan runs, of its filters: it may read fewer files. None where they name no join.
   */
  def note(filters: Seq[Expression]): Option[String] = {
    val keys = of(filters).distinct
    Option.when(keys.nonEmpty)(s"a run may read fewer files: those with ${keys.mkString(" and ")}")
  }

  /** The keys of joins that will prune a scan: `k IN (keys of join by d)`. */
  private def of(filters: Seq[Expression]): Seq[String] = filters.collect {
    case keys: FutureJoinKeys => s"${keys.child.sql} IN (keys of join by ${keys.of})"
    case DynamicPruningExpression(keys: InSubqueryExec) => s"${keys.child.sql} IN (keys of a join)"
    case keys: BetweenKeys => s"${keys.left.sql} BETWEEN (keys of a join)"
  }
}

/** What stands among the filters of a scan and is none of rows. */
object ScanNotes {
  def isNote(filter: Expression): Boolean = filter match {
    case _: FutureJoinKeys | _: NeededRows | _: BetweenKeys => true
    case _ => false
  }
}
