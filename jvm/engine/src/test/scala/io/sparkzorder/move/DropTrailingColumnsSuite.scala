// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.ZOrderSharedSession

import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.catalyst.expressions.{Ascending, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.Sort
import org.apache.spark.sql.zorder.SparkInternals

class DropTrailingColumnsSuite extends QueryTest with ZOrderSharedSession {

  override protected def validatesPlans: Boolean = true

  /** The rows of `data` without its last column, sorted by that. */
  private def withoutLast(data: DataFrame): DataFrame = {
    val plan = SparkInternals.plan(data)
    val sorted = Sort(Seq(SortOrder(plan.output.last, Ascending)), global = true, plan)
    SparkInternals.dataFrame(spark, DropTrailingColumns(plan.output.init, sorted))
  }

  private def physical(data: DataFrame): String = data.queryExecution.executedPlan.toString

  test("rows without their last column, NULLs and strings among them, share the bytes of the whole row") {
    val data =
      spark.range(100).selectExpr("id", "if(id % 3 = 0, NULL, concat('é', id)) AS s", "array(id) AS a", "-id AS key")
    val result = withoutLast(data)
    assert(physical(result).contains("DropTrailingColumns"))
    val expected = (99 to 0 by -1).map(i => Row(i.toLong, if (i % 3 == 0) null else s"é$i", Seq(i.toLong)))
    assert(result.collect().toSeq === expected)
    assert(result.select("s").collect().toSeq === expected.map(r => Row(r.get(1))))
  }

  test("nobody prunes the columns below, and an order by the first columns is still known") {
    val plan = SparkInternals.plan(spark.range(10).selectExpr("id % 2 AS part", "id", "-id AS key"))
    val sorted = Sort(Seq(plan.output.head, plan.output.last).map(SortOrder(_, Ascending)), global = false, plan)
    val result = SparkInternals.dataFrame(spark, DropTrailingColumns(plan.output.init, sorted))
    val ordering = result.queryExecution.sparkPlan.outputOrdering
    assert(ordering.map(_.child) === Seq(plan.output.head))
    assert(result.select("id").collect().map(_.getLong(0)).toSet === (0L until 10L).toSet)
  }

  test("64 columns and one more have another bitmap of NULLs: then rows are copied") {
    for (columns <- Seq(63, 64, 65)) {
      val names = (1 to columns).map(i => if (i % 5 == 0) s"cast(NULL as int) AS c$i" else s"id * $i AS c$i")
      val result = withoutLast(spark.range(20).selectExpr(names :+ "-id AS key": _*))
      assert(physical(result).contains("DropTrailingColumns"))
      assert(result.collect().toSeq === (19 to 0 by -1).map(id =>
        Row.fromSeq((1 to columns).map(i => if (i % 5 == 0) null else id.toLong * i))))
    }
  }
}
