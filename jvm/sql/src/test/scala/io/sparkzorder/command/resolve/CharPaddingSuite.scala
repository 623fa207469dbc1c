// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.SQLHelper
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class CharPaddingSuite extends SparkFunSuite with SQLHelper {

  private val schema = new StructType().add("c", CharType(3)).add("v", VarcharType(3)).add("d", CharType(5))
  private val Seq(c, v, d) = toAttributes(CharVarcharUtils.replaceCharVarcharWithStringInSchema(schema))

  private def holds(predicate: Expression, values: (String, String, String)): Boolean = {
    val row = InternalRow.fromSeq(Seq(values._1, values._2, values._3).map(UTF8String.fromString))
    BindReferences.bindReference(CharPadding.asRead(predicate), Seq(c, v, d)).eval(row).asInstanceOf[Boolean]
  }

  test("a predicate holds for a value of CHAR(n) whether it is stored padded or not") {
    for (a <- Seq("a", "a  "); long <- Seq("a", "a    ")) {
      val row = (a, "a", long)
      for (predicate <- Seq[Expression](
          EqualTo(c, Literal("a")),
          EqualTo(Literal("a  "), c),
          EqualTo(c, Literal("a    ")),
          In(c, Seq(Literal("x"), Literal("a"))),
          Not(EqualTo(c, Literal("b"))),
          GreaterThanOrEqual(c, Literal("a")),
          EqualTo(c, d),
          EqualTo(Length(c), Literal(3)),
          Or(EqualTo(Length(d), Literal(0)), EqualTo(d, Literal("a"))),
          EqualTo(v, Literal("a")),
          EqualTo(Length(v), Literal(1))
        ))
        assert(holds(predicate, row), s"$predicate, $row")
      assert(!holds(EqualTo(c, Literal("b")), row))
    }
  }

  test("where queries read what is stored comparisons alone are padded; nothing is twice") {
    val predicate = EqualTo(c, Literal("a"))
    withSQLConf("spark.sql.readSideCharPadding" -> "false") {
      assert(CharPadding.asRead(predicate).collect { case pad: StringRPad => pad }.size === 2)
      assert(CharPadding.asRead(IsNotNull(c)) === IsNotNull(c))
      withSQLConf("spark.sql.legacy.noCharPaddingInPredicate" -> "true") {
        assert(CharPadding.asRead(predicate).collect { case pad: StringRPad => pad }.size <= 1)
      }
    }
    withSQLConf("spark.sql.legacy.charVarcharAsString" -> "true")(assert(CharPadding.asRead(predicate) eq predicate))
    assert(CharPadding.asRead(predicate).collect { case pad: StringRPad => pad }.size === 2)
  }
}
