// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

import io.sparkzorder.key.ColumnRanks

/**
 * Numbers the sections of all partitions, those of a partition one after the other.
 *
 * @param divisions
 *   per partition number, its sections
 */
final class SectionRouter(divisions: IndexedSeq[Sections]) extends Serializable {

  private val firsts: Array[Int] = divisions.map(_.sections).scanLeft(0)(_ + _).toArray
  private val routes: Array[Sections.Route] = divisions.map(_.route.orNull).toArray

  /** Whether every partition is one section, so that the numbers of partitions and sections are the same. */
  val isTrivial: Boolean = routes.forall(_ == null)

  /** Whether a row's own columns are needed to tell its section. */
  def isDivided(partition: Int): Boolean = routes(partition) != null

  /** Per column, what finds the cell of a key in a divided partition. */
  def cells(partition: Int): Array[ColumnRanks] = routes(partition).cells

  /** The first section of a partition. */
  def first(partition: Int): Int = firsts(partition)

  def section(partition: Int, cells: Array[Long]): Int = firsts(partition) + routes(partition).section(cells)
}
