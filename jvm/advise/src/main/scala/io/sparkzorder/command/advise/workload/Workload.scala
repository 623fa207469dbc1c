// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import io.sparkzorder.column.ColumnPath

/**
 * What is read of a table, as far as it was found.
 *
 * @param notes
 *   what was left out, for the user
 */
private[advise] final case class Workload(scans: Seq[ScanFilters], notes: Seq[String]) {

  /** The columns and fields in the filters, the most frequent first. */
  def columns: Seq[ColumnPath] = {
    val weights = scans.flatMap(scan => scan.columns.map(_ -> scan.weight)).groupMapReduce(_._1)(_._2)(_ + _)
    weights.toSeq.sortBy { case (path, weight) => (-weight, path.toString) }.map(_._1)
  }

  def ++(other: Workload): Workload = Workload(scans ++ other.scans, notes ++ other.notes)
}

private[advise] object Workload {

  // Each is asked of each simulated file of each layout that is tried.
  private val MostScans = 1000

  /** Scans with the same filters as one, and of very many the most frequent ones. */
  def of(scans: Seq[ScanFilters], notes: Seq[String]): Workload = {
    val merged = scans
      .groupMapReduce(_.key)(identity)((a, b) => a.copy(weight = a.weight + b.weight))
      .values
      .toSeq
      .sortBy(scan => (-scan.weight, scan.filters.map(_.sql).mkString))
    val dropped = merged.drop(MostScans)
    val note =
      if (dropped.isEmpty) None
      else Some(s"of ${merged.size} different filters the $MostScans most frequent ones count")
    Workload(merged.take(MostScans), notes ++ note)
  }
}
