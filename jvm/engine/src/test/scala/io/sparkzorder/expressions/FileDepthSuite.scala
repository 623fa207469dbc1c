// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.{KeyType, OrderableTypes}
import io.sparkzorder.layout.measure.{ColumnRange, DepthTable, FileRanges}

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, ExpressionEvalHelper, Literal}

class FileDepthSuite extends SparkFunSuite with ExpressionEvalHelper {

  for (dataType <- OrderableTypes.all)
    test(s"files that a point lookup of a ${dataType.sql} reads, interpreted and generated alike") {
      val keyType = KeyType.of(dataType).get
      val values = OrderableTypes.internalValues(dataType, 20, seed = 61)
      val sorted = values.filter(_ != null).map(keyType.key).sorted(keyType.ordering).toIndexedSeq
      val ranges = sorted.indices.dropRight(3).map(i => ColumnRange.Within(sorted(i), sorted(i + 3)))
      val found = new FileRanges(ranges :+ ColumnRange.Unknown, keyType.ordering)
      val depth = FileDepth(BoundReference(0, dataType, nullable = true), keyType, DepthTable.of(found, keyType))
      values.take(10).foreach { v =>
        checkEvaluation(depth, if (v == null) null else found.depthAt(keyType.key(v)), InternalRow(v))
      }
      checkEvaluation(depth.copy(child = Literal.create(null, dataType)), null)
    }
}
