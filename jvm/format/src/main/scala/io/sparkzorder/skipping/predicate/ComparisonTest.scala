// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import org.apache.spark.sql.catalyst.util.TypeUtils

/** Comparisons of two terms of one type, either of which may be a constant. */
final private[skipping] class ComparisonTest(left: ExpressionBounds, right: ExpressionBounds) {

  private val order: Ordering[Any] = TypeUtils.getInterpretedOrdering(left.dataType)

  def lessThan: TruthBounds = TruthBounds(below(left, right), notAbove(right, left))

  def lessThanOrEqual: TruthBounds = TruthBounds(notAbove(left, right), below(right, left))

  def equalTo: TruthBounds = TruthBounds(equal, different)

  /** `<=>`, which is TRUE for two NULLs and FALSE for one. */
  def equalNullSafe: TruthBounds =
    TruthBounds(
      equal || (file => left.mayBeNull(file) && right.mayBeNull(file)),
      different || (file =>
        (left.mayBeNull(file) && right.mayHaveValue(file)) || (left.mayHaveValue(file) && right.mayBeNull(file)))
    )

  private def haveValues: FileTest = file => left.mayHaveValue(file) && right.mayHaveValue(file)

  /** Some value of `a` may be less than some value of `b`. */
  private def below(a: ExpressionBounds, b: ExpressionBounds): FileTest = haveValues && { file =>
    val (low, high) = (a.min(file), b.max(file))
    low == null || high == null || order.lt(low, high)
  }

  private def notAbove(a: ExpressionBounds, b: ExpressionBounds): FileTest = haveValues && { file =>
    val (low, high) = (a.min(file), b.max(file))
    low == null || high == null || order.lteq(low, high)
  }

  private def equal: FileTest = notAbove(left, right) && notAbove(right, left)

  /** Not so only where all values on both sides are known to be the same one. */
  private def different: FileTest = haveValues && { file =>
    val (low, high) = (left.min(file), left.max(file))
    val (otherLow, otherHigh) = (right.min(file), right.max(file))
    low == null || high == null || otherLow == null || otherHigh == null ||
    !(order.equiv(low, high) && order.equiv(otherLow, otherHigh) && order.equiv(low, otherLow))
  }
}
