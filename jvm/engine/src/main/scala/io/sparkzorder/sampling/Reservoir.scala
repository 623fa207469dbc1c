// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.sampling

import java.util.SplittableRandom

import scala.collection.mutable.ArrayBuffer

/**
 * An even sample of a sequence of unknown length: each element is in it with the same probability.
 *
 * Algorithm L of K.-H. Li, "Reservoir-sampling algorithms of time complexity O(n(1 + log(N/n)))", ACM Transactions on
 * Mathematical Software 20, 1994: it knows how many elements to pass over before it takes the next one. The seed is fixed:
 * the same sequence gives the same sample.
 *
 * @param size
 *   most elements that are kept, 1 or more; all elements of a shorter sequence are
 */
private[sparkzorder] final class Reservoir[T](size: Int, seed: Long = Reservoir.Seed) {

  private val random = new SplittableRandom(seed)
  private val kept = ArrayBuffer.empty[T]
  private var seen = 0L
  private var next = size.toLong
  private var largest = 1.0

  /** Whether the next element is kept, at least for now; if so, it must be handed to `take`. */
  def takesNext(): Boolean = {
    seen += 1
    seen >= next || seen <= size
  }

  def take(element: T): Unit = {
    if (kept.size < size) kept += element
    else kept(random.nextInt(size)) = element
    if (seen >= size) passOver()
  }

  /** Number of elements of the sequence so far. */
  def count: Long = seen

  def sample: IndexedSeq[T] = kept.toIndexedSeq

  private def passOver(): Unit = {
    largest *= math.exp(math.log(positive()) / size)
    next = seen + 1 + math.floor(math.log(positive()) / math.log1p(-largest)).toLong
  }

  /** Above 0, at most 1. */
  private def positive(): Double = 1.0 - random.nextDouble()
}

private[sampling] object Reservoir {

  // Any constant.
  val Seed = 5489L
}
