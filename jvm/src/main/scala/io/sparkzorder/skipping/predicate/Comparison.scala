package io.sparkzorder.skipping.predicate

import org.apache.spark.sql.catalyst.util.TypeUtils

/** Comparisons of two terms of one type, either of which may be a constant. */
final private[skipping] class Comparison(left: FileTerm, right: FileTerm) {

  private val order: Ordering[Any] = TypeUtils.getInterpretedOrdering(left.dataType)

  def lessThan: Outcomes = Outcomes(below(left, right), notAbove(right, left))

  def lessThanOrEqual: Outcomes = Outcomes(notAbove(left, right), below(right, left))

  def equalTo: Outcomes = Outcomes(equal, different)

  /** `<=>`, which is TRUE for two NULLs and FALSE for one. */
  def equalNullSafe: Outcomes =
    Outcomes(
      equal || (file => left.mayBeNull(file) && right.mayBeNull(file)),
      different || (file =>
        (left.mayBeNull(file) && right.mayHaveValue(file)) || (left.mayHaveValue(file) && right.mayBeNull(file)))
    )

  private def haveValues: FileTest = file => left.mayHaveValue(file) && right.mayHaveValue(file)

  /** Some value of `a` may be less than some value of `b`. */
  private def below(a: FileTerm, b: FileTerm): FileTest = haveValues && { file =>
    val (low, high) = (a.min(file), b.max(file))
    low == null || high == null || order.lt(low, high)
  }

  private def notAbove(a: FileTerm, b: FileTerm): FileTest = haveValues && { file =>
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
