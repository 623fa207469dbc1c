package io.sparkzorder.layout.incremental

/**
 * What an incremental run does with a partition that has grown. What has arrived is rewritten in any case.
 *
 * @param groups
 *   per region the number of the group of regions that is rewritten as a whole, or -1 where it is not
 * @param layered
 *   regions of small files that join what arrived in one layer over all that stays
 * @param apart
 *   regions that stay and get files above them for what arrived there, which leaves the layer
 * @param parts
 *   per region of `apart` the number, from 0, of the part that it shares files with; -1 for the others
 * @param overlays
 *   the overlays to rewrite, by number
 * @param bytes
 *   to be rewritten
 */
final case class GrowthChoice(
    groups: IndexedSeq[Int],
    layered: Set[Int],
    apart: Set[Int],
    parts: IndexedSeq[Int],
    overlays: Set[Int],
    bytes: Double) {

  def isMerged(region: Int): Boolean = groups(region) >= 0

  /** Whether the files of a region are rewritten. */
  def isRewritten(region: Int): Boolean = isMerged(region) || layered(region)
}
