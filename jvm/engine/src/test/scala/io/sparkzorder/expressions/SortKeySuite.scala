// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.{KeyType, OrderableTypes}

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, ExpressionEvalHelper, Literal}

class SortKeySuite extends SparkFunSuite with ExpressionEvalHelper {

  for (dataType <- OrderableTypes.all)
    test(s"the key of a ${dataType.sql}, interpreted and generated alike; NULL stays NULL") {
      val keyType = KeyType.of(dataType).get
      val key = SortKey(BoundReference(0, dataType, nullable = true), keyType)
      OrderableTypes.internalValues(dataType, 12, seed = 31).foreach { value =>
        checkEvaluation(key, if (value == null) null else keyType.key(value), InternalRow(value))
      }
      checkEvaluation(SortKey(Literal.create(null, dataType), keyType), null)
    }
}
