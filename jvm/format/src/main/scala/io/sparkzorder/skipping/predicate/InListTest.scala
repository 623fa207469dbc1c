// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import org.apache.spark.sql.catalyst.util.TypeUtils

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

  private def inList: FileTest = file =>
    term.mayHaveValue(file) && {
      val (low, high) = (term.min(file), term.max(file))
      val first = if (low == null) 0 else firstFrom(low)
      first < sorted.length && (high == null || order.lteq(sorted(first), high))
    }

  /** With a NULL in the list, no value is known to be outside. */
  private def outside: FileTest = file =>
    term.mayHaveValue(file) && {
      val (low, high) = (term.min(file), term.max(file))
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
