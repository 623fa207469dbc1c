// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import io.sparkzorder.{AfterDelta, BeforeDelta, BesideDelta}

import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.catalyst.parser.ParseException

/** What Delta's parser can read stays Delta's, whichever of the parsers is the outer one; slips are told by ours. */
trait SlipsBesideDelta extends BesideDelta { self: QueryTest =>

  protected def read(text: String): String =
    try spark.sessionState.sqlParser.parsePlan(text).getClass.getSimpleName
    catch { case e: ParseException => e.getCondition }

  test("Delta's statements") {
    for (text <- Seq("OPTIMIZE t", "OPTIMIZE t WHERE zorder = 1", "OPTIMIZE table", "OPTIMIZE t FULL", "OPTIMIZE '/t'"))
      assert(read(text) === "OptimizeTableCommand", text)
    assert(read("VACUUM t RETAIN 1 HOURS DRY RUN").contains("Vacuum"))
    assert(read("DESCRIBE HISTORY t").contains("History"))
  }

  test("slips in ours") {
    for (text <- Seq("OPTIMIZE t ZORDR BY (a)", "OPTIMISE t", "OPTIMIZE t CLUSTER BY (a)", "EXPLAIN SKIPING SELECT 1"))
      assert(read(text) === "ZORDER_SYNTAX_ERROR.MISSPELLED", text)
    assert(read("OPTIMIZE t DRY RUN OPTIONS (curve = 'hilbert')") === "ZORDER_SYNTAX_ERROR.CLAUSE_ORDER")
  }

  test("what Delta's OPTIMIZE does not have, which ours of Parquet tables has") {
    for (end <- Seq("OPTIONS (target_file_size = '1m')", "DRY RUN", "OPTIONS () DRY RUN;"))
      assert(read(s"OPTIMIZE t $end") === "CompactStatement", end)
    assert(read("EXPLAIN OPTIMIZE t") === "ExplainCommand")
  }
}

class SlipsAfterDeltaSuite extends QueryTest with SlipsBesideDelta with AfterDelta {

  test("OPTIMIZE TABLE t is Delta's OPTIMIZE t") {
    assert(read("OPTIMIZE TABLE t") === "OptimizeTableCommand")
    assert(read("OPTIMIZE TABLE t WHERE day = 1") === "OptimizeTableCommand")
  }
}

class SlipsBeforeDeltaSuite extends QueryTest with SlipsBesideDelta with BeforeDelta
