// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.format.PartitionRow

import org.apache.iceberg.{ContentFile, PartitionSpec, Schema, StructLike}
import org.apache.iceberg.spark.{SparkSchemaUtil, SparkUtil}
import org.apache.iceberg.transforms.Transform
import org.apache.iceberg.types.Type
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression}
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * The partitions of a table as columns of its rows, by one spec. What a spec takes as it is needs no column of its own;
 * what it derives, as `days(at)`, gets one, which no file has.
 */
private[iceberg] final class PartitionColumns(schema: Schema, spec: PartitionSpec) {
  import PartitionColumns._

  private val partitionType = spec.partitionType

  private val fields: IndexedSeq[Field] = {
    val taken = scala.collection.mutable.Set.from(schema.columns.asScala.map(c => lower(c.name)))
    for {
      (field, position) <- spec.fields.asScala.toIndexedSeq.zipWithIndex if !field.transform.isVoid
      path <- FieldPath.of(schema, field.sourceId)
    } yield {
      val isColumn = field.transform.isIdentity && path.parts.size == 1
      val name = if (isColumn) path.parts.head else unused(field.name, taken.toSet)
      taken += lower(name)
      val result = partitionType.fields.get(position).`type`
      Field(position, name, path, schema.findType(field.sourceId), field.transform, result, isColumn)
    }
  }

  /** Whether each partition value can be derived from the columns that the table now has. */
  def areDerivable: Boolean = spec.fields.asScala.count(!_.transform.isVoid) == fields.size

  val columns: StructType = StructType(fields.map(f => StructField(f.name, SparkSchemaUtil.convert(f.resultType))))

  /** The columns that hold one value in each partition. */
  val identities: Seq[String] = fields.filter(_.isColumn).map(_.name)

  /** The columns from which partitions are derived, those among them. */
  val sources: Seq[String] = fields.filter(_.source.parts.size == 1).map(_.source.parts.head).distinct

  /** The partition of a file of this spec. */
  def of(file: ContentFile[_]): InternalRow =
    // In a branch columns may be narrower than the table has them by now.
    new PartitionRow(fields.map { f =>
      PartitionFunction.inSpark(f.resultType, file.partition.get(f.position, classOf[Object]))
    }.toArray[Any])

  /** As Iceberg has it in paths, `at_day=2024-01-01`; empty without partitions. */
  def nameOf(partition: InternalRow): String = fields.indices.map { i =>
    val field = fields(i)
    val text = textOf(field.transform, field.resultType, partition.get(i, columns(i).dataType))
    s"${escaped(spec.fields.get(field.position).name)}=${escaped(text)}"
  }.mkString("/")

  /**
   * What distinguishes a partition from all others, the same as of the values with which a file of this spec is
   * written.
   */
  def keyOf(partition: InternalRow): String =
    PartitionColumns.keyOf(fields.indices.map(i => partition.get(i, columns(i).dataType)))

  /** The columns that no file has, over those of the table. */
  def derived(row: Seq[Attribute]): Seq[Alias] = fields.filterNot(_.isColumn).map(f => Alias(valueOf(f, row), f.name)())

  /** The values of all columns of `columns`, over those of the table. */
  def values(row: Seq[Attribute]): Seq[Expression] =
    fields.map(f => if (f.isColumn) f.source.in(row) else valueOf(f, row))

  private def valueOf(field: Field, row: Seq[Attribute]): Expression =
    if (field.transform.isIdentity) field.source.in(row)
    else
      PartitionValue(
        field.source.in(row),
        PartitionFunction(field.transform, field.sourceType, field.resultType),
        columns(field.name).dataType)
}

private[iceberg] object PartitionColumns {

  private final case class Field(
      position: Int,
      name: String,
      source: ColumnPath,
      sourceType: Type,
      transform: Transform[_, _],
      resultType: Type,
      isColumn: Boolean)

  /** As [[PartitionColumns.keyOf]] of a spec whose partitions are derivable. */
  def keyOf(spec: PartitionSpec, partition: StructLike): String = {
    val partitionType = spec.partitionType
    val all = SparkUtil.internalToSpark(partitionType, partition).asInstanceOf[InternalRow]
    keyOf(for (i <- spec.fields.asScala.indices if !spec.fields.get(i).transform.isVoid)
      yield all.get(i, SparkSchemaUtil.convert(partitionType.fields.get(i).`type`)))
  }

  private def keyOf(values: Seq[Any]): String = values.map {
    case null => "-"
    case bytes: Array[Byte] => bytes.map("%02x".format(_)).mkString("+", "", ",")
    case value => s"${value.toString.length}:$value"
  }.mkString

  /** A value in Spark's form as Iceberg shows it. */
  private def textOf[T](transform: Transform[_, T], resultType: Type, value: Any): String = {
    val own = if (value == null) null else PartitionFunction.inIceberg(resultType, value)
    transform.toHumanString(resultType, own.asInstanceOf[T])
  }

  private def escaped(text: String): String = URLEncoder.encode(text, UTF_8)

  private def lower(name: String): String = name.toLowerCase(java.util.Locale.ROOT)

  private def unused(name: String, taken: Set[String]): String =
    Iterator.iterate(name)(_ + "_").find(n => !taken(lower(n))).get
}
