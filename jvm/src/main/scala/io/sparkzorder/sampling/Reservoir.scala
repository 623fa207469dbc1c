// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.sampling

import scala.collection.mutable.ArrayBuffer

/**
 * An even sample of a sequence of unknown length: each element is in it with the same probability.
 *
 * Algorithm R of J. S. Vitter, "Random sampling with a reservoir", ACM Transactions on Mathematical Software 11, 1985.
 * The seed is fixed: the same sequence gives the same sample.
 *
 * @param size
 *   most elements that are kept, 1 or more; all elements of a shorter sequence are
 */
private[sparkzorder] final class Reservoir[T](size: Int) {

  private val random = new java.util.SplittableRandom(Reservoir.Seed)
  private val kept = ArrayBuffer.empty[T]
  private var seen = 0L

  /** @param element evaluated only where it is kept, at least for now */
  def offer(element: => T): Unit = {
    seen += 1
    if (kept.size < size) kept += element
    else {
      val place = random.nextLong(seen)
      if (place < size) kept(place.toInt) = element
    }
  }

  /** Number of elements offered. */
  def count: Long = seen

  def sample: IndexedSeq[T] = kept.toIndexedSeq
}

private object Reservoir {

  // Any constant.
  private val Seed = 5489L
}
