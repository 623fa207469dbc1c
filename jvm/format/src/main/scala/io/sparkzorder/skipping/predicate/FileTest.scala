// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

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
}

/** Whether a row of a file may make a predicate TRUE, and whether one may make it FALSE; NULL is neither. */
final private[skipping] case class TruthBounds(canBeTrue: FileTest, canBeFalse: FileTest) {

  /** The outcomes of NOT. */
  def swapped: TruthBounds = TruthBounds(canBeFalse, canBeTrue)
}
