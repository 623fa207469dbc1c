// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.encoded

import java.util.{ArrayList => JArrayList}

import scala.jdk.CollectionConverters._

import io.sparkzorder.parquet.encoder.FileContent

import org.apache.iceberg.{Schema, SchemaParser}
import org.apache.iceberg.avro.AvroSchemaUtil
import org.apache.iceberg.spark.SparkSchemaUtil
import org.apache.iceberg.types.{TypeUtil, Types}
import org.apache.iceberg.types.Type.TypeID
import org.apache.parquet.schema.{LogicalTypeAnnotation, MessageType, PrimitiveType, Type, Types => ParquetTypes}
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit.MICROS
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types.{Decimal, StructType}

/**
 * What the files of a schema hold whose columns are plain: the columns that Iceberg's `TypeToMessageType` makes of them,
 * with its field ids.
 */
private[encoded] object PlainSchema {

  /** @return None where a column is nested, of a type that Spark has not, or of a name that Parquet takes in another form */
  def of(schema: Schema, fields: StructType): Option[FileContent] = {
    val columns = schema.columns.asScala.toSeq
    val types = columns.flatMap(column)
    val isSame = types.size == columns.size && SparkSchemaUtil.convert(schema).map(f => (f.name, f.dataType)) ==
      fields.map(f => (f.name, f.dataType))
    Option.when(isSame) {
      FileContent(
        new MessageType("table", new JArrayList[Type](types.asJava)),
        fields,
        Map("iceberg.schema" -> SchemaParser.toJson(schema)),
        isOfOneCalendar = true)
    }
  }

  private def column(field: Types.NestedField): Option[PrimitiveType] =
    if (AvroSchemaUtil.makeCompatibleName(field.name) != field.name) None
    else field.`type`.typeId match {
      case TypeID.BOOLEAN => Some(of(field, BOOLEAN))
      case TypeID.INTEGER => Some(of(field, INT32))
      case TypeID.LONG => Some(of(field, INT64))
      case TypeID.FLOAT => Some(of(field, FLOAT))
      case TypeID.DOUBLE => Some(of(field, DOUBLE))
      case TypeID.DATE => Some(of(field, INT32, LogicalTypeAnnotation.dateType))
      case TypeID.STRING => Some(of(field, BINARY, LogicalTypeAnnotation.stringType))
      case TypeID.BINARY => Some(of(field, BINARY))
      case TypeID.TIMESTAMP =>
        val isInstant = field.`type`.asInstanceOf[Types.TimestampType].shouldAdjustToUTC
        Some(of(field, INT64, LogicalTypeAnnotation.timestampType(isInstant, MICROS)))
      case TypeID.DECIMAL => Some(decimal(field, field.`type`.asInstanceOf[Types.DecimalType]))
      case _ => None
    }

  private def of(
      field: Types.NestedField,
      name: PrimitiveType.PrimitiveTypeName,
      as: LogicalTypeAnnotation = null,
      length: Int = 0): PrimitiveType =
    ParquetTypes.primitive(name, if (field.isOptional) Type.Repetition.OPTIONAL else Type.Repetition.REQUIRED)
      .as(as).length(length).id(field.fieldId).named(field.name)

  private def decimal(field: Types.NestedField, of: Types.DecimalType): PrimitiveType = {
    val annotation = LogicalTypeAnnotation.decimalType(of.scale, of.precision)
    if (of.precision <= Decimal.MAX_INT_DIGITS) this.of(field, INT32, annotation)
    else if (of.precision <= Decimal.MAX_LONG_DIGITS) this.of(field, INT64, annotation)
    else this.of(field, FIXED_LEN_BYTE_ARRAY, annotation, TypeUtil.decimalRequiredBytes(of.precision))
  }
}
