// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import org.apache.spark.sql.catalyst.expressions._

/**
 * The two questions about a predicate in three-valued logic.
 *
 * A row that does not make `p` TRUE may make it NULL, and then NOT p is not TRUE either. So each question has its own
 * answer, and NOT goes from one to the other. What nobody understands can be both.
 */
final private[skipping] class MayMatchEvaluator(terms: BoundsResolver) {

  private val atoms = new LeafPredicates(terms)

  def canBeTrue(predicate: Expression): FileTest = predicate match {
    case And(left, right) => canBeTrue(left) && canBeTrue(right)
    case Or(left, right) => canBeTrue(left) || canBeTrue(right)
    case Not(child) => canBeFalse(child)
    case Results(results) => anyOf(results, canBeTrue)
    case atom => atoms.outcomes(atom).fold[FileTest](FileTest.Always)(_.canBeTrue)
  }

  def canBeFalse(predicate: Expression): FileTest = predicate match {
    case And(left, right) => canBeFalse(left) || canBeFalse(right)
    case Or(left, right) => canBeFalse(left) && canBeFalse(right)
    case Not(child) => canBeTrue(child)
    case Results(results) => anyOf(results, canBeFalse)
    case atom => atoms.outcomes(atom).fold[FileTest](FileTest.Always)(_.canBeFalse)
  }

  /** A result is possible only in a row that makes its condition TRUE; those without one are always possible. */
  private def anyOf(results: Seq[(Option[Expression], Expression)], possible: Expression => FileTest): FileTest =
    results.foldLeft[FileTest](FileTest.Never) { case (tests, (condition, result)) =>
      tests || (condition.fold[FileTest](FileTest.Always)(canBeTrue) && possible(result))
    }
}

/** An expression that is always one of its parts, each with the condition under which it can be, if known. */
private object Results {

  def unapply(expression: Expression): Option[Seq[(Option[Expression], Expression)]] = expression match {
    case If(condition, yes, no) => Some(Seq((Some(condition), yes), (None, no)))
    case CaseWhen(branches, otherwise) =>
      Some(branches.map { case (condition, result) => (Some(condition), result) } ++ otherwise.map((None, _)))
    case Coalesce(children) => Some(children.map((None, _)))
    case _ => None
  }
}

/**
 * A question about a file, answered from statistics: false is certain, true may be wrong.
 *
 * That makes `&&` and `||` sound, and negation impossible: the opposite of a predicate needs a test of its own.
 */
private[skipping] trait FileTest {

  /** @param file the file's number in the statistics index */
  def apply(file: Int): Boolean

  final def &&(other: FileTest): FileTest =
    if (this eq FileTest.Always) other
    else if (other eq FileTest.Always) this
    else if ((this eq FileTest.Never) || (other eq FileTest.Never)) FileTest.Never
    else file => apply(file) && other(file)

  final def ||(other: FileTest): FileTest =
    if (this eq FileTest.Never) other
    else if (other eq FileTest.Never) this
    else if ((this eq FileTest.Always) || (other eq FileTest.Always)) FileTest.Always
    else file => apply(file) || other(file)
}

private[skipping] object FileTest {

  /** Nothing is known. */
  object Always extends FileTest {
    override def apply(file: Int): Boolean = true
  }

  /** No row of any file. */
  object Never extends FileTest {
    override def apply(file: Int): Boolean = false
  }

  /** A test of the bounds of a term's values, each null where it is not known. No file without values passes it. */
  def ofValues(term: ExpressionBounds)(test: (Any, Any) => Boolean): FileTest = file =>
    term.mayHaveValue(file) && test(term.min(file), term.max(file))
}

/** Whether a row of a file may make a predicate TRUE, and whether one may make it FALSE; NULL is neither. */
final private[skipping] case class TruthBounds(canBeTrue: FileTest, canBeFalse: FileTest) {

  /** The outcomes of NOT. */
  def swapped: TruthBounds = TruthBounds(canBeFalse, canBeTrue)
}
