// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import scala.jdk.CollectionConverters._

import io.sparkzorder.column.ColumnPath

import org.apache.iceberg.Schema
import org.apache.iceberg.types.{Type, Types}

/** The way to a column of a schema of Iceberg's, by its id and back. */
private[iceberg] object FieldPath {

  /** None for what is no column of the schema, or lies in a list or a map. */
  def of(schema: Schema, id: Int): Option[ColumnPath] = in(schema.asStruct, id).map(ColumnPath(_))

  private def in(struct: Types.StructType, id: Int): Option[Seq[String]] =
    struct.fields.asScala.iterator.flatMap { field =>
      if (field.fieldId == id) Some(Seq(field.name))
      else if (field.`type`.isStructType) in(field.`type`.asStructType, id).map(field.name +: _)
      else None
    }.nextOption()

  /** The fields on the way to a column; None where the schema has no such column. */
  def to(schema: Schema, column: ColumnPath): Option[Seq[Types.NestedField]] = {
    val found = column.parts.foldLeft(Option((schema.asStruct: Type, Seq.empty[Types.NestedField]))) {
      case (Some((struct, before)), part) if struct.isStructType =>
        Option(struct.asStructType.field(part)).map(field => (field.`type`, before :+ field))
      case _ => None
    }
    found.map(_._2)
  }
}
