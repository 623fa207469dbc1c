// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.dsl.expressions._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.types._

/** What is written of a filter is read as the same one, or as one that holds for more rows. */
class FilterJsonSuite extends SparkFunSuite {

  private val columns = toAttributes(StructType.fromDDL(
    "a INT, b BIGINT, c STRING, d DATE, t TIMESTAMP, x DOUBLE, m DECIMAL(7,2), f BOOLEAN, s STRUCT<`y z`: INT>, h BINARY"))

  private def column(name: String): Attribute = columns.find(_.name == name).get

  private val (a, b, c, f) = (column("a"), column("b"), column("c"), column("f"))
  private val field = GetStructField(column("s"), 0, Some("y z"))
  private val mapper = new ObjectMapper().registerModule(DefaultScalaModule)
  private val reader = new FilterJson.Reader(columns, "UTC")

  private def text(filter: Expression, withValues: Boolean): Option[String] =
    new FilterJson.Writer(withValues).of(filter).map(mapper.writeValueAsString)

  private def read(json: String): Option[Expression] = reader.of(mapper.readTree(json))

  private def again(filter: Expression, withValues: Boolean = true): Option[Expression] =
    text(filter, withValues).map(read(_).get)

  private def cast(of: Expression, to: DataType): Expression = Cast(of, to, Some("UTC"), ansiEnabled = false)

  private def like(pattern: String): Expression = Like(c, Literal(pattern), '\\')

  private def in(of: Expression, values: Any*): Expression = In(of, values.map(Literal(_)))

  private val filters = Seq[(Expression, String)](
    (a === 5) -> """["=",["column","a"],["value","INT","5"]]""",
    (b < 7L) -> """["<",["column","b"],["value","BIGINT","7"]]""",
    GreaterThan(column("d"), Literal(19724, DateType)) -> """[">",["column","d"],["value","DATE","2024-01-02"]]""",
    LessThanOrEqual(column("t"), Literal(1L, TimestampType)) ->
      """["<=",["column","t"],["value","TIMESTAMP","1970-01-01 00:00:00.000001"]]""",
    GreaterThanOrEqual(column("x"), Literal(Double.NaN)) -> """[">=",["column","x"],["value","DOUBLE","NaN"]]""",
    EqualTo(column("m"), Literal(Decimal("1.50"), DecimalType(7, 2))) ->
      """["=",["column","m"],["value","DECIMAL(7,2)","1.50"]]""",
    EqualNullSafe(a, cast(b, IntegerType)) -> """["<=>",["column","a"],["cast",["column","b"],"INT"]]""",
    EqualTo(cast(a, LongType), Literal(3L)) -> """["=",["cast",["column","a"],"BIGINT"],["value","BIGINT","3"]]""",
    EqualTo(field, Literal(3)) -> """["=",["column","s","y z"],["value","INT","3"]]""",
    in(c, "it's", "é\n", "") -> """["in",["column","c"],"STRING",["it's","é\n",""]]""",
    StartsWith(c, Literal("x%")) -> """["prefix",["column","c"],["value","STRING","x%"]]""",
    like("a_%") -> """["like",["column","c"],["value","STRING","a_%"],"\\"]""",
    IsNull(a) -> """["isnull",["column","a"]]""",
    IsNotNull(field) -> """["isnotnull",["column","s","y z"]]""",
    f -> """["column","f"]""",
    Or(Not(And(a === 5, c === "v")), IsNull(b)) ->
      ("""["or",["not",["and",["=",["column","a"],["value","INT","5"]],["=",["column","c"],["value","STRING","v"]]]],""" +
        """["isnull",["column","b"]]]""")
  )

  test("filters with their values") {
    for ((filter, json) <- filters) {
      assert(text(filter, withValues = true) === Some(json))
      assert(read(json).map(_.sql) === Some(filter.sql), json)
    }
  }

  test("without values their types stand there, and the lengths of lists") {
    assert(again(a === 5, withValues = false) === Some(EqualTo(a, AnyValue(IntegerType))))
    assert(again(And(b < 7L, in(c, "u", "v")), withValues = false) ===
      Some(And(LessThan(b, AnyValue(LongType)), In(c, Seq.fill(2)(AnyValue(StringType))))))
    // All that begins alike is in a range.
    assert(again(StartsWith(c, Literal("u")), withValues = false) ===
      Some(And(GreaterThanOrEqual(c, AnyValue(StringType)), LessThanOrEqual(c, AnyValue(StringType)))))
    // A pattern has values in it, and which of two values is asked for is one.
    assert(again(like("u_%"), withValues = false) === None)
    assert(text(f, withValues = false) === text(Not(f), withValues = false))
    for ((filter, json) <- filters; shape <- text(filter, withValues = false))
      assert(!Seq("\"5\"", "\"7\"", "\"3\"", "it's", "2024", "1.50", "x%", "NaN", "1970").exists(shape.contains), json)
  }

  test("of a list of more than 1,000 values the length stands there") {
    assert(text(in(a, 1 to 2000: _*), withValues = true) === Some("""["in",["column","a"],"INT",2000]"""))
    assert(again(in(a, 1 to 2000: _*)) === Some(In(a, Seq.fill(1000)(AnyValue(IntegerType)))))
  }

  test("constants come last, and a NULL in a list is none of its values") {
    assert(again(LessThan(Literal(5), a)).map(_.sql) === Some((a > 5).sql))
    assert(again(GreaterThanOrEqual(Literal(5), a)).map(_.sql) === Some((a <= 5).sql))
    assert(again(In(a, Seq(Literal(1), Literal.create(null, IntegerType)))) === Some(in(a, 1)))
    assert(again(InSet(a, Set(1, null))) === Some(in(a, 1)))
  }

  test("what is of another kind is left out, where rows that satisfy the filter still do") {
    val other = EqualTo(Length(c), Literal(3))
    assert(again(other) === None)
    assert(again(And(other, a === 5)).map(_.sql) === Some((a === 5).sql))
    assert(again(Or(And(other, a === 5), b === 3L)).map(_.sql) === Some(Or(a === 5, b === 3L).sql))
    assert(again(Or(other, a === 5)) === None)
    assert(again(Not(And(other, a === 5))) === None)
    assert(again(EqualTo(a, Literal.create(null, IntegerType))) === None)
    assert(again(EqualTo(column("h"), Literal(Array[Byte](-1)))) === None)
  }

  test("what does not fit the table, or is damaged, is none of its filters") {
    for (json <- Seq(
        """["=",["column","gone"],["value","INT","5"]]""",
        """["=",["column","c"],["value","INT","5"]]""",
        """["=",["column","a"],["value","INT","five"]]""",
        """["=",["column","s","gone"],["value","INT","5"]]""",
        """["likewise",["column","a"],["value","INT"]]""",
        """["column","a"]""",
        """["and"]""",
        """[]""",
        """{"and": 1}""",
        """5"""
      )) assert(read(json) === None, json)
    assert(read("""["=",["column","A"],["value","INT","5"]]""").map(_.sql) === Some((a === 5).sql))
  }
}
