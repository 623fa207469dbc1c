// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import scala.util.Random

import io.sparkzorder.layout.measure.{DepthTable, FileRanges}
import io.sparkzorder.layout.measure.ColumnRange.{NoValue, Unknown, Within}

import org.apache.spark.SparkFunSuite

class DepthTableSuite extends SparkFunSuite {

  test("the depth table agrees with the ranges for every type") {
    for (dataType <- OrderableTypes.all) {
      val keyType = KeyType.of(dataType).get
      val keys = OrderableTypes.internalValues(dataType, 80, seed = 21).filter(_ != null).map(keyType.key).toIndexedSeq
      val random = new Random(4)
      val ranges = IndexedSeq.fill(30) {
        val pair = Seq.fill(2)(keys(random.nextInt(keys.size))).sorted(keyType.ordering)
        Within(pair.head, pair.last)
      } :+ Unknown :+ NoValue
      val found = new FileRanges(ranges, keyType.ordering)
      val table = org.apache.commons.lang3.SerializationUtils.clone(DepthTable.of(found, keyType))
      keys.foreach { key =>
        val expected = 1 + ranges.count {
          case Within(low, high) => keyType.compare(low, key) <= 0 && keyType.compare(key, high) <= 0
          case _ => false
        }
        assert(found.depthAt(key) === expected, dataType.sql)
        assert(table.depthOf(key) === expected, dataType.sql)
      }
    }
  }
}
