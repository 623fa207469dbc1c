// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import org.apache.spark.sql.catalyst.expressions.{AttributeMap, AttributeReference, Expression}
import org.apache.spark.sql.execution.SparkPlan

/**
 * Columns by the names that the table has for them. A query may write them in other letters, and an expression from above
 * a scan has them as they are written there; statistics know the table's.
 */
private[dynamic] object TableNames {

  /** Expressions over the rows of a scan with its columns' own names. */
  def of(scan: SparkPlan): Expression => Expression = {
    val columns = AttributeMap(scan.output.map(a => a -> a.name))
    _.transform { case a: AttributeReference => columns.get(a).fold(a)(a.withName) }
  }
}
