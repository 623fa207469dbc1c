package io.sparkzorder.expressions

import io.sparkzorder.layout.FileAssignment

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, TernaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, IntegerType}

/**
 * The number of the task that writes a row, by [[FileAssignment]]. An INT, never NULL.
 *
 * @param partition
 *   INT, the number of the row's table partition
 * @param index
 *   BIGINT, the row's place on the curve
 * @param rowHash
 *   INT, evaluated only for rows whose place on the curve is shared by more rows than a file holds
 */
case class OutputTask(partition: Expression, index: Expression, rowHash: Expression, assignment: FileAssignment)
    extends TernaryExpression {

  override def first: Expression = partition
  override def second: Expression = index
  override def third: Expression = rowHash

  override def dataType: DataType = IntegerType

  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = {
    val p = partition.eval(input).asInstanceOf[Int]
    val stretch = assignment.stretch(p, index.eval(input).asInstanceOf[Long])
    val hash = if (assignment.isSpread(p, stretch)) rowHash.eval(input).asInstanceOf[Int] else 0
    assignment.task(p, stretch, hash)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val plan = ctx.addReferenceObj("assignment", assignment)
    val p = partition.genCode(ctx)
    val i = index.genCode(ctx)
    val h = rowHash.genCode(ctx)
    val stretch = ctx.freshName("stretch")
    ev.copy(
      code = code"""
        ${p.code}
        ${i.code}
        final int $stretch = $plan.stretch(${p.value}, ${i.value});
        int ${ev.value};
        if ($plan.isSpread(${p.value}, $stretch)) {
          ${h.code}
          ${ev.value} = $plan.task(${p.value}, $stretch, ${h.value});
        } else {
          ${ev.value} = $plan.task(${p.value}, $stretch, 0);
        }
      """,
      isNull = FalseLiteral
    )
  }

  override protected def withNewChildrenInternal(first: Expression, second: Expression, third: Expression): OutputTask =
    copy(first, second, third)
}
