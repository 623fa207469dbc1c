// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.footer

import io.sparkzorder.column.NewerTypes

import org.apache.spark.sql.types._

/**
 * A column that Spark's metadata or Spark knows otherwise than the file has it.
 *
 * @param inFile
 *   its type in the file
 * @param inMetadata
 *   its type by Spark's metadata; None where Spark has no type for what is in the file
 */
private[sparkzorder] final case class TypeDoubt(column: Seq[String], inFile: String, inMetadata: Option[String])

/** Replaces the types that columns have in a file by those that Spark's metadata notes. */
private[sparkzorder] object SparkSchemaTypes {

  final case class Result(schema: StructType, doubts: Seq[TypeDoubt])

  /**
   * @param physical
   *   the schema of the file, with field ids as metadata
   * @param noted
   *   the schema that Spark's metadata notes
   * @return
   *   the columns in the file, and after them further ones that the metadata has
   */
  def apply(physical: StructType, noted: StructType): Result = {
    val found = new SparkSchemaTypes
    Result(found.struct(physical, noted, Nil), found.doubts.result())
  }
}

private class SparkSchemaTypes {

  val doubts = Seq.newBuilder[TypeDoubt]

  def struct(physical: StructType, noted: StructType, above: Seq[String]): StructType = {
    val inFile = physical.fields.map { p =>
      noted.fields.find(_.name == p.name).orElse(noted.fields.find(_.name.equalsIgnoreCase(p.name))).fold(p) { n =>
        val metadata = FieldIds.of(p).fold(FieldIds.without(n))(FieldIds.in(n, _)).metadata
        StructField(p.name, typed(p.dataType, n.dataType, above :+ p.name), p.nullable || n.nullable, metadata)
      }
    }
    val others = noted.fields.filterNot(n => physical.fields.exists(_.name.equalsIgnoreCase(n.name)))
    StructType(inFile ++ others.map(f => FieldIds.without(f).copy(nullable = true)))
  }

  private def typed(physical: DataType, noted: DataType, path: Seq[String]): DataType = (physical, noted) match {
    case (p: StructType, n: StructType) => struct(p, n, path)
    case (p: ArrayType, n: ArrayType) =>
      ArrayType(typed(p.elementType, n.elementType, path), p.containsNull || n.containsNull)
    case (p: MapType, n: MapType) =>
      val key = typed(p.keyType, n.keyType, path)
      MapType(key, typed(p.valueType, n.valueType, path), p.valueContainsNull || n.valueContainsNull)
    case (p, n: UserDefinedType[_]) =>
      // All of it must be as the type of the user wants it.
      val plain = typed(p, n.sqlType, path)
      if (DataType.equalsStructurally(plain, n.sqlType, ignoreNullability = true)) n else doubted(p, n, path)
    case (p, n) if isWrittenAs(n, p) => n
    case (p, n) => doubted(p, n, path)
  }

  private def doubted(physical: DataType, noted: DataType, path: Seq[String]): DataType = {
    doubts += TypeDoubt(path, physical.sql, Some(noted.sql))
    physical
  }

  /** Whether values of a type may be in a file of what Spark takes for another, when it knows the file only. */
  private def isWrittenAs(noted: DataType, physical: DataType): Boolean = (noted, physical) match {
    case (n, p) if n == p => true
    // Collations are not Parquet's; writers of old did not say that bytes are text, and a setting takes all bytes for
    // it.
    case (_: StringType | BinaryType, _: StringType | BinaryType) => true
    case (_: DayTimeIntervalType, LongType) | (_: YearMonthIntervalType, IntegerType) => true
    // How files without metadata are read depends on a setting.
    case (TimestampType | TimestampNTZType, TimestampType | TimestampNTZType) => true
    case (n, p) if NewerTypes.areAlike(n, p) => true
    case (VariantType, _: StructType) => true
    case (NullType, BooleanType) => true
    case _ => false
  }
}
