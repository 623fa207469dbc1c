// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.execution.{InSubqueryExec, ScalarSubquery}
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType}

/** Filters over subqueries, which have values only when the scan runs. */
private[skipping] object LateFilters {

  def isLate(filter: Expression): Boolean = filter.exists(_.isInstanceOf[PlanExpression[_]])

  /** Whether a filter is none of the query's own. */
  def isOurs(filter: Expression): Boolean = isByKeys(filter) || ScanNotes.isNote(filter)

  /** Whether a filter is by the keys of a join. */
  def isByKeys(filter: Expression): Boolean = filter.exists {
    case _: InSubqueryExec | _: BetweenKeys => true
    case _ => false
  }

  /** The keys by which a filter is. */
  def keysOf(filter: Expression): Seq[Expression] = filter.collect {
    case keys: InSubqueryExec => keys.child
    case BetweenKeys(key, _, _) => key
  }

  /** A filter with the values of its subqueries, for statistics of files; None while one has none. */
  def withValues(filter: Expression): Option[Expression] =
    filled(filter, InStatistics)

  /**
   * The same for the readers of files, which take values as Java's: None also where a key is not one of these, such as a
   * day that Java's older calendar lacks, or bytes that are no text; and of floating-point numbers, of which Parquet's
   * readers distinguish -0.0 and 0.0 and pass over NaN.
   */
  def forReaders(filter: Expression): Option[Expression] =
    if (isByKeys(filter) && filter.exists(e => e.resolved && isFloating(e.dataType))) None
    else filled(filter, MostInTasks).filter(f => !isByKeys(filter) || survive(f))

  private def isFloating(dataType: DataType): Boolean = dataType == FloatType || dataType == DoubleType

  private def filled(filter: Expression, maxKeys: Int): Option[Expression] =
    if (filter.exists(isPending)) None
    else
      filter match {
        case DynamicPruningExpression(keys: InSubqueryExec) => Some(in(keys.child, keys.values().get, maxKeys))
        case keys: BetweenKeys => keys.withValues
        case other => Some(other.transform { case subquery: ScalarSubquery => subquery.toLiteral })
      }

  private def survive(filter: Expression): Boolean = {
    val values = filter.collect {
      case InSet(key, values) => values.toSeq.map(_ -> key.dataType)
      case Literal(value, dataType) => Seq(value -> dataType)
    }
    values.flatten.forall { case (value, dataType) =>
      try {
        val java = CatalystTypeConverters.createToScalaConverter(dataType)(value)
        CatalystTypeConverters.createToCatalystConverter(dataType)(java) == value
      } catch { case NonFatal(_) => false }
    }
  }

  private def isPending(expression: Expression): Boolean = expression match {
    case keys: InSubqueryExec => keys.values().isEmpty
    case subquery: ScalarSubquery => !hasValue(subquery)
    case _: PlanExpression[_] => true
    case _ => false
  }

  // Spark says it in no other way.
  private def hasValue(subquery: ScalarSubquery): Boolean =
    try subquery.toLiteral != null
    catch { case _: IllegalArgumentException => false }

  private def in(key: Expression, keys: Array[Any], maxKeys: Int): Expression = {
    val values = keys.filter(_ != null)
    if (values.isEmpty) Literal.FalseLiteral
    else if (values.length <= maxKeys) InSet(key, values.toSet)
    else {
      val order: Ordering[Any] = TypeUtils.getInterpretedOrdering(key.dataType)
      BetweenKeys.of(key, Some(values.min(order)), Some(values.max(order)))
    }
  }

  // They are sorted, and looked up by halving; to sort more of them takes longer than it saves.
  private val InStatistics = 100000

  /** Keys that are handed to the readers of files, with every task. */
  val MostInTasks = 1000
}
