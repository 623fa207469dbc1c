// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import scala.util.control.NonFatal

import io.sparkzorder.column.ColumnStatistics

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, Expression, GenericInternalRow}
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType}

/**
 * The known bounds, per file, of the values that an expression takes.
 *
 * `min` and `max` are weak bounds in Spark's order of the type, or null where nothing is known. The two tests answer
 * true where it is not known.
 */
private[skipping] trait ExpressionBounds {
  def dataType: DataType
  def min(file: Int): Any
  def max(file: Int): Any
  def mayBeNull(file: Int): Boolean
  def mayHaveValue(file: Int): Boolean
}

private object ExpressionBounds {

  /** The image of a bound under `function`, whose argument is the one value of `input`; null where it has none. */
  def image(function: Expression, input: InternalRow, bound: Any): Any = {
    input.update(0, bound)
    try function.eval(input)
    catch { case NonFatal(_) => null }
  }
}

/** The bounds of a function of one term that makes NULL of NULL and, unless a subclass knows more, of nothing else. */
abstract private[skipping] class DerivedBounds(term: ExpressionBounds) extends ExpressionBounds {
  override def mayBeNull(file: Int): Boolean = term.mayBeNull(file)
  override def mayHaveValue(file: Int): Boolean = term.mayHaveValue(file)
}

/** The same value in every row; null too. */
final private[skipping] class ConstantBounds(val value: Any, override val dataType: DataType) extends ExpressionBounds {
  override def min(file: Int): Any = value
  override def max(file: Int): Any = value
  override def mayBeNull(file: Int): Boolean = value == null
  override def mayHaveValue(file: Int): Boolean = value != null
}

/**
 * A column, or a field in one.
 *
 * @param ordered
 *   whether Spark orders the type as the bounds do; if not, only NULLs are known
 * @param nullsNeedBounds
 *   whether a file without bounds may lack the column and read as its default instead of NULL
 */
final private[skipping] class ColumnBounds(
    files: FilesWithStatistics,
    column: ColumnStatistics.OfFiles,
    override val dataType: DataType,
    ordered: Boolean,
    nullsNeedBounds: Boolean)
    extends ExpressionBounds {

  private val nan: Any = dataType match {
    case FloatType => Float.NaN
    case DoubleType => Double.NaN
    case _ => null
  }

  /** Whether values may be NaN. */
  def isFloating: Boolean = nan != null

  /** The rows that the bounds are of, in the files that [[isSplit]] names. */
  var rows: ColumnBounds.Rows = ColumnBounds.All

  /** Whether the file may hold NaN beside its bounds, such that each kind of rows has bounds of its own. */
  def isSplit(file: Int): Boolean = isFloating && column.mayHoldNaN(file) && bounded(file)

  // A bound that is alone, or a minimum that is NaN, shows statistics made otherwise than these tests assume.
  private def bounded(file: Int): Boolean =
    ordered && column.min(file) != null && column.max(file) != null && !(isFloating && isNaN(column.min(file)))

  private def isNaN(value: Any): Boolean = value match {
    case d: Double => d.isNaN
    case f: Float => f.isNaN
    case _ => true
  }

  private def areNaN(file: Int): Boolean = rows == ColumnBounds.NaN && isSplit(file)

  override def min(file: Int): Any = if (!bounded(file)) null else if (areNaN(file)) nan else column.min(file)

  // NaN is above all numbers.
  override def max(file: Int): Any =
    if (!bounded(file)) null
    else if (rows != ColumnBounds.NotNaN && isSplit(file)) nan
    else column.max(file)

  private def nulls(file: Int): Long =
    if (nullsNeedBounds && column.min(file) == null) -1 else column.nullCounts(file)

  override def mayBeNull(file: Int): Boolean = nulls(file) != 0 && !areNaN(file)

  override def mayHaveValue(file: Int): Boolean = {
    val known = nulls(file)
    known < 0 || known != files.rows(file)
  }
}

private[skipping] object ColumnBounds {

  /** Rows of a file by their value in a column; NULL is not NaN. */
  sealed trait Rows
  case object All extends Rows
  case object NotNaN extends Rows
  case object NaN extends Rows
}

/**
 * A cast that keeps the order and gives NULL for NULL only.
 *
 * It need not be strict: if two values between the bounds become one, the bounds' images still bound theirs.
 */
final private[skipping] class CastBounds(child: ExpressionBounds, cast: Cast) extends DerivedBounds(child) {

  private val input = new GenericInternalRow(1)

  private val bound = cast.withNewChildren(Seq(BoundReference(0, child.dataType, nullable = true)))

  // A bound that does not survive the cast says nothing; the rows below it may.
  private def image(value: Any): Any = if (value == null) null else ExpressionBounds.image(bound, input, value)

  override def dataType: DataType = cast.dataType

  override def min(file: Int): Any = image(child.min(file))

  override def max(file: Int): Any = image(child.max(file))
}
