// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import io.sparkzorder.ZOrderSharedSession

import org.apache.spark.sql.{AnalysisException, QueryTest}
import org.apache.spark.sql.execution.HiveResult.hiveResultString

class SqlFunctionsSuite extends QueryTest with ZOrderSharedSession {

  private val statement = """(?s)> (.+?);\n(.*)""".r

  /** Pairs of a statement and the lines that its result prints, as in Spark's own descriptions. */
  private def examples(text: String): Seq[(String, Seq[String])] =
    text.split("\n      (?=> )").toSeq.collect { case statement(query, output) =>
      query -> output.split('\n').toSeq.map(_.stripPrefix("       ")).filter(_.trim.nonEmpty)
    }

  for ((name, info, _) <- SqlFunctions.all) {
    test(s"the examples of $name print what its description says") {
      val pairs = examples(info.getExamples)
      assert(pairs.size >= 2 && pairs.size === "> ".r.findAllIn(info.getExamples).size)
      pairs.foreach { case (query, output) =>
        val printed = hiveResultString(sql(query).queryExecution.executedPlan)
        assert(printed === output, query)
      }
    }

    test(s"DESCRIBE FUNCTION EXTENDED $name shows all of its description") {
      val shown = sql(s"DESCRIBE FUNCTION EXTENDED $name").collect().map(_.getString(0)).mkString("\n")
      assert(info.getUsage.startsWith(name.funcName))
      val parts = Seq(info.getUsage, info.getArguments.trim, info.getExamples.trim, info.getNote.trim, "Since: 0.1.0")
      parts.foreach(part => assert(part.nonEmpty && shown.contains(part)))
      assert(sql(s"SHOW FUNCTIONS LIKE '$name'").count() === 1)
    }
  }

  test("a wrong number of arguments is Spark's own error") {
    for (call <- Seq("range_partition_id()", "range_partition_id(1)", "range_partition_id(1, 2, 3)")) {
      val e = intercept[AnalysisException](sql(s"SELECT $call"))
      assert(e.getCondition === "WRONG_NUM_ARGS.WITHOUT_SUGGESTION")
    }
  }
}
