// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, GetStructField}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * A column of a table by the names on its way, in the table's own spelling: `a.b` is `Seq("a", "b")`.
 *
 * It prints as users write it, names with special characters in back-quotes.
 */
final case class ColumnPath(parts: Seq[String]) {

  override def toString: String = parts.map(quoteIfNeeded).mkString(".")

  /** The type of the column in `schema`, whose spelling it has. */
  def dataType(schema: StructType): DataType =
    parts.foldLeft[DataType](schema)((t, part) => t.asInstanceOf[StructType](part).dataType)

  /** Whether `schema` has such a column. */
  def isIn(schema: StructType): Boolean = parts
    .foldLeft[Option[DataType]](Some(schema)) {
      case (Some(struct: StructType), part) => struct.find(_.name == part).map(_.dataType)
      case _ => None
    }
    .isDefined

  /** The column among the attributes of a plan that reads the table. */
  def in(attributes: Seq[Attribute]): Expression = {
    val root: Expression = attributes.find(_.name == parts.head).get
    parts.tail.foldLeft(root) { (struct, name) =>
      GetStructField(struct, struct.dataType.asInstanceOf[StructType].fieldIndex(name), Some(name))
    }
  }
}

object ColumnPath {

  /**
   * The path of a resolved column or field of a struct; None for any other expression. A column has the name of its
   * attribute, which must be the table's own ([[OptimizeStatement]] as resolved keeps the user's spelling).
   */
  def of(resolved: Expression): Option[ColumnPath] = resolved match {
    case alias: Alias => of(alias.child)
    case attribute: Attribute => Some(ColumnPath(Seq(attribute.name)))
    case field: GetStructField => of(field.child).map(p => ColumnPath(p.parts :+ field.childSchema(field.ordinal).name))
    case _ => None
  }

  /** The primitive columns of a schema, those in structs included, in the schema's order. */
  def leaves(schema: StructType): Seq[ColumnPath] = schema.fields.toSeq.flatMap { field =>
    field.dataType match {
      case struct: StructType => leaves(struct).map(p => ColumnPath(field.name +: p.parts))
      case _ => Seq(ColumnPath(Seq(field.name)))
    }
  }
}
