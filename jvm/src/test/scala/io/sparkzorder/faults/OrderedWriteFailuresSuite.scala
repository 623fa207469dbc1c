// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.faults

import io.sparkzorder.{CurveOrder, LongSuite, ZOrderSharedSession}
import io.sparkzorder.write.WrittenOrder

import org.apache.spark.TaskContext
import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.zorder.RetryingSession

/** Tasks of ordered writes that fail once. */
class OrderedWriteFailuresSuite
    extends QueryTest
    with LongSuite
    with ZOrderSharedSession
    with RetryingSession
    with WrittenOrder {

  override protected def inShortRing: Set[String] =
    Set("the second attempt of a task leaves ordered and complete files: local PARTITIONED BY (p)")

  override protected val taskAttempts: Int = 2

  for (scope <- Seq("local", "global"); partitionBy <- Seq("", "PARTITIONED BY (p)"))
    test(s"the second attempt of a task leaves ordered and complete files: $scope $partitionBy") {
      withTable("t") {
        sql(s"CREATE TABLE t (id BIGINT, a INT, b INT, p INT) USING parquet $partitionBy " +
          s"TBLPROPERTIES ('sort.columns' = 'a,b', 'sort.order' = 'ZORDER', 'sort.scope' = '$scope')")
        val failsOnce = udf { (id: Long) =>
          if (id % 1000 == 900 && TaskContext.get().attemptNumber() == 0) throw new IllegalStateException("injected")
          id
        }
        val rows = spark.range(0, 4000, 1, 2)
          .selectExpr(
            "id",
            "cast(pmod(hash(id), 500) as int) a",
            "cast(pmod(hash(id, 1), 300) as int) b",
            "cast(id % 2 as int) p")
        rows.withColumn("id", failsOnce(col("id"))).write.insertInto("t")
        checkAnswer(spark.table("t"), rows.collect().toSeq)
        val files = spark.table("t").inputFiles.toSeq
        if (scope == "local") files.foreach(assertZOrdered(_, Seq("a", "b")))
        else
          files.groupBy(_.split('/').init.last).values.foreach { partition =>
            assert(CurveOrder.fault(CurveOrder.of(spark, partition, Seq(col("a"), col("b")))) === None)
          }
      }
    }
}
