// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.footer

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, LogicalTypeAnnotation, Type}
import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils
import org.apache.spark.sql.types._

/** Parquet's field ids, which Spark keeps in the metadata of fields. */
private[sparkzorder] object FieldIds {

  private val Key = ParquetUtils.FIELD_ID_METADATA_KEY

  def of(field: StructField): Option[Int] =
    if (field.metadata.contains(Key)) Some(ParquetUtils.getFieldId(field)) else None

  def in(field: StructField, id: Int): StructField =
    field.copy(metadata = new MetadataBuilder().withMetadata(field.metadata).putLong(Key, id.toLong).build())

  def without(field: StructField): StructField =
    if (!field.metadata.contains(Key)) field
    else field.copy(metadata = new MetadataBuilder().withMetadata(field.metadata).remove(Key).build())

  /** A schema without any id, nested ones included. */
  def without(schema: StructType): StructType = {
    def inside(t: DataType): DataType = t match {
      case s: StructType => StructType(s.map(f => without(f.copy(dataType = inside(f.dataType)))))
      case a: ArrayType => a.copy(elementType = inside(a.elementType))
      case m: MapType => m.copy(keyType = inside(m.keyType), valueType = inside(m.valueType))
      case _ => t
    }
    StructType(schema.map(f => without(f.copy(dataType = inside(f.dataType)))))
  }

  /** A schema with the ids that fields of the same names have in `other`, and no others. */
  def like(schema: StructType, other: StructType): StructType = {
    def struct(s: StructType, o: StructType): StructType =
      StructType(s.map { f =>
        o.fields.find(_.name == f.name).fold(f) { from =>
          val typed = f.copy(dataType = inside(f.dataType, from.dataType))
          of(from).fold(without(typed))(in(typed, _))
        }
      })
    def inside(t: DataType, o: DataType): DataType = (t, o) match {
      case (s: StructType, o: StructType) => struct(s, o)
      case (a: ArrayType, o: ArrayType) => a.copy(elementType = inside(a.elementType, o.elementType))
      case (m: MapType, o: MapType) =>
        m.copy(keyType = inside(m.keyType, o.keyType), valueType = inside(m.valueType, o.valueType))
      case _ => t
    }
    struct(schema, other)
  }

  /** Whether any field has one. */
  def isIn(schema: StructType): Boolean = ParquetUtils.hasFieldIds(schema)

  /** The fields that Spark makes of `types`, with the ids that these have. */
  def inFile(fields: StructType, types: Seq[Type]): StructType =
    StructType(fields.zip(types).map { case (f, t) =>
      val typed = f.copy(dataType = inside(f.dataType, t))
      Option(t.getId).fold(typed)(id => in(typed, id.intValue))
    })

  private def inside(dataType: DataType, t: Type): DataType = (dataType, t) match {
    case (s: StructType, g: GroupType) if names(g) == s.fieldNames.toSeq => inFile(s, g.getFields.asScala.toSeq)
    case (a: ArrayType, g: GroupType) => a.copy(elementType = inside(a.elementType, element(g)))
    case (m: MapType, g: GroupType) =>
      val entry = g.getType(0).asGroupType
      m.copy(keyType = inside(m.keyType, entry.getType(0)), valueType = inside(m.valueType, entry.getType(1)))
    case _ => dataType
  }

  /**
   * What holds the elements of a list, of which there are several forms: as Spark's `isElementType` distinguishes them.
   */
  private def element(list: GroupType): Type =
    if (!list.getLogicalTypeAnnotation.isInstanceOf[LogicalTypeAnnotation.ListLogicalTypeAnnotation]) list
    else
      list.getType(0) match {
        case repeated: GroupType if repeated.getFieldCount == 1 && !isElement(repeated, list) => repeated.getType(0)
        case itself => itself
      }

  /** By names that older writers, as of Avro and Thrift, gave to elements. */
  private def isElement(repeated: GroupType, list: GroupType): Boolean =
    repeated.getName == "array" || repeated.getName == s"${list.getName}_tuple"

  private def names(group: GroupType): Seq[String] = group.getFields.asScala.map(_.getName).toSeq
}
