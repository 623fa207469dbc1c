// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import java.util.Locale

import scala.collection.mutable
import scala.util.control.NonFatal

import io.sparkzorder.column.NewerTypes
import io.sparkzorder.parquet.footer.StoredBound

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumnsUtils.EXISTS_DEFAULT_COLUMN_METADATA_KEY
import org.apache.spark.sql.types._

/**
 * Expressions over the columns of an index's files as terms.
 *
 * @param partitionColumns
 *   names in any case: their values come from folders' names, whatever a column of that name in the files holds
 */
final private[skipping] class BoundsResolver(files: FilesWithStatistics, partitionColumns: Set[String]) {

  private val columns = mutable.HashMap.empty[(Seq[String], DataType, Boolean), Option[ColumnBounds]]
  private val ofFolders = partitionColumns.map(_.toLowerCase(Locale.ROOT))

  /** The columns that have been asked for. */
  def known: Seq[ColumnBounds] = columns.values.flatten.toSeq

  /** The term of an expression, or None where nothing is known of it. */
  def of(expression: Expression): Option[ExpressionBounds] = expression match {
    case e if e.foldable => BoundsResolver.constant(e)
    case a: AttributeReference => column(a, Seq(a.name), a.dataType)
    case field: GetStructField => path(field).flatMap { case (a, names) => column(a, names, field.dataType) }
    case BoundedFunction(function) => of(function.argument).map(function.bounds)
    case _ => None
  }

  private def path(field: GetStructField): Option[(AttributeReference, Seq[String])] = {
    val name = field.childSchema(field.ordinal).name
    field.child match {
      case a: AttributeReference => Some((a, Seq(a.name, name)))
      case parent: GetStructField => path(parent).map { case (a, names) => (a, names :+ name) }
      case _ => None
    }
  }

  private def column(attribute: AttributeReference, names: Seq[String], dataType: DataType): Option[ExpressionBounds] =
    if (MetadataAttribute.isValid(attribute.metadata) || ofFolders(attribute.name.toLowerCase(Locale.ROOT))) None
    else {
      val hasDefault = attribute.metadata.contains(EXISTS_DEFAULT_COLUMN_METADATA_KEY)
      columns.getOrElseUpdate(
        (names, dataType, hasDefault),
        files.column(
          names,
          dataType).map(new ColumnBounds(files, _, dataType, BoundsResolver.hasOrder(dataType), hasDefault)))
    }
}

private[skipping] object BoundsResolver {

  /** Whether an expression is a column, or a field in one, or a function of it of which bounds are known. */
  def isBounded(expression: Expression): Boolean = hasOrder(expression.dataType) && (expression match {
    case a: AttributeReference => !MetadataAttribute.isValid(a.metadata)
    case GetStructField(struct, _, _) => isField(struct)
    case BoundedFunction(function) => isBounded(function.argument)
    case _ => false
  })

  /** Whether a filter is over a function of a column whose bounds follow from the column's, unknown to formats. */
  def usesFunction(filter: Expression): Boolean = filter.deterministic && filter.exists {
    case BoundedFunction(function) => !function.isKnownToFormats && function.argument.references.nonEmpty
    case _ => false
  }

  private def isField(struct: Expression): Boolean = struct match {
    case a: AttributeReference => !MetadataAttribute.isValid(a.metadata)
    case GetStructField(child, _, _) => isField(child)
    case _ => false
  }

  /** Types whose values Spark orders as an index's bounds do; of strings those that it compares as bytes. */
  def hasOrder(dataType: DataType): Boolean = StoredBound.isSupported(dataType) || NewerTypes.isTime(dataType)

  /** Casts under which a larger value never becomes a smaller one, and no value NULL. */
  def keepsOrder(from: DataType, to: DataType): Boolean = (from, to) match {
    case (f: DecimalType, t: DecimalType) => t.precision - t.scale >= f.precision - f.scale && t.scale >= f.scale
    case (_, t: DecimalType) => integralDigits.get(from).exists(_ <= t.precision - t.scale)
    // Rounding to the nearest keeps the order, if not the difference.
    case (_, FloatType | DoubleType) if integralDigits.contains(from) => true
    case (FloatType, DoubleType) => true
    case (DateType, TimestampType | TimestampNTZType) => true
    // Not from TIMESTAMP: where clocks were put back over midnight, a later instant has an earlier date.
    case (TimestampNTZType, DateType) => true
    case _ => integralDigits.get(from).exists(digits => integralDigits.get(to).exists(_ >= digits))
  }

  private val integralDigits: Map[DataType, Int] = Map(ByteType -> 3, ShortType -> 5, IntegerType -> 10, LongType -> 19)

  /** A value that the query itself computes once; not by a function of the user's, which may have effects. */
  def constant(expression: Expression): Option[ConstantBounds] =
    if (!expression.deterministic || expression.exists(_.isInstanceOf[UserDefinedExpression])) None
    else
      try Some(new ConstantBounds(expression.eval(), expression.dataType))
      catch { case NonFatal(_) => None }
}
