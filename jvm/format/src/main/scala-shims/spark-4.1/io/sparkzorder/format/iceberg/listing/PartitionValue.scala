// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import java.nio.ByteBuffer
import java.util.UUID

import org.apache.iceberg.spark.SparkUtil
import org.apache.iceberg.transforms.Transform
import org.apache.iceberg.types.Type
import org.apache.iceberg.types.Type.TypeID
import org.apache.iceberg.util.SerializableFunction
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.unsafe.types.UTF8String

/** The value of a partition transform of Iceberg's for a column. */
private[iceberg] case class PartitionValue(child: Expression, function: PartitionFunction, dataType: DataType)
    extends UnaryExpression {

  override def nullIntolerant: Boolean = true

  override protected def nullSafeEval(value: Any): Any = function(value)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val of = ctx.addReferenceObj("function", function)
    def boxed(t: DataType) = CodeGenerator.boxedType(t)
    nullSafeCodeGen(
      ctx,
      ev,
      value => {
        val input =
          if (CodeGenerator.isPrimitiveType(child.dataType)) s"${boxed(child.dataType)}.valueOf($value)" else value
        val result = s"((${boxed(dataType)}) $of.apply($input))"
        val primitive = s".${CodeGenerator.javaType(dataType)}Value()"
        s"${ev.value} = $result${if (CodeGenerator.isPrimitiveType(dataType)) primitive else ""};"
      }
    )
  }

  override def toString: String = s"partition_value($child, $function)"

  override protected def withNewChildInternal(newChild: Expression): PartitionValue = copy(child = newChild)
}

/** A transform of Iceberg's from values in Spark's internal form to such ones. */
private[iceberg] final class PartitionFunction(
    function: SerializableFunction[Any, Any],
    source: Type,
    result: Type,
    text: String)
    extends Serializable {

  /** @param value not NULL */
  def apply(value: Any): Any = SparkUtil.internalToSpark(result, function(PartitionFunction.inIceberg(source, value)))

  override def toString: String = text
}

private[iceberg] object PartitionFunction {

  /**
   * A value in Spark's internal form as Iceberg has it.
   *
   * @param value
   *   not NULL
   */
  def inIceberg(dataType: Type, value: Any): Any = (dataType.typeId, value) match {
    case (TypeID.DECIMAL, decimal: Decimal) => decimal.toJavaBigDecimal
    case (TypeID.UUID, string) => UUID.fromString(string.toString)
    case (TypeID.STRING, string) => string.toString
    case (TypeID.BINARY | TypeID.FIXED, bytes: Array[Byte]) => ByteBuffer.wrap(bytes)
    case _ => value
  }

  /**
   * The value of a partition in Spark's internal form.
   *
   * @param dataType
   *   that of the partition field by now, which may be wider than when a file was written
   */
  def inSpark(dataType: Type, value: Any): Any = (dataType.typeId, value) match {
    case (_, null) => null
    case (TypeID.LONG, number: Integer) => number.toLong
    case (TypeID.DOUBLE, number: java.lang.Float) => number.toDouble
    case (TypeID.STRING, text: CharSequence) => UTF8String.fromString(text.toString)
    case _ => SparkUtil.internalToSpark(dataType, value)
  }

  def apply(transform: Transform[_, _], source: Type, result: Type): PartitionFunction = {
    val bound = transform.asInstanceOf[Transform[Any, Any]].bind(source)
    new PartitionFunction(bound, source, result, transform.toString)
  }
}
