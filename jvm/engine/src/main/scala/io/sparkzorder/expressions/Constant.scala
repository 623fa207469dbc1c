// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, RuntimeReplaceable}

/** Arguments of functions that have to be constants. */
private[sparkzorder] object Constant {

  /**
   * The value of a constant before the optimizer has seen it, in Spark's internal form.
   *
   * @return
   *   null for NULL; None for what has no value before a query runs
   */
  def valueOf(expression: Expression): Option[Any] = {
    val evaluable = plain(expression)
    if (!evaluable.foldable) None
    else
      try Some(evaluable.eval())
      // What the optimizer replaces by a constant, such as the user's name.
      catch { case e: SparkThrowable if e.getCondition == "INTERNAL_ERROR" => None }
  }

  private def plain(expression: Expression): Expression = expression.transform {
    case replaced: RuntimeReplaceable => plain(replaced.replacement)
    // A variable comes with its name.
    case named: Alias => plain(named.child)
  }
}
