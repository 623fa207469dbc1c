// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.TypeUtils

/**
 * The first rows of a table in an order: all that is needed of it for `ORDER BY key LIMIT limit`, and for `min(key)` and
 * `max(key)`, which take the first value that is not NULL.
 *
 * @param key
 *   what rows are ordered by first. Rows of equal keys are all needed where one is.
 * @param conditions
 *   predicates over the table's columns: rows that do not satisfy all of them do not count
 */
final case class FirstRows(
    key: Expression,
    isAscending: Boolean,
    nulls: FirstRows.Nulls,
    limit: Long,
    conditions: Seq[Expression]) {

  /** The order of keys, NULL among them. */
  val order: Ordering[Any] = {
    val values: Ordering[Any] = TypeUtils.getInterpretedOrdering(key.dataType)
    val directed = if (isAscending) values else values.reverse
    (a: Any, b: Any) =>
      if (a == null && b == null) 0
      else if (a == null) { if (nulls == FirstRows.First) -1 else 1 }
      else if (b == null) { if (nulls == FirstRows.First) 1 else -1 }
      else directed.compare(a, b)
  }

  override def toString: String =
    s"first $limit by $key ${if (isAscending) "ASC" else "DESC"} $nulls${conditions.map(c => s" WHERE $c").mkString}"
}

object FirstRows {

  /** Where rows without a key are. */
  sealed abstract class Nulls(override val toString: String)
  case object First extends Nulls("NULLS FIRST")
  case object Last extends Nulls("NULLS LAST")
  case object Ignored extends Nulls("NULLS IGNORED")

  /**
   * The keys of a file's rows.
   *
   * @param low
   *   a key at or before those of all rows
   * @param high
   *   a key at or after them
   * @param rows
   *   number of rows that surely count
   */
  final case class KeyRange(low: Any, high: Any, rows: Long)

  /**
   * The last key that may be needed: rows of at least `limit` rows have keys at or before it.
   *
   * @param ranges
   *   of files, each once, of which the keys are known
   * @param isSure
   *   whether a file is still what its range says, asked of the few files that decide
   * @return
   *   None where there may be fewer rows, so that all are needed
   */
  def last[T](first: FirstRows, ranges: Seq[(T, KeyRange)], isSure: T => Boolean): Option[Any] = {
    val candidates = ranges.iterator.filter(_._2.rows > 0).toSeq.sortBy(_._2.high)(first.order)
    var rows = 0L
    candidates.iterator.filter(c => isSure(c._1)).collectFirst {
      case (_, range) if { rows += range.rows; rows >= first.limit } => range.high
    }
  }
}

/** The keys of the rows of an index's files, as [[FirstRows]] orders them. Not safe for use by several threads. */
final private[skipping] class FirstRowsRanges(
    first: FirstRows,
    files: FilesWithStatistics,
    partitionColumns: Set[String]) {
  import FirstRows.{Ignored, KeyRange}

  private val terms = new BoundsResolver(files, partitionColumns)
  private val key = terms.of(first.key)
  private val decided = first.conditions.map(new DecidedPredicate(_, terms))

  /** Of a file; None where its keys are not known. Some(None) where it has no row of use. */
  def of(file: Int): Option[Option[KeyRange]] = key.flatMap { bounds =>
    val (min, max) = (bounds.min(file), bounds.max(file))
    val hasValues = bounds.mayHaveValue(file)
    if (hasValues && (min == null || max == null)) None
    else {
      val ends = if (!hasValues) Nil else Seq(min, max)
      val keys = if (first.nulls != Ignored && bounds.mayBeNull(file)) ends :+ null else ends
      Some(Option.when(keys.nonEmpty)(KeyRange(keys.min(first.order), keys.max(first.order), counted(file, bounds))))
    }
  }

  private def counted(file: Int, bounds: ExpressionBounds): Long =
    if (!decided.forall(_.isTrue(file)) || (first.nulls == Ignored && bounds.mayBeNull(file))) 0
    else files.rowsAtLeast(file)
}

/** A predicate of which statistics may show that every row of a file satisfies it. */
final private class DecidedPredicate(predicate: Expression, terms: BoundsResolver) {

  private val canBeFalse = new MayMatchEvaluator(terms).canBeFalse(predicate)
  private val inputs: Option[Seq[ExpressionBounds]] =
    if (!isTwoValued(predicate)) None
    else {
      val all = columnsOf(predicate).map(terms.of)
      Option.when(all.forall(_.isDefined))(all.flatten)
    }

  def isTrue(file: Int): Boolean = inputs.exists(!_.exists(_.mayBeNull(file))) && !canBeFalse(file)

  /** Whether only a NULL in a column can make it NULL. */
  private def isTwoValued(expression: Expression): Boolean = expression match {
    case Literal(value, _) => value != null
    case _: AttributeReference => true
    case GetStructField(child, _, _) => isTwoValued(child)
    case Cast(child, to, _, _) => BoundsResolver.keepsOrder(child.dataType, to) && isTwoValued(child)
    case InSet(child, values) => !values.contains(null) && isTwoValued(child)
    case _: And | _: Or | _: Not | _: BinaryComparison | _: In | _: IsNotNull | _: IsNull =>
      expression.children.forall(isTwoValued)
    case _ => false
  }

  private def columnsOf(expression: Expression): Seq[Expression] = expression match {
    case column @ (_: AttributeReference | _: GetStructField) => Seq(column)
    // These are never NULL, whatever their column is.
    case IsNull(_) | IsNotNull(_) => Nil
    case other => other.children.flatMap(columnsOf)
  }
}
