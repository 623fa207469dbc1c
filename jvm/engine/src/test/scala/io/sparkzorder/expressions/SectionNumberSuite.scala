// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.KeyType
import io.sparkzorder.layout.CellAspect
import io.sparkzorder.layout.incremental.{FileBox, RegionTree, SectionRouter, Sections}

import org.apache.commons.lang3.SerializationUtils
import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String

class SectionNumberSuite extends SparkFunSuite with ExpressionEvalHelper {

  private val keyTypes = IndexedSeq(KeyType.of(IntegerType).get, KeyType.of(StringType).get)

  // Four files: up to 10 or above, up to "m" or above.
  private val boxes = for {
    a <- IndexedSeq(0.0 -> 0.5, 0.51 -> 1.0)
    b <- IndexedSeq(0.0 -> 0.5, 0.51 -> 1.0)
  } yield FileBox(IndexedSeq(a._1, b._1), IndexedSeq(a._2, b._2), 1, 1)
  private val highs = IndexedSeq(
    IndexedSeq[Any](10L, 10L, 20L, 20L),
    IndexedSeq("m", "z", "m", "z").map(UTF8String.fromString))

  private val tree = RegionTree.of(boxes)

  // Per region the number of its file.
  private val route = Sections.route(tree, keyTypes, highs, tree.regions.map(_.head).toArray)

  private val number = SectionNumber(
    BoundReference(0, IntegerType, nullable = false),
    Seq(BoundReference(1, IntegerType, nullable = true), BoundReference(2, StringType, nullable = true)),
    keyTypes,
    new SectionRouter(
      IndexedSeq(
        Sections.whole,
        Sections(IndexedSeq(false, false, true, true), IndexedSeq.fill(4)(CellAspect.Even), Some(route)),
        Sections.layer))
  )

  test("the section of a row, interpreted and generated alike") {
    for {
      (partition, a, b, expected) <- Seq(
        (0, 5, "a", 0),
        (0, null, null, 0),
        (1, 5, "a", 1),
        (1, 10, "m", 1),
        (1, 10, "mm", 2),
        (1, 11, "a", 3),
        (1, 999, "zzz", 4),
        (1, null, null, 1),
        (1, null, "z", 2),
        (1, -7, "", 1),
        (2, 11, "z", 5)
      )
    } checkEvaluation(number, expected, InternalRow(partition, a, UTF8String.fromString(b)))
    assert(!number.nullable && number.dataType === IntegerType)
  }

  test("it is serialized to executors") {
    val copy = SerializationUtils.clone(number.routes)
    assert(number.copy(routes = copy).eval(InternalRow(1, 11, UTF8String.fromString("n"))) === 4)
    assert(!copy.isTrivial && new SectionRouter(IndexedSeq(Sections.whole, Sections.whole)).isTrivial)
  }
}
