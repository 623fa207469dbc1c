// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero

/**
 * A function of which bounds follow from those of its argument: the one list of them.
 *
 * @param isKnownToFormats
 *   whether formats that skip by filters see through it themselves, as through casts for which nothing but the types counts
 * @param bounds
 *   its bounds by those of its argument
 */
final private[skipping] class BoundedFunction private (
    val argument: Expression,
    val isKnownToFormats: Boolean,
    val bounds: ExpressionBounds => ExpressionBounds)

private[skipping] object BoundedFunction {

  def unapply(expression: Expression): Option[BoundedFunction] = expression match {
    case Cast(child, to, _, _) if child.dataType == to => known(child)(identity)
    case cast: Cast if BoundsResolver.keepsOrder(cast.child.dataType, cast.dataType) =>
      known(cast.child)(new CastBounds(_, cast))
    case KnownNotNull(child) => known(child)(identity)
    // Of joins by floating-point numbers, whose order does not distinguish -0.0 and 0.0.
    case KnownFloatingPointNormalized(NormalizeNaNAndZero(child)) => known(child)(identity)
    case function @ OrderedFunction(child, zone) => ours(child)(new FunctionBounds(_, function, zone))
    case Coalesce(Seq(child, other)) if other.foldable && child.dataType == other.dataType =>
      BoundsResolver.constant(other).filter(_.value != null).flatMap { constant =>
        ours(child)(new CoalesceBounds(_, constant))
      }
    case CyclicPart(part) => ours(part.date)(new CyclicPartBounds(_, part))
    case other =>
      LinearBounds.parts(other).flatMap { case (child, factor, constant) =>
        ours(child)(new LinearBounds(_, factor, constant))
      }
  }

  private def known(argument: Expression)(bounds: ExpressionBounds => ExpressionBounds) =
    Some(new BoundedFunction(argument, isKnownToFormats = true, bounds))

  private def ours(argument: Expression)(bounds: ExpressionBounds => ExpressionBounds) =
    Some(new BoundedFunction(argument, isKnownToFormats = false, bounds))
}
