// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

/**
 * The numbers of paths, by a hash table of numbers alone: of a million paths it takes 8 MB beside the paths, where a map with an
 * entry for each takes ten times as much.
 *
 * Linear probing (Knuth, The Art of Computer Programming 3, 6.4, algorithm L), at most half full.
 *
 * @param paths
 *   the paths by their numbers; of one that is there twice the last counts
 */
private[index] final class FileNumbers(paths: IndexedSeq[String]) {

  private val slots = Array.fill(math.max(2, Integer.highestOneBit(math.max(1, paths.size)) * 4))(-1)
  private val mask = slots.length - 1

  for (number <- paths.indices) slots(slotOf(paths(number))) = number

  /** @return -1 where there is none */
  def numberOf(path: String): Int = slots(slotOf(path))

  /** The slot of the path, or the free one that would be its. */
  private def slotOf(path: String): Int = {
    // Spread as in java.util.HashMap: the lower bits of texts that end alike are alike.
    val hash = path.hashCode
    var slot = (hash ^ (hash >>> 16)) & mask
    while (slots(slot) >= 0 && paths(slots(slot)) != path) slot = (slot + 1) & mask
    slot
  }
}
