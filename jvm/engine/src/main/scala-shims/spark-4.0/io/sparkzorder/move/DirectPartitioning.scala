// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, Pmod}
import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, Partitioning}

/**
 * A shuffle in which each row names its own task. Spark 4.0 has none: of all its shuffles that by a hash alone takes
 * the number of a task from an expression, which is another one here. As in later Sparks it is taken modulo the number
 * of tasks.
 */
private[move] object DirectPartitioning {

  /** @param task the number of a row's task, an INT */
  def apply(task: Expression, tasks: Int): Partitioning = new HashPartitioning(Seq(task), tasks) {
    override def partitionIdExpression: Expression = Pmod(task, Literal(tasks))
  }
}
