// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import org.scalatest.funsuite.AnyFunSuite

class StatementRecognizerSuite extends AnyFunSuite {

  private val ours = Seq(
    "OPTIMIZE t ZORDER BY (a)",
    "optimize t zorder by a",
    "OpTiMiZe a.b.c ZoRdEr By (x, y)",
    "OPTIMIZE delta.`/tmp/t` ZORDER BY (a)",
    "OPTIMIZE '/tmp/t' ZORDER BY (a)",
    "OPTIMIZE t WHERE day = '2024' ZORDER BY (a);",
    "  \n\t OPTIMIZE t ZORDER BY (a) ; ;",
    "-- a comment\nOPTIMIZE t ZORDER BY (a)",
    "/* one /* in another */ */ OPTIMIZE t /* here */ ZORDER BY (a) -- there",
    "OPTIMIZE t ZORDER",
    "OPTIMIZE ZORDER BY",
    "EXPLAIN OPTIMIZE t ZORDER BY (a)",
    "explain extended optimize t zorder by (a)",
    "EXPLAIN LOGICAL OPTIMIZE t ZORDER BY (a)",
    "EXPLAIN FORMATTED OPTIMIZE t ZORDER BY (a)",
    "EXPLAIN CODEGEN OPTIMIZE t ZORDER BY (a)",
    "EXPLAIN COST OPTIMIZE t ZORDER BY (a)",
    "DESCRIBE LAYOUT t",
    "DESC LAYOUT t",
    "describe layout t on (a)",
    "DESCRIBE LAYOUT `t`",
    "DESCRIBE LAYOUT EXTENDED t",
    "DESCRIBE LAYOUT delta.`/tmp/t`",
    "DESCRIBE LAYOUT '/tmp/t'",
    "DESCRIBE LAYOUT layout",
    "DESCRIBE LAYOUT optimize",
    "EXPLAIN DESCRIBE LAYOUT t",
    "EXPLAIN SKIPPING SELECT 1",
    "explain skipping\nselect * from t",
    "-- a comment\nEXPLAIN /* here */ SKIPPING -- there\nSELECT 1",
    "EXPLAIN SKIPPING (SELECT 1)",
    "EXPLAIN SKIPPING INSERT INTO t VALUES (1)",
    "EXPLAIN SKIPPING OPTIMIZE t",
    "EXPLAIN SKIPPING",
    "EXPLAIN EXPLAIN SKIPPING SELECT 1",
    "EXPLAIN EXTENDED EXPLAIN SKIPPING SELECT 1",
    "OPTIMIZE zorder ZORDER BY (zorder)",
    "OPTIMIZE t WHERE zorder = 1 ZORDER BY (a)",
    "OPTIMIZE t WHERE zorder ZORDER BY (a)",
    "OPTIMIZE IDENTIFIER('t') ZORDER BY (a)",
    "OPTIMIZE IDENTIFIER(concat('a', (:t))) ZORDER",
    "OPTIMIZE :t ZORDER",
    "OPTIMIZE t -- a comment \\\n goes on\n ZORDER BY a",
    "OPTIMIZE t WHERE x = $$ text $$ ZORDER BY a",
    "OPTIMIZE t WHERE x = R'\\' ZORDER BY a",
    "DESCRIBE LAYOUT IDENTIFIER('t')",
    "ANALYZE TABLE t COMPUTE FILE STATISTICS",
    "ANALYZE TABLE IDENTIFIER(:t) COMPUTE FILE STATISTICS"
  )

  private val others = Seq(
    "",
    ";",
    "-- nothing but a comment",
    "SELECT 1",
    "SELECT 'OPTIMIZE t ZORDER BY (a)'",
    "-- OPTIMIZE t ZORDER BY (a)\nSELECT 1",
    "/* OPTIMIZE t ZORDER BY (a) */ SELECT 1",
    "SELECT * FROM optimize WHERE zorder = 1",
    "EXPLAIN SELECT * FROM zorder",
    "EXPLAIN EXTENDED SELECT 1",
    "EXPLAIN",
    "EXPLAIN SELECT skipping FROM t",
    "EXPLAIN TABLE skipping",
    "EXPLAIN EXPLAIN SELECT 1",
    "EXPLAIN `skipping` SELECT 1",
    "EXPLAIN SKIPPINGS SELECT 1",
    "SKIPPING SELECT 1",
    "FROM skipping SELECT *",
    // Delta's
    "OPTIMIZE t",
    "OPTIMIZE t FULL",
    "OPTIMIZE t WHERE day = 'ZORDER'",
    "OPTIMIZE delta.`/a/ZORDER`",
    "OPTIMIZE t -- ZORDER BY (a)",
    "OPTIMIZE",
    "OPTIMIZE zorder",
    "OPTIMIZE zorder;",
    "OPTIMIZE db.zorder",
    "OPTIMIZE zorder.t",
    "OPTIMIZE zorder WHERE zorder = 1",
    "OPTIMIZE t WHERE zorder = 1",
    "OPTIMIZE t WHERE zorder",
    "OPTIMIZE t WHERE x = 1 AND zorder",
    "OPTIMIZE t WHERE zorder(1) = 1",
    "OPTIMIZE t WHERE by = zorder",
    "OPTIMIZE t WHERE x = 'ZORDER BY a'",
    "OPTIMIZE t WHERE x = $$ ZORDER BY $$",
    "OPTIMIZE t WHERE x = R'\\' AND y = ' ZORDER BY a'",
    "OPTIMIZE t -- a comment \\\n ZORDER BY a",
    "EXPLAIN OPTIMIZE zorder",
    "ANALYZE TABLE t COMPUTE STATISTICS",
    "ANALYZE TABLE file COMPUTE STATISTICS FOR ALL COLUMNS",
    "ANALYZE TABLE file COMPUTE DELTA STATISTICS",
    // A table called layout
    "DESCRIBE layout",
    "DESC layout;",
    "DESCRIBE layout.t",
    "DESCRIBE EXTENDED layout",
    "DESCRIBE TABLE layout",
    "DESCRIBE TABLE EXTENDED layout",
    "DESCRIBE layout AS JSON",
    "DESCRIBE layout PARTITION (day = 1)",
    "DESCRIBE layout -- ours?",
    "DESCRIBE FUNCTION layout",
    "DESCRIBE HISTORY layout",
    "DESCRIBE",
    // Names that only begin as ours do
    "OPTIMIZER t ZORDER BY (a)",
    "`OPTIMIZE` t ZORDER BY (a)",
    "DESCRIBE LAYOUTS t"
  )

  for (sql <- ours) test(s"ours: ${sql.replace("\n", "\\n")}")(assert(StatementRecognizer.isOurs(sql)))

  for (sql <- others) test(s"another's: ${sql.replace("\n", "\\n")}")(assert(!StatementRecognizer.isOurs(sql)))

  test("any text that Spark can be given is looked at without an error") {
    Seq("'", "`", "\"", "/*", "/* /* */", "$x", "\u0000", "\ud83d\ude00", "$$body$$", "SELECT 'a", "@", "\\", "{}")
      .foreach(text => assert(!StatementRecognizer.isOurs(text), text))
  }
}
