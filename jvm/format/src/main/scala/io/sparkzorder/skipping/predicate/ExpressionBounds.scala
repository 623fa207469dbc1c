// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import scala.util.control.NonFatal

import io.sparkzorder.skipping.index.{FilesWithStatistics, IndexedColumn}

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, GenericInternalRow}
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType}

/**
 * The known bounds, per file, of the values that an expression takes.
 *
 * `min` and `max` are weak bounds in Spark's order of the type, or null where nothing is known. The two tests answer
 * true where it is not known.
 */
sealed private[skipping] trait ExpressionBounds {
  def dataType: DataType
  def min(file: Int): Any
  def max(file: Int): Any
  def mayBeNull(file: Int): Boolean
  def mayHaveValue(file: Int): Boolean
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
    column: IndexedColumn,
    override val dataType: DataType,
    ordered: Boolean,
    nullsNeedBounds: Boolean)
    extends ExpressionBounds {

  private val floating = dataType == FloatType || dataType == DoubleType

  // A bound that is alone, or a minimum that is NaN, shows statistics made otherwise than these tests assume.
  private def bounded(file: Int): Boolean =
    ordered && column.min(file) != null && column.max(file) != null && !(floating && isNaN(column.min(file)))

  private def isNaN(value: Any): Boolean = value match {
    case d: Double => d.isNaN
    case f: Float => f.isNaN
    case _ => true
  }

  override def min(file: Int): Any = if (bounded(file)) column.min(file) else null

  override def max(file: Int): Any = if (bounded(file)) column.max(file) else null

  private def nulls(file: Int): Long =
    if (nullsNeedBounds && column.min(file) == null) -1 else column.nullCounts(file)

  override def mayBeNull(file: Int): Boolean = nulls(file) != 0

  override def mayHaveValue(file: Int): Boolean = {
    val known = nulls(file)
    known < 0 || known != files.rows(file)
  }
}

/**
 * A cast that keeps the order and gives NULL for NULL only.
 *
 * It need not be strict: if two values between the bounds become one, the bounds' images still bound theirs.
 */
final private[skipping] class CastBounds(child: ExpressionBounds, cast: Cast) extends ExpressionBounds {

  private val input = new GenericInternalRow(1)

  private val bound = cast.withNewChildren(Seq(BoundReference(0, child.dataType, nullable = true)))

  // A bound that does not survive the cast says nothing; the rows below it may.
  private def image(value: Any): Any =
    if (value == null) null
    else {
      input.update(0, value)
      try bound.eval(input)
      catch { case NonFatal(_) => null }
    }

  override def dataType: DataType = cast.dataType

  override def min(file: Int): Any = image(child.min(file))

  override def max(file: Int): Any = image(child.max(file))

  override def mayBeNull(file: Int): Boolean = child.mayBeNull(file)

  override def mayHaveValue(file: Int): Boolean = child.mayHaveValue(file)
}
