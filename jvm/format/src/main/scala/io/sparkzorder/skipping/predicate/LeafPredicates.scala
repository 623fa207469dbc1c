// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Evaluates single predicates by the statistics of the terms in them. */
final private[skipping] class LeafPredicates(terms: BoundsResolver) {

  /** None where nothing is known. */
  def outcomes(atom: Expression): Option[TruthBounds] = atom match {
    case EqualTo(left, right) => compared(left, right)(_.equalTo)
    case EqualNullSafe(left, right) => compared(left, right)(_.equalNullSafe)
    case LessThan(left, right) => compared(left, right)(_.lessThan)
    case LessThanOrEqual(left, right) => compared(left, right)(_.lessThanOrEqual)
    case GreaterThan(left, right) => compared(right, left)(_.lessThan)
    case GreaterThanOrEqual(left, right) => compared(right, left)(_.lessThanOrEqual)
    case In(value, list) => in(value, list)
    case InSet(value, set) => inSet(value, set)
    case IsNull(child) => isNull(child)
    case IsNotNull(child) => isNull(child).map(_.swapped)
    case IsNaN(child) => isNaN(child)
    case StartsWith(value, prefix) => startsWith(value, prefix)
    case Like(value, pattern, escape) => like(value, pattern, escape)
    case value if value.dataType == BooleanType => compared(value, Literal(true))(_.equalTo)
    case _ => None
  }

  private def compared(
      left: Expression,
      right: Expression)(outcomes: ComparisonTest => TruthBounds): Option[TruthBounds] =
    for {
      l <- terms.of(left)
      r <- terms.of(right)
      if l.dataType == r.dataType && BoundsResolver.hasOrder(l.dataType)
    } yield outcomes(new ComparisonTest(l, r))

  private def in(value: Expression, list: Seq[Expression]): Option[TruthBounds] = {
    val constants = list.map(e => if (e.foldable) BoundsResolver.constant(e) else None)
    if (constants.exists(c => c.isEmpty || c.exists(_.dataType != value.dataType))) None
    else member(value, constants.map(_.get.value))
  }

  private def inSet(value: Expression, set: Set[Any]): Option[TruthBounds] =
    member(value, set.toSeq).map { found =>
      // Spark looks up a hash of the value here, by which -0.0 need not be 0.0.
      val hashed = value.dataType == FloatType || value.dataType == DoubleType
      if (hashed) found.copy(canBeFalse = FileTest.Always) else found
    }

  private def member(value: Expression, list: Seq[Any]): Option[TruthBounds] =
    if (list.isEmpty || !BoundsResolver.hasOrder(value.dataType)) None
    else terms.of(value).map(new InListTest(_, list).outcomes)

  private def isNull(child: Expression): Option[TruthBounds] =
    terms.of(child).map(term => TruthBounds(term.mayBeNull(_), term.mayHaveValue(_)))

  /** FALSE, not NULL, of NULL. NaN is the greatest of the type. */
  private def isNaN(child: Expression): Option[TruthBounds] = {
    val nan = child.dataType match {
      case FloatType => Some(Literal(Float.NaN))
      case DoubleType => Some(Literal(Double.NaN))
      case _ => None
    }
    nan.flatMap(compared(child, _)(_.equalTo)).map(_.copy(canBeFalse = FileTest.Always))
  }

  private def startsWith(value: Expression, prefix: Expression): Option[TruthBounds] =
    string(prefix).flatMap {
      case null => Some(TruthBounds(FileTest.Never, FileTest.Never))
      case bytes => text(value).map(new PrefixTest(_, bytes).outcomes)
    }

  private def like(value: Expression, pattern: Expression, escape: Char): Option[TruthBounds] =
    for {
      bytes <- string(pattern)
      if bytes != null
      LikePattern(prefix, rest) <- LikePattern.parse(bytes.toString, escape)
      term <- text(value)
    } yield rest match {
      case LikePattern.Nothing =>
        new ComparisonTest(term, new ConstantBounds(UTF8String.fromString(prefix), StringType)).equalTo
      case LikePattern.Anything => new PrefixTest(term, UTF8String.fromString(prefix)).outcomes
      case LikePattern.Other =>
        new PrefixTest(term, UTF8String.fromString(prefix)).outcomes.copy(canBeFalse = term.mayHaveValue(_))
    }

  private def text(value: Expression): Option[ExpressionBounds] = value.dataType match {
    case StringType => terms.of(value)
    case _ => None
  }

  private def string(expression: Expression): Option[UTF8String] = expression.dataType match {
    case StringType if expression.foldable =>
      BoundsResolver.constant(expression).map(_.value.asInstanceOf[UTF8String])
    case _ => None
  }
}
