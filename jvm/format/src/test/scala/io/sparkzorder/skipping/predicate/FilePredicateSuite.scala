// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import io.sparkzorder.ZOrderSharedSession
import io.sparkzorder.column.ColumnStatistics

import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, InSet}
import org.apache.spark.sql.catalyst.optimizer.{ReplaceExpressions, RewriteWithExpression}
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.types._

/** Single predicates, spelled out; [[RandomPredicatesSuite]] tries combinations. */
class FilePredicateSuite extends QueryTest with ZOrderSharedSession {

  /** Statistics of one file: bounds of each column, if known, and NULLs, if known. */
  private case class File(rows: Long, columns: Map[String, (Option[(Any, Any)], Long)])

  private val schema = new StructType()
    .add("A", IntegerType)
    .add("L", LongType)
    .add("S", StringType)
    .add("X", DoubleType)
    .add("Y", DoubleType)
    .add("F", FloatType)
    .add("Z", DoubleType)
    .add("B", BooleanType)
    .add("D", DateType)
    .add("T", TimestampType)
    .add("N", TimestampNTZType)
    .add("C", StringType("UTF8_LCASE"))

  private def file(name: String, min: Any, max: Any, nulls: Long = 0, rows: Long = 10): File = {
    val convert = CatalystTypeConverters.createToCatalystConverter(schema(name).dataType)
    File(rows, Map(name -> ((Some((convert(min), convert(max))), nulls))))
  }

  private def condition(predicate: String): Expression = {
    val data = spark.createDataFrame(new java.util.ArrayList[Row], schema)
    RewriteWithExpression(ReplaceExpressions(data.where(predicate).queryExecution.analyzed))
      .collectFirst { case Filter(c, _) => c }.get
  }

  private def kept(files: Seq[File], mayHoldNaN: Boolean = false)(predicate: Expression): Seq[Int] = {
    val columns = schema.fields.map { f =>
      val known = files.map(_.columns.getOrElse(f.name, (None, -1L)))
      (Seq(f.name), f.dataType) -> new ColumnStatistics.OfFiles(
        known.map(_._1.map(_._1).orNull).toArray,
        known.map(_._1.map(_._2).orNull).toArray,
        known.map(_._2).toArray,
        _ => mayHoldNaN)
    }
    val index = new IndexInMemory(files.toIndexedSeq.map(f => IndexedFile("", 0, 0, f.rows)), columns.toMap)
    val test = FilePredicate(Seq(predicate), index)
    files.indices.filter(i => test.forall(_.mayMatch(i)))
  }

  private def keeps(file: File, predicate: String): Boolean = kept(Seq(file))(condition(predicate)).nonEmpty

  private val ranges = Map("F1" -> (1, 2), "F2" -> (-1, 1), "F3" -> (-2, -1), "F4" -> (0, 0), "F5" -> (1, 1))

  // The project's truth table.
  for {
    (over, predicate, keep) <- Seq(
      ("F1 F2", "A = 0", "F2"),
      ("F1 F2 F4", "A != 0", "F1 F2"),
      ("F1 F2 F3", "A < 0", "F2 F3"),
      ("F1 F2 F3", "A IN (0, 1)", "F1 F2"),
      ("F1 F2 F3 F4 F5", "A NOT IN (0, 1)", "F1 F2 F3"),
      ("F1 F2 F3 F4 F5", "NOT (A = 0 OR A = 1)", "F1 F2 F3"),
      ("F1 F2 F3 F4 F5", "A BETWEEN 0 AND 1", "F1 F2 F4 F5"),
      ("F1 F2 F3 F4 F5", "A NOT BETWEEN 0 AND 1", "F1 F2 F3"),
      ("F1 F2 F3 F4 F5", "0 > A", "F2 F3"),
      ("F1 F2 F3 F4 F5", "A <=> 0", "F2 F4"),
      ("F1 F2 F3 F4 F5", "A = NULL", ""),
      ("F1 F2 F3 F4 F5", "A IN (NULL)", ""),
      ("F1 F2 F3 F4 F5", "A NOT IN (1, NULL)", ""),
      ("F1 F2 F3 F4 F5", "A IN (0, NULL)", "F2 F4"),
      ("F1 F2 F3 F4 F5", "CASE WHEN A > 1 THEN A < 5 WHEN A < -1 THEN true END", "F1 F3"),
      ("F1 F2 F3 F4 F5", "coalesce(A = 2, false)", "F1"),
      ("F1 F2 F3 F4 F5", "A + 1 = 100", ""),
      ("F1 F2 F3 F4 F5", "A % 7 = 100", "F1 F2 F3 F4 F5"),
      ("F1 F2 F3 F4 F5", "A > 1 AND A % 7 = 100", "F1"),
      ("F1 F2 F3 F4 F5", "A > rand()", "F1 F2 F3 F4 F5")
    )
  } test(predicate) {
    val names = over.split(" ").toSeq
    val files = names.map(n => file("A", ranges(n)._1, ranges(n)._2))
    assert(kept(files)(condition(predicate)).map(names) === keep.split(" ").toSeq.filter(_.nonEmpty))
  }

  test("what is not known keeps the file") {
    val unknown = File(10, Map.empty)
    for (p <- Seq("A = 0", "A IN (1)", "S LIKE 'a%'", "NOT (A > 1)", "A IS NULL", "A IS NOT NULL", "B", "isnan(X)"))
      assert(keeps(unknown, p), p)
    val nullsOnly = File(10, Map("A" -> ((None, 10L)), "S" -> ((None, 10L))))
    for (p <- Seq(
        "A = 0",
        "A <> 0",
        "A IN (1)",
        "A NOT IN (1)",
        "S LIKE 'a%'",
        "S NOT LIKE 'a%'",
        "A IS NOT NULL",
        "A <=> 1"))
      assert(!keeps(nullsOnly, p), p)
    for (p <- Seq("A IS NULL", "A <=> NULL", "NOT (A <=> 1)", "A IS NULL AND S IS NULL", "(A = 1) IS NULL"))
      assert(keeps(nullsOnly, p), p)
    assert(!keeps(file("A", 1, 2), "A IS NULL") && keeps(file("A", 1, 2, nulls = -1), "A IS NULL"))
  }

  test("a file without rows") {
    assert(!keeps(File(0, Map.empty), "A = 0"))
  }

  test("LIKE leaves out files by how their strings begin") {
    val files = Seq("aba" -> "adf", "adf" -> "azy", "abc123" -> "abc345").map { case (a, b) => file("S", a, b) }
    def keeping(predicate: String): Seq[Int] = kept(files)(condition(predicate))
    assert(keeping("S LIKE 'abc%'") === Seq(0, 2))
    assert(keeping("startswith(S, 'abc')") === Seq(0, 2))
    assert(keeping("S NOT LIKE 'abc%'") === Seq(0, 1))
    assert(keeping("S LIKE 'ad%z%'") === Seq(0, 1))
    assert(keeping("S LIKE 'az_'") === Seq(1))
    assert(keeping("S LIKE 'abc123'") === Seq(0, 2))
    assert(keeping("S LIKE '%'") === Seq(0, 1, 2))
    assert(keeping("S NOT LIKE '%'") === Nil)
    assert(keeping("S NOT LIKE 'abc_%'") === Seq(0, 1, 2))
    assert(keeping("S LIKE 'ab/_%' ESCAPE '/'") === Nil && keeping("S LIKE 'ab_%'") === Seq(0, 2))
    assert(keeping("S LIKE '\\\\%%'") === Nil)
    assert(keeping("S LIKE NULL") === Seq(0, 1, 2))
    assert(kept(Seq(file("C", "a", "b")))(condition("C LIKE 'x%'")) === Seq(0))
    assert(kept(Seq(file("C", "a", "b")))(condition("C = 'x'")) === Seq(0))
  }

  test("NaN and zeros") {
    val withNaN = file("X", 3.0, Double.NaN)
    for (p <- Seq("X != 3", "X > 100", "NOT (X < 10)", "X = double('NaN')", "isnan(X)")) assert(keeps(withNaN, p), p)
    assert(!keeps(file("X", 3.0, 4.0), "X = double('NaN')") && !keeps(file("X", 3.0, 4.0), "isnan(X)"))
    assert(keeps(file("X", Double.NaN, Double.NaN), "X = 3"))
    assert(keeps(file("X", -0.0, -0.0), "X = 0") && !keeps(file("X", -0.0, -0.0), "X < 0"))
    assert(!keeps(file("X", -0.0, 0.0), "NOT X IN (0)"), condition("NOT X IN (0)").toString)
  }

  test("NaN beside the bounds") {
    val names = Seq("X", "Y", "F", "Z")
    val bounds = names.map(n => file(n, if (n == "F") 3.0f else 3.0, if (n == "F") 4.0f else 4.0)).map(_.columns)
    val beside = File(10, bounds.reduce(_ ++ _))
    def keepsIt(predicate: String) = kept(Seq(beside), mayHoldNaN = true)(condition(predicate)).nonEmpty
    val nan = "double('NaN')"
    for (p <- Seq(
        "X > 5",
        "isnan(X)",
        "NOT (X <= 5)",
        "X != 3",
        s"X = $nan",
        s"X <=> $nan",
        s"X IN (1, $nan)",
        "X BETWEEN 4 AND 5",
        s"X BETWEEN 5 AND $nan",
        "X = Y",
        "X > 5 AND Y > 5 AND F > 5 AND Z > 5",
        "CAST(F AS DOUBLE) > 5",
        "A = 1",
        "X IS NOT NULL"
      )) assert(keepsIt(p), p)
    for (p <- Seq(
        "X < 3",
        "X = 5",
        "X <=> 5D",
        "X IN (1, 5)",
        "X BETWEEN 5 AND 6",
        "X > 5 AND X < 6 AND Y = 3",
        "X = 3 AND Y > 5 AND Y < 6",
        "X < 10 AND NOT (X <= 5)",
        "isnan(X) AND X = 3",
        "isnan(X) AND X IS NULL",
        "X IS NULL",
        "CAST(F AS DOUBLE) = 5",
        "CAST(F AS DOUBLE) > 5 AND CAST(F AS DOUBLE) < 6"
      )) assert(!keepsIt(p), p)
    // Two columns are equal where both are NaN, and a fourth column is not taken apart.
    assert(keepsIt("X = Y AND X > 5") && !keepsIt("X = Y AND X > 5 AND Y < 5"))
    assert(keepsIt("X < 5 AND Y < 5 AND F < 5 AND Z > 3"))
  }

  test("a cast leaves out files where no stored value can become the one looked for") {
    val large = file("L", (1L << 53) + 1, (1L << 53) + 1)
    assert(keeps(large, "CAST(L AS DOUBLE) = 9007199254740992D"))
    assert(!keeps(large, "CAST(L AS DOUBLE) != 9007199254740992D"))
    assert(!keeps(large, "CAST(L AS DECIMAL(38, 2)) = 1.00BD") && keeps(large, "CAST(L AS DECIMAL(5, 2)) = 1.00BD"))
    assert(!keeps(file("A", 1, 2), "A = 5L") && !keeps(file("A", 1, 2), "A > 2.5D") && keeps(
      file("A", 1, 2),
      "A = 2.0D"))
    assert(keeps(file("L", 1L, 2L), "CAST(L AS INT) = 5") && keeps(file("L", 1L, 2L), "CAST(L AS STRING) = '5'"))
    val day = java.sql.Date.valueOf("2024-01-01")
    assert(!keeps(file("D", day, day), "D >= TIMESTAMP'2024-01-01 00:00:01'"))
    assert(keeps(file("D", day, day), "D >= TIMESTAMP'2024-01-01 00:00:00'"))
    val noon = java.sql.Timestamp.valueOf("2024-01-01 12:00:00")
    assert(!keeps(file("T", noon, noon), "CAST(T AS DATE) = DATE'2025-01-01'"))
    assert(keeps(file("T", noon, noon), "CAST(T AS DATE) = DATE'2024-01-01'"))
    assert(!keeps(file("N", noon.toLocalDateTime, noon.toLocalDateTime), "CAST(N AS DATE) = DATE'2025-01-01'"))
  }

  test("functions that keep the order") {
    val spring =
      file("T", java.sql.Timestamp.valueOf("2024-03-05 12:00:00"), java.sql.Timestamp.valueOf("2024-05-06 01:00:00"))
    for {
      (predicate, isKept) <- Seq(
        "date_trunc('month', T) = TIMESTAMP'2024-04-01'" -> true,
        "date_trunc('month', T) = TIMESTAMP'2024-06-01'" -> false,
        "date_trunc('nothing', T) = TIMESTAMP'2024-06-01'" -> true,
        "year(T) = 2024" -> true,
        "year(T) < 2024" -> false,
        "date(T) IN (DATE'2024-03-04', DATE'2024-05-07')" -> false,
        "to_date(T) >= DATE'2024-05-06'" -> true,
        "trunc(date(T), 'MM') = DATE'2024-02-01'" -> false
      )
    } assert(keeps(spring, predicate) === isKept, predicate)
    assert(keeps(file("A", 1, 5), "2 * A - 1 = 9") && !keeps(file("A", 1, 5), "2 * A - 1 = 11"))
    assert(keeps(file("A", 1, 5), "-A < -4") && !keeps(file("A", 1, 5), "-A < -5"))
    assert(keeps(file("A", 1, Int.MaxValue), "A + 1 = -9"))
    assert(!keeps(file("A", 1, 5), "coalesce(A, 7) = 7") && keeps(file("A", 1, 5, nulls = 1), "coalesce(A, 7) = 7"))
    assert(!keeps(file("A", 1, 5, nulls = 10), "coalesce(A, 7) = 5"))
    assert(keeps(file("S", "abc", "bcd"), "substr(S, 1, 1) = 'b'") && !keeps(
      file("S", "abc", "bcd"),
      "left(S, 2) = 'be'"))
    assert(!keeps(file("S", "abc", "bcd"), "substring(S, 1, 2) LIKE 'c%'"))
  }

  test("parts of dates skip files whose dates are of one period") {
    def dates(from: String, until: String) = file("D", java.sql.Date.valueOf(from), java.sql.Date.valueOf(until))
    val spring = dates("2024-03-05", "2024-05-06")
    for {
      (predicate, isKept) <- Seq(
        "month(D) = 3" -> true,
        "month(D) = 6" -> false,
        "extract(MONTH FROM D) IN (1, 2, 12)" -> false,
        "year(D) = 2024 AND month(D) = 2" -> false,
        "quarter(D) BETWEEN 1 AND 2" -> true,
        "quarter(D) > 2" -> false,
        "dayofyear(D) < 65" -> false,
        "dayofyear(D) = 65" -> true,
        "day(D) = 31" -> true,
        "day(D) = 32" -> false
      )
    } assert(keeps(spring, predicate) === isKept, predicate)
    assert(keeps(dates("2023-12-30", "2024-01-02"), "month(D) = 6"))
    assert(!keeps(dates("2024-02-03", "2024-02-29"), "day(D) < 3") && keeps(
      dates("2024-02-03", "2024-03-01"),
      "day(D) < 3"))
  }

  test("a bound that cannot be cast keeps the file") {
    val far = File(10, Map("D" -> ((Some((0, Int.MaxValue)), 0L))))
    assert(keeps(far, "D > TIMESTAMP'9999-01-01 00:00:00'"))
  }

  test("a function of the user's is not called") {
    var calls = 0
    spark.udf.register("counted", (i: Int) => { calls += 1; i })
    assert(keeps(file("A", 1, 2), "counted(A) = 5") && keeps(file("A", 1, 2), "A = counted(5)"))
    assert(calls === 0)
  }

  test("of a long list the values in each file are found") {
    val column = condition("A = 1").collectFirst { case a: Attribute => a }.get
    val files = (0 until 1000).map(i => file("A", i * 10, i * 10 + 5))
    val values = (0 until 10000 by 7).toSet
    val expected = files.indices.filter(i => (i * 10 to i * 10 + 5).exists(values))
    assert(kept(files)(InSet(column, values.map(v => v: Any))) === expected)
  }
}
