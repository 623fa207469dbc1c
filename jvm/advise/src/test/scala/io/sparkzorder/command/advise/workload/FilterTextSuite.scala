// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.analysis.caseInsensitiveResolution
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.types._

/** Filters as Spark prints them; what is not understood must be left out, never misread. */
class FilterTextSuite extends SparkFunSuite {

  private val schema = StructType.fromDDL(
    "a INT, b BIGINT, c STRING, d DATE, t TIMESTAMP, x DOUBLE, m DECIMAL(7,2), f BOOLEAN, s STRUCT<y: INT, z: STRING>")
  private val columns = toAttributes(schema)
  private val text = new FilterText(schema, columns, caseInsensitiveResolution, "UTC")

  private def column(name: String): Expression = columns.find(_.name == name).get

  private def parsed(list: String): Seq[Expression] = {
    val (filters, lost) = text.parse(list)
    assert(lost === 0, list)
    filters
  }

  private def one(filter: String): Expression = parsed(s"[$filter]").head

  test("what filters are most often made of") {
    assert(parsed("[isnotnull(a#12), (a#12 = 5)]") === Seq(IsNotNull(column("a")), EqualTo(column("a"), Literal(5))))
    assert(one("(b#1L >= 7)") === GreaterThanOrEqual(column("b"), Literal(7L)))
    assert(one("(c#3 = user-1)") === EqualTo(column("c"), Literal("user-1")))
    assert(one("(d#4 < 2024-01-02)") === LessThan(column("d"), Literal.create(19724, DateType)))
    assert(one("(t#5 > 2024-01-02 00:00:00)") === GreaterThan(
      column("t"),
      Literal.create(19724L * 86400 * 1000000, TimestampType)))
    assert(one("(m#6 <= 1.50)") === LessThanOrEqual(
      column("m"),
      Literal(Decimal(BigDecimal("1.50"), 7, 2), DecimalType(7, 2))))
    assert(one("isnull(x#7)") === IsNull(column("x")))
    assert(one("NOT (a#1 = 5)") === Not(EqualTo(column("a"), Literal(5))))
    assert(one("f#8") === column("f"))
    assert(one("(a#1 <=> 5)") === EqualNullSafe(column("a"), Literal(5)))
  }

  test("lists, prefixes and patterns") {
    assert(one("a#1 IN (1,2,3)") === In(column("a"), Seq(1, 2, 3).map(Literal(_))))
    assert(one("c#1 IN (x,y z)") === In(column("c"), Seq("x", "y z").map(Literal(_))))
    assert(one("a#1 INSET 1, 2, 3") === In(column("a"), Seq(1, 2, 3).map(Literal(_))))
    assert(one("StartsWith(c#3, ab)") === StartsWith(column("c"), Literal("ab")))
    assert(one("c#3 LIKE a%b") === Like(column("c"), Literal("a%b"), '\\'))
  }

  test("a set has no brackets, and ends where a filter begins") {
    val set = In(column("c"), Seq("u1", "u (2), x", "u3").flatMap(_.split(", ")).map(Literal(_)))
    for (next <- Seq("(a#2 = 5)" -> EqualTo(column("a"), Literal(5)), "isnotnull(a#2)" -> IsNotNull(column("a"))))
      assert(parsed(s"[isnotnull(c#1), c#1 INSET u1, u (2), x, u3, ${next._1}]") ===
        Seq(IsNotNull(column("c")), set, next._2))
    assert(parsed("[a#1 INSET 1, 2, 3, c#3 IN (x,y)]").map(_.references.head.name) === Seq("a", "c"))
  }

  test("Delta's filter of deleted rows is none of the query's") {
    val (filters, lost) = text.parse("[(__delta_internal_is_row_deleted#77 = 0), (a#1 = 5)]")
    assert((filters, lost) === ((Seq(EqualTo(column("a"), Literal(5))), 0)))
    assert(text.parse("[(__delta_internal_is_row_deleted#77 = 0)]") === ((Nil, 0)))
  }

  test("conditions in conditions, fields and casts") {
    assert(one("((a#1 = 5) OR ((b#2L < 3) AND isnotnull(c#3)))") ===
      Or(EqualTo(column("a"), Literal(5)), And(LessThan(column("b"), Literal(3L)), IsNotNull(column("c")))))
    assert(one("(s#9.y = 3)") === EqualTo(GetStructField(column("s"), 0, Some("y")), Literal(3)))
    assert(one("(cast(a#1 as bigint) = 3)") === EqualTo(Cast(column("a"), LongType, Some("UTC")), Literal(3L)))
    assert(one("(cast(a#1 as decimal(10,0)) = 3)").isInstanceOf[EqualTo])
    assert(one("(cast(a#1 as bigint) = b#2L)") === EqualTo(Cast(column("a"), LongType, Some("UTC")), column("b")))
  }

  test("columns with signs in their names, of which the longest that fits counts") {
    val schema = StructType.fromDDL(
      "a INT, `a, b` INT, my INT, `my col` BIGINT, `f(x) = y` STRING, s STRUCT<`in`: INT, `in (y)`: INT>, `n)` INT")
    val columns = toAttributes(schema)
    def column(name: String) = columns.find(_.name == name).get
    def ints(values: Int*) = values.map(Literal(_))
    val expected = Seq(
      "isnotnull(My Col#1L)" -> IsNotNull(column("my col")),
      "(my col#1L > 7)" -> GreaterThan(column("my col"), Literal(7L)),
      "((my#2 = 3) OR (n)#7 = 4))" ->
        Or(EqualTo(column("my"), Literal(3)), EqualTo(column("n)"), Literal(4))),
      "a, b#3 IN (1,2)" -> In(column("a, b"), ints(1, 2)),
      "(a#4 < a, b#3)" -> LessThan(column("a"), column("a, b")),
      "StartsWith(f(x) = y#5, ab)" -> StartsWith(column("f(x) = y"), Literal("ab")),
      "(s#6.in (y) = 3)" -> EqualTo(GetStructField(column("s"), 1, Some("in (y)")), Literal(3)),
      "(s#6.in = 3)" -> EqualTo(GetStructField(column("s"), 0, Some("in")), Literal(3)),
      "my#2 INSET 5, 6" -> In(column("my"), ints(5, 6)),
      "a, b#3 INSET 7, 8" -> In(column("a, b"), ints(7, 8)),
      "cast(a, b#3 as bigint) IN (9)" -> In(Cast(column("a, b"), LongType, Some("UTC")), Seq(Literal(9L)))
    )
    val text = new FilterText(schema, columns, caseInsensitiveResolution, "UTC")
    for ((filter, expression) <- expected) assert(text.parse(s"[$filter]") === ((Seq(expression), 0)), filter)
    assert(text.parse(expected.map(_._1).mkString("[", ", ", "]")) === ((expected.map(_._2), 0)))
  }

  test("texts with signs in them") {
    assert(parsed("[(c#3 = a, b), (a#1 = 1)]") ===
      Seq(EqualTo(column("c"), Literal("a, b")), EqualTo(column("a"), Literal(1))))
    assert(one("(c#3 = f(x) + 1)") === EqualTo(column("c"), Literal("f(x) + 1")))
    assert(parsed("[]") === Nil)
  }

  test("what is not understood is left out and counted, and what is beside it stays") {
    for (filter <- Seq(
        "(length(c#3) = 5)",
        "(a#1 = null)",
        "(unknown#1 = 5)",
        "(a#1 = five)",
        "dynamicpruning#7 [p#3]",
        "(a#1 = scalar-subquery#12 [])",
        "a#1 IN (1,2,... 12 more fields)",
        "(a#1 = 5",
        "(x#1 + a#2 = 3)",
        "might_contain(Subquery subquery#3, xxhash64(a#1, 42))"
      )) {
      val (filters, lost) = text.parse(s"[isnotnull(a#12), $filter, (a#12 = 7)]")
      assert(filters.contains(IsNotNull(column("a"))) && lost >= 1, filter)
      assert(filters.size + lost <= 4, filter)
    }
    assert(text.parse("[some text")._2 === 1)
  }

  test("any cut of a list is read without an error") {
    val list = "[isnotnull(a#12), ((c#3 = it's) OR (cast(a#1 as bigint) IN (1,2))), s#9.z LIKE a%, NOT a#1 IN (1,2)]"
    for (end <- 0 to list.length; start <- 0 to math.min(end, 40)) text.parse(list.substring(start, end))
  }
}
