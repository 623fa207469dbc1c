// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.{KeyHead, KeyType, OrderableTypes}
import io.sparkzorder.curve.{Curve, HilbertCurve, ZCurve}
import io.sparkzorder.key.{ColumnRanks, RankTables}

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, ExpressionEvalHelper, Literal}
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeProjection
import org.apache.spark.sql.types.{BinaryType, DataType, IntegerType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

class CurvePositionSuite extends SparkFunSuite with ExpressionEvalHelper {

  private def ranks(dataType: DataType, values: Seq[Any], bits: Int): ColumnRanks = {
    val keyType = KeyType.of(dataType).get
    ColumnRanks.of(keyType, values.map(v => if (v == null) null else keyType.key(v)).toArray, bits)
  }

  private def rank(ranks: ColumnRanks, value: Any): Long =
    ranks.rankOf(if (value == null) null else ranks.order.asInstanceOf[KeyType].key(value))

  /** The index over columns of these types, and the rows that it was made of. */
  private def indexOver(
      types: Seq[DataType],
      curve: Curve,
      nullable: Boolean = true): (CurvePosition, Seq[InternalRow]) = {
    val columns = types.zipWithIndex.map { case (t, i) =>
      val values = OrderableTypes.internalValues(t, 60, seed = 41 + i)
      if (nullable) values else values.filter(_ != null)
    }
    val tables = types.zip(columns).map { case (t, values) => ranks(t, values, curve.bits) }
    val children = types.zipWithIndex.map { case (t, i) => BoundReference(i, t, nullable) }
    (
      CurvePosition(Literal(0), children, new RankTables(Array(tables.toArray)), curve),
      (0 until 40).map(r => InternalRow.fromSeq(columns.map(_(r)))))
  }

  private def expected(index: CurvePosition, row: InternalRow, types: Seq[DataType]): Long =
    index.curve.position(types.indices.map { i =>
      rank(index.ranks.of(0)(i), if (row.isNullAt(i)) null else row.get(i, types(i)))
    }.toArray)

  for (dataType <- OrderableTypes.all)
    test(s"the place of a ${dataType.sql} beside an INT, interpreted and generated alike") {
      val types = Seq(dataType, IntegerType)
      val (index, rows) = indexOver(types, new ZCurve(2, 31))
      rows.take(8).foreach(row => checkEvaluation(index, expected(index, row, types), row))
      checkEvaluation(index, expected(index, InternalRow(null, null), types), InternalRow(null, null))
      val literals = index.copy(columns = types.map(Literal.create(null, _)))
      checkEvaluation(literals, 0L)
    }

  test(
    "a string that is longer than a sample keeps it has the rank of its beginning, for which the layout is planned") {
    val long = Seq("a", "b").map(c => UTF8String.fromString(c * 3000))
    val kept = long.map(KeyHead.of)
    val tables = ColumnRanks.of(KeyType.of(StringType).get, kept.toArray, 31)
    val index = CurvePosition(
      Literal(0),
      Seq(BoundReference(0, StringType, nullable = true)),
      new RankTables(Array(Array(tables))),
      new ZCurve(1, 31))
    for ((value, head) <- long.zip(kept))
      checkEvaluation(index, index.curve.position(Array(tables.rankOf(head))), InternalRow(value))
    assert(kept.forall(_.numBytes === 1024))
    val bytes = Array.fill[Byte](3000)(7)
    val ofBytes = ColumnRanks.of(KeyType.of(BinaryType).get, Array(KeyHead.of(bytes), Array[Byte](9)), 31)
    val byBytes = index.copy(
      columns = Seq(BoundReference(0, BinaryType, nullable = true)),
      ranks = new RankTables(Array(Array(ofBytes))))
    checkEvaluation(byBytes, index.curve.position(Array(ofBytes.rankOf(bytes.take(1024)))), InternalRow(bytes))
  }

  test("columns that cannot be NULL") {
    val types = Seq(LongType, StringType)
    val (index, rows) = indexOver(types, new ZCurve(2, 31), nullable = false)
    rows.take(8).foreach(row => checkEvaluation(index, expected(index, row, types), row))
  }

  for (curve <- Seq(new ZCurve(16, 3), new HilbertCurve(16, 3), new HilbertCurve(3, 21), new ZCurve(1, 63)))
    test(s"one generated projection for all rows: ${curve.name} of ${curve.dimensions} columns") {
      val types = OrderableTypes.all.take(curve.dimensions)
      val (index, rows) = indexOver(types, curve)
      val generated = GenerateUnsafeProjection.generate(Seq(index))
      rows.foreach { row =>
        assert(generated(row).getLong(0) === index.eval(row))
        assert(index.eval(row) === expected(index, row, types))
      }
    }

  test("it is never NULL, and is named after its curve") {
    val (index, _) = indexOver(Seq(IntegerType), new HilbertCurve(1, 63))
    assert(!index.nullable && index.dataType === LongType && index.prettyName === "hilbert_index")
  }

  test("a table of ranks for each column, and as many as the curve has axes") {
    val (index, _) = indexOver(Seq(IntegerType, IntegerType), new ZCurve(2, 31))
    intercept[IllegalArgumentException](index.copy(ranks = new RankTables(Array(index.ranks.of(0).take(1)))))
    intercept[IllegalArgumentException](index.copy(curve = new ZCurve(3, 21)))
  }

  test("each partition by ranks of its own") {
    val keyType = KeyType.of(IntegerType).get
    val low = (0 until 100).map(_.toLong)
    val keys = Array[Any](low.map(v => v: Any) ++ low.map(v => v + 1000: Any): _*)
    val ranks = RankTables.of(
      Seq(keyType),
      IndexedSeq(keys),
      IndexedSeq((0 until 100).toArray, (100 until 200).toArray, Array(5)),
      63,
      100)
    val index = CurvePosition(
      BoundReference(0, IntegerType, nullable = false),
      Seq(BoundReference(1, IntegerType, nullable = true)),
      ranks,
      new ZCurve(1, 63))
    // The same place in either partition for the middle of its own values; too small a partition takes the table's.
    checkEvaluation(index, 1L << 62, InternalRow(0, 50))
    checkEvaluation(index, 1L << 62, InternalRow(1, 1050))
    checkEvaluation(index, 1L << 62, InternalRow(2, 1000))
    checkEvaluation(index, 0L, InternalRow(1, null))
  }
}
