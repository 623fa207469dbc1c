// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import scala.util.control.NonFatal

import org.apache.iceberg.expressions.{Expression => TableExpression}
import org.apache.iceberg.spark.SparkV2Filters
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.zorder.SparkInternals

/** Predicates of Spark's as Iceberg takes them for its own planning. */
private[iceberg] object TablePredicate {

  /** None for one that Iceberg cannot express. Of some it says so, others it fails at: a beginning of a function's text. */
  def of(predicate: Expression): Option[TableExpression] =
    SparkInternals.connectorPredicate(predicate).flatMap { connectors =>
      try Option(SparkV2Filters.convert(connectors))
      catch { case NonFatal(_) => None }
    }
}
