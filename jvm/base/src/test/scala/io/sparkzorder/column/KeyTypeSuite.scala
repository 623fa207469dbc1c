// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import io.sparkzorder.key.{LongBounds, ObjectBounds, QuantileSketch, SortedBounds}

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class KeyTypeSuite extends SparkFunSuite {

  private def internal(dataType: DataType, seed: Long): Seq[Any] =
    OrderableTypes.internalValues(dataType, 60, seed).filter(_ != null)

  for (dataType <- OrderableTypes.all) {
    test(s"keys of ${dataType.sql} compare as Spark compares the values") {
      val keyType = KeyType.of(dataType).get
      val ordering = RowOrdering.createNaturalAscendingOrdering(Seq(dataType))
      val values = internal(dataType, seed = 1)
      for (a <- values; b <- values) {
        val expected = ordering.compare(InternalRow(a), InternalRow(b))
        val actual = keyType.compare(keyType.key(a), keyType.key(b))
        assert(actual.sign === expected.sign, s"$a, $b")
      }
    }

    test(s"bounds over ${dataType.sql} count the values below and at") {
      val keyType = KeyType.of(dataType).get
      val ordering = RowOrdering.createNaturalAscendingOrdering(Seq(dataType))
      val bounds = internal(dataType, seed = 2).foldLeft(Seq.empty[Any]) { (distinct, v) =>
        if (distinct.exists(d => ordering.compare(InternalRow(d), InternalRow(v)) == 0)) distinct else distinct :+ v
      }.sortWith((a, b) => ordering.compare(InternalRow(a), InternalRow(b)) < 0)
      val sorted = keyType.bounds(bounds.map(keyType.key).toArray)
      assert(sorted.size === bounds.size)
      for (v <- bounds ++ internal(dataType, seed = 3)) {
        val below = bounds.count(b => ordering.compare(InternalRow(b), InternalRow(v)) < 0)
        val atOrBelow = bounds.count(b => ordering.compare(InternalRow(b), InternalRow(v)) <= 0)
        assert(lowerAndUpper(sorted, keyType.key(v)) === ((below, atOrBelow)), s"$v")
      }
    }

    test(s"keys of ${dataType.sql} survive being written and read") {
      val keyType = KeyType.of(dataType).get
      val sketch = new QuantileSketch(keyType)
      internal(dataType, seed = 4).foreach(v => sketch.add(keyType.key(v)))
      val copy = QuantileSketch.fromBytes(keyType, sketch.toBytes)
      assert(copy.weightedKeys.size === sketch.weightedKeys.size)
      copy.weightedKeys.zip(sketch.weightedKeys).foreach { case ((a, m), (b, n)) =>
        assert(keyType.compare(a, b) === 0 && m === n)
      }
    }
  }

  private def lowerAndUpper(bounds: SortedBounds, key: Any): (Int, Int) = bounds match {
    case longs: LongBounds => (longs.lowerBound(key.asInstanceOf[Long]), longs.upperBound(key.asInstanceOf[Long]))
    case objects: ObjectBounds =>
      (objects.lowerBound(key.asInstanceOf[AnyRef]), objects.upperBound(key.asInstanceOf[AnyRef]))
  }

  test("types without an order have no key type") {
    val unordered = Seq(MapType(IntegerType, IntegerType), VariantType, CalendarIntervalType)
    (unordered ++ unordered.map(ArrayType(_))).foreach(t => assert(KeyType.of(t) === None, t.sql))
    assert(KeyType.of(new StructType().add("v", VariantType)) === None)
  }
}
