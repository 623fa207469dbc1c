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

/**
 * `term IN (values)`, by binary search.
 *
 * @param values
 *   values of the term's type, NULLs among them
 */
final private[skipping] class InListTest(term: ExpressionBounds, values: Seq[Any]) {

  private val order: Ordering[Any] = TypeUtils.getInterpretedOrdering(term.dataType)
  private val sorted: Array[Any] = values.filter(_ != null).toArray.sorted(order)

  /** For a list that is not empty: IN of an empty one is FALSE of NULL too. */
  def outcomes: TruthBounds = TruthBounds(inList, if (sorted.length < values.length) FileTest.Never else outside)

  private def inList: FileTest = FileTest.ofValues(term) { (low, high) =>
    val first = if (low == null) 0 else firstFrom(low)
    first < sorted.length && (high == null || order.lteq(sorted(first), high))
  }

  /** With a NULL in the list, no value is known to be outside. */
  private def outside: FileTest = FileTest.ofValues(term) { (low, high) =>
    low == null || high == null || !order.equiv(low, high) || {
      val first = firstFrom(low)
      first == sorted.length || !order.equiv(sorted(first), low)
    }
  }

  /** The position of the first value that is not less than `bound`. */
  private def firstFrom(bound: Any): Int = {
    var (from, until) = (0, sorted.length)
    while (from < until) {
      val middle = (from + until) >>> 1
      if (order.lt(sorted(middle), bound)) from = middle + 1 else until = middle
    }
    from
  }
}
