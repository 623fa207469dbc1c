// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.parser.ParseException

/** What is said of texts that are nearly statements of ours. */
class SlipsSuite extends SparkFunSuite {

  private val parser = new ZOrderSqlParser(new RecordingParser)

  private def error(text: String): ParseException = intercept[ParseException](parser.parsePlan(text))

  /** A text with «» around what is found wrong. */
  private def slip(marked: String, condition: String, expected: (String, String)*): Unit =
    test(s"$condition: $marked") {
      val (start, text) = (marked.indexOf('«'), marked.replaceAll("[«»]", ""))
      val found = marked.substring(start + 1, marked.indexOf('»'))
      val e = error(text)
      val parameters = e.getMessageParameters.asScala.toMap
      assert(e.getCondition === s"ZORDER_SYNTAX_ERROR.$condition" && e.getSqlState === "42601")
      assert(parameters("found") === (if (found.isEmpty) "the end of the statement" else s"'$found'"))
      assert(parameters("form").nonEmpty && (parameters - "found" - "form") === expected.toMap)
      // As Spark's own: a line and a place in it, under the text.
      if (found.nonEmpty) assert(e.start.line.contains(1) && e.start.startPosition.contains(start))
      assert(e.command.contains(text) && e.getMessage.contains(s"== SQL ==\n$text"))
    }

  private def misspelled(marked: String, meant: String): Unit = slip(marked, "MISSPELLED", "meant" -> meant)

  private def order(marked: String, clause: String, later: String): Unit =
    slip(marked, "CLAUSE_ORDER", "clause" -> clause, "later" -> later)

  // OPTIMIZE

  for (written <- Seq(
      "ZORDR BY",
      "ZORER BY",
      "ZODRER BY",
      "Z_ORDER BY",
      "ORDER BY",
      "CLUSTER BY",
      "SORT BY",
      "Z ORDER BY",
      "ZORDERBY",
      "Z-ORDER BY",
      "ZORDER",
      "ZORDER_BY",
      "HILBERT BY"
    ))
    misspelled(
      s"OPTIMIZE t «${written.split("[ -]").head}»${written.drop(written.split("[ -]").head.length)} (a)",
      "ZORDER BY")
  misspelled("OPTIMIZE db.t WHERE day = 1 «ZORDR» BY a, b", "ZORDER BY")
  misspelled("OPTIMIZE t «ZORDER» a", "ZORDER BY")
  misspelled("OPTIMIZE t «BY» (a)", "ZORDER BY (col, ...)")
  misspelled("OPTIMIZE t «(»a, b)", "ZORDER BY (col, ...)")
  misspelled("OPTIMIZE t «FULL»", "ZORDER BY (col, ...)")
  misspelled("OPTIMIZE t «WITH» (target_file_size = '1m')", "OPTIONS")
  misspelled("OPTIMIZE t «DRYRUN»", "DRY RUN")
  misspelled("OPTIMIZE TABLE t WHERE day = 1 «DRYRUN»", "DRY RUN")
  misspelled("OPTIMIZE t WHERE day = 1 «DRY»", "DRY RUN")
  slip("OPTIMIZE t WHERE day = 1 «quickly»", "UNEXPECTED")
  misspelled("«OPTIMISE» t ZORDER BY (a)", "OPTIMIZE")
  misspelled("EXPLAIN «OPTIMZE» t ZORDER BY (a)", "OPTIMIZE")
  misspelled("OPTIMIZE «ZORDER» BY (a)", "<table> ZORDER BY")
  misspelled("OPTIMIZE «/»data/my-t ZORDER BY (a)", "'/data/my-t'")
  misspelled("OPTIMIZE «parquet»./data/t ZORDER BY (a)", "parquet.`/data/t`")
  misspelled("OPTIMIZE «parquet».'/data/t' ZORDER BY (a)", "parquet.`/data/t`")
  misspelled("OPTIMIZE «db».my-table ZORDER BY (a)", "db.`my-table`")
  misspelled("OPTIMIZE t «PARTITION» (day = 1) ZORDER BY (a)", "WHERE <predicate>")
  misspelled("OPTIMIZE t ZORDER BY (a) «WITH» (curve = 'hilbert')", "OPTIONS")
  misspelled("OPTIMIZE t ZORDER BY a «OPTION» (curve = 'hilbert')", "OPTIONS")
  misspelled("OPTIMIZE t ZORDER BY (a) «DRYRUN»", "DRY RUN")
  misspelled("OPTIMIZE t ZORDER BY (a) «DRY»", "DRY RUN")
  misspelled("OPTIMIZE t ZORDER BY (a) «DRY»-RUN", "DRY RUN")
  order("OPTIMIZE t «OPTIONS» (curve = 'hilbert') ZORDER BY (a)", "ZORDER BY (col, ...)", "OPTIONS")
  order("OPTIMIZE t WHERE day = 1 «WITH» (curve = 'hilbert') ZORDER BY (a)", "ZORDER BY (col, ...)", "OPTIONS")
  order("OPTIMIZE t DRY RUN «OPTIONS» (target_file_size = '1m')", "OPTIONS", "DRY RUN")
  order("OPTIMIZE t ZORDER BY (a) «WHERE» day = 1", "WHERE", "ZORDER BY")
  order("OPTIMIZE t ZORDER BY a, b «WHERE» day = 1", "WHERE", "ZORDER BY")
  order("OPTIMIZE t ZORDER BY (a) DRY RUN «OPTIONS» (curve = 'hilbert')", "OPTIONS", "DRY RUN")
  for (column <- Seq("«*»", "«abs»(a)", "a «+» 1", "a «DESC»", "«'a'»", "IDENTIFIER('a'), «f»(b)"))
    slip(s"OPTIMIZE t ZORDER BY ($column)", "COLUMN_NAME")
  slip("OPTIMIZE t ZORDER BY a, «lower»(b)", "COLUMN_NAME")
  slip("OPTIMIZE t «FULL» ZORDER BY (a)", "UNEXPECTED")
  slip("OPTIMIZE t ZORDER BY (a«»", "UNEXPECTED")
  slip("OPTIMIZE t ZORDER BY (a,«)»", "UNEXPECTED")

  misspelled("OPTIMIZE t «WHER» day = 1 ZORDER BY (a)", "WHERE")
  misspelled("OPTIMIZE t ZORDER BY (a) «DYR» RUN", "DRY RUN")
  misspelled("OPTIMIZE t ZORDER BY (a) «DRY» RUNN", "DRY RUN")
  misspelled("OPTIMIZE t ZORDER BY (a) «WITH» DRY RUN", "DRY RUN")
  order("«DRY» RUN OPTIMIZE t ZORDER BY (a)", "OPTIMIZE <table>", "DRY RUN")
  order("OPTIMIZE «DRY» RUN t ZORDER BY (a)", "<table> ZORDER BY (col, ...)", "DRY RUN")

  // The others

  misspelled("DESCRIBE LAYOUT «/»data/my-t ON (a)", "'/data/my-t'")
  misspelled("DESCRIBE LAYOUT EXTENDED «parquet»./data/t", "parquet.`/data/t`")
  misspelled("DESCRIBE LAYOUT «db».my-table", "db.`my-table`")
  misspelled("DESCRIBE LAYOUT «EXTNDED» t", "EXTENDED")
  misspelled("DESCRIBE LAYOUT t «PARTITION» (day = 1)", "WHERE <predicate>")
  misspelled("DESCRIBE LAYOUT t «WHER» day = 1", "WHERE")
  misspelled("DESCRIBE LAYOUT t ON (a) «WEHRE» day = 1", "WHERE")
  misspelled("DESCRIBE LAYOUT t «ZORDER» BY (a)", "ON (col, ...)")
  misspelled("DESCRIBE LAYOUT t «COLUMN» (a)", "ON (col, ...)")
  misspelled("«LAYOUT» t", "DESCRIBE LAYOUT")
  order("DESCRIBE LAYOUT t «EXTENDED»", "EXTENDED", "<table>")
  order("DESCRIBE LAYOUT t WHERE day = 1 «ON» (a)", "ON (col, ...)", "WHERE")
  misspelled("ADVISE LAYOUT «/»data/t ON (a)", "'/data/t'")
  misspelled("ADVISE LAYOUT t «WHEER» day = 1", "WHERE")
  order("ADVISE LAYOUT t FOR (SELECT 1) «ON» (a)", "ON (col, ...)", "FOR")
  order("ADVISE LAYOUT t OPTIONS (curve = 'hilbert') «FOR» (SELECT 1)", "FOR (<query>)", "OPTIONS")
  misspelled("EXPLAIN SKIPPING «SELEC» a FROM t", "SELECT")
  misspelled("EXPLAIN SKIPPING «FORM» t SELECT a", "FROM")
  misspelled("EXPLAIN SKIPPING «WTIH» x AS (SELECT 1) SELECT * FROM x", "WITH")
  misspelled("EXPLAIN SKIPPING «'SELECT 1'»", "SELECT 1")
  misspelled("EXPLAIN SKIPPING «db».t", "SELECT * FROM <table>")
  misspelled("EXPLAIN «SKIPPED» SELECT 1", "SKIPPING")
  misspelled("EXPLAIN «FILE» SKIPPING SELECT 1", "SKIPPING")
  misspelled("«SKIPPING» SELECT 1", "EXPLAIN SKIPPING")
  misspelled("DESCRIBE «LAYOTU» t ON (a)", "LAYOUT")
  misspelled("DESC «LAYOUTS» EXTENDED t", "LAYOUT")
  misspelled("«SHOW» LAYOUT t", "DESCRIBE LAYOUT")
  misspelled("«DESCIBE» LAYOUT t ON (a)", "DESCRIBE LAYOUT")
  misspelled("DESCRIBE LAYOUT t «(»a)", "ON (col, ...)")
  misspelled("DESCRIBE LAYOUT t «ON» a, b", "ON (col, ...)")
  misspelled("DESCRIBE LAYOUT «TABLE» t", "LAYOUT <table>")
  slip("DESCRIBE LAYOUT t ON («*»)", "COLUMN_NAME")
  slip("DESCRIBE LAYOUT t «x»", "UNEXPECTED")
  misspelled("ADVISE LAYOUT t «FOR» SELECT * FROM t", "FOR (<query>)")
  misspelled("ADVISE LAYOUT t «ON» a FOR (SELECT 1)", "ON (col, ...)")
  misspelled("«ADVICE» LAYOUT t", "ADVISE")
  misspelled("ADVISE «LAYOT» t", "LAYOUT")
  misspelled("ADVISE «t»", "LAYOUT")
  misspelled("EXPLAIN «SKIPING» SELECT 1", "SKIPPING")
  misspelled("«EXPLIAN» SKIPPING SELECT 1", "EXPLAIN")
  misspelled("ANALYZE TABLE t COMPUTE FILE «STATS»", "STATISTICS")
  misspelled("ANALYZE TABLE t COMPUTE «FILES» STATISTICS", "FILE")
  misspelled("ANALYZE TABLE t COMPUTE «FILESTATISTICS»", "FILE STATISTICS")
  misspelled("«ANALYSE» TABLE t COMPUTE FILE STATISTICS", "ANALYZE")
  misspelled("ANALYZE «t» COMPUTE FILE STATISTICS", "TABLE")
  misspelled("ANALYZE TABLE t COMPUTE FILE STATISTICS FOR COLUMNS «(»a)", "FOR COLUMNS col, ...")
  misspelled("ALTER TABLE t SORT BY «a»", "(col, ...)")
  misspelled("ALTER TABLE t SORT BY «HILBERT» (a)", "LEXICAL or ZORDER")
  misspelled("ALTER TABLE t «ZORDER» BY (a, b)", "SORT BY ZORDER")
  misspelled("ALTER TABLE t «ORDER» BY (a)", "SORT BY")
  slip("ALTER TABLE t SORT BY (a «DESC»)", "COLUMN_NAME")
  misspelled("CREATE TABLE t (a INT, b INT) USING parquet «ZORDER» BY (a, b)", "SORT BY ZORDER")
  misspelled("CREATE TABLE t (a INT, b INT) USING parquet «SORTED» BY ZORDER (a, b)", "SORT")
  slip("CREATE TABLE t (a INT) USING parquet SORT BY (a,«)»", "UNEXPECTED")

  test("what is nothing like ours, and what is wrong elsewhere in ours, is Spark's error") {
    Seq(
      "SELEC 1",
      "DESCRIBE TABEL t x y",
      "EXPLAIN SELEC 1",
      "OPTIMIZE",
      "ANALYZE TABLE t COMPUTE STATS",
      "SHOW t",
      "OPTIMIZE t WHERE x == = 1 ZORDER BY (a)",
      "OPTIMIZE t WHERE x == = 1",
      "EXPLAIN SKIPPING SELECT a FROM t WHERE x == = 1",
      "ALTER TABLE t SORTED",
      "CREATE TABLE t (a INT) ORDER BY (a)",
      ""
    ).foreach { text =>
      assert(error(text).getCondition === "PARSE_SYNTAX_ERROR" || text.isEmpty, text)
    }
  }

  test("any part of a statement, and any word left out or doubled, ends in a plan or a ParseException") {
    val statements = Seq(
      "OPTIMIZE TABLE IDENTIFIER ( 't' ) . x WHERE a = ( 1 ) ZORDER BY ( a , `b` . c ) OPTIONS ( curve = 'x' ) DRY RUN ;",
      "EXPLAIN EXTENDED OPTIMIZE parquet.`/t` Z - ORDER BY * WITH ( a = 1 ) DRY - RUN",
      "EXPLAIN COST OPTIMIZE TABLE t WHERE a = ( 1 ) OPTIONS ( force = true ) DRY RUN ;",
      "OPTIMIZE /data/t-1 PARTITION ( a = 1 ) ZORDER a DESC",
      "DESCRIBE LAYOUT EXTENDED t ON ( a , f ( b ) ) WHERE :p = ?",
      "EXPLAIN SKIPPING SELECT a FROM t",
      "ADVISE LAYOUT t ON ( a ) FOR ( SELECT 1 ) , ( SELECT $$x$$ ) OPTIONS ( a = 1 )",
      "ANALYZE TABLE t COMPUTE FILE STATISTICS FOR COLUMNS ( a )",
      "ALTER TABLE t SORT BY ZORDER ( a , b DESC )",
      "CREATE TABLE t ( a INT ) USING parquet ZORDER BY ( a ) AS SELECT 1",
      "BEGIN OPTIMIZE t ZORDR BY ( a ) ; END"
    )
    for (words <- statements.map(_.split(" ").toSeq); i <- words.indices)
      for (text <-
          Seq(words.take(i), words.drop(i), words.patch(i, Nil, 1), words.patch(i, Seq(words(i), words(i)), 1)))
        try parser.parsePlan(text.mkString(" "))
        catch { case _: ParseException => }
  }

  test("the place is that in the text as it came, over several lines") {
    val e = error("OPTIMIZE t -- all of it\n  ZORDR BY (a)")
    assert(e.start.line.contains(2) && e.start.startPosition.contains(2))
  }

  for (text <- Seq(
      "OPTIMIZE t WHERE day = 1 DRYRUN ZORDER BY (a)",
      "OPTIMIZE t WHERE day = 1 AS (x, y)",
      "DESCRIBE LAYOUT t WHERE day = 1 EXTENDED",
      "ADVISE LAYOUT t WHERE day = 1 quickly"
    ))
    test(s"a word too much after the predicate is no name of it: $text") {
      assert(error(text).getCondition.startsWith("ZORDER_SYNTAX_ERROR."))
    }

  for (text <- Seq(
      "VACUUM t REPLACED FILES RETAIN 0 HOURS /* DRY RUN",
      "OPTIMIZE t ZORDER BY (a) /* OPTIONS (keep_old = '7d')",
      "OPTIMIZE t WHERE day = 1 /* nightly ZORDER BY (a) DRY RUN",
      "OPTIMIZE t /* ZORDER BY (a)",
      "DESCRIBE LAYOUT t WHERE day = 1 /* x",
      "EXPLAIN SKIPPING SELECT 1 /* x",
      "FSCK REPAIR TABLE t /* DRY /* RUN */"
    )) test(s"a comment that does not end: $text")(error(text))
}
