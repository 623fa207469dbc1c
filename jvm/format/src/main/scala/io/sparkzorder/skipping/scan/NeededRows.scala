// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import java.util.IdentityHashMap

import scala.util.control.NonFatal

import io.sparkzorder.skipping.predicate.{FilesWithStatistics, FirstRows, FirstRowsRanges}

import org.apache.spark.sql.catalyst.expressions._

/**
 * Stands among the filters of a scan for the rows that are needed of it: files in which there is none of them are left
 * out. It is no filter of rows.
 *
 * @param children
 *   per kind of row that is needed its key, and after it its conditions
 * @param kinds
 *   the rest of what [[FirstRows]] says of each
 */
final case class NeededRows(children: Seq[Expression], kinds: Seq[NeededRows.Kind]) extends Predicate with Unevaluable {

  override def nullable: Boolean = false

  /** A row is needed if it is among the first of any. */
  def needed: Seq[FirstRows] = {
    val parts = children.iterator
    kinds.map { kind =>
      FirstRows(parts.next(), kind.isAscending, kind.nulls, kind.limit, Seq.fill(kind.conditions)(parts.next()))
    }
  }

  override def toString: String = needed.mkString(", ")

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): NeededRows =
    copy(children = newChildren)
}

object NeededRows {

  final case class Kind(isAscending: Boolean, nulls: FirstRows.Nulls, limit: Long, conditions: Int)

  def of(needed: Seq[FirstRows]): NeededRows =
    NeededRows(
      needed.flatMap(f => f.key +: f.conditions),
      needed.map(f => Kind(f.isAscending, f.nulls, f.limit, f.conditions.size)))
}

/**
 * A listed file in the statistics of its table.
 *
 * @param number
 *   its number there
 * @param isUnchanged
 *   whether the file is still the one that the statistics are of, as far as can be known
 */
final private[skipping] case class KnownFile(files: FilesWithStatistics, number: Int, isUnchanged: () => Boolean)

/** Finds the files of a listing in which there may be rows that a query needs. */
final private[skipping] class NeededFiles(needed: Seq[FirstRows], partitionColumns: Set[String]) {

  /**
   * @param listed
   *   what statistics know of each file that the scan would read, if they know it
   * @return
   *   for each whether it is read
   */
  def of(listed: Seq[Option[KnownFile]]): Seq[Boolean] =
    needed.map(isRead(_, listed)).transpose.map(_.contains(true))

  private def isRead(first: FirstRows, files: Seq[Option[KnownFile]]): Seq[Boolean] = {
    val ranges = new IdentityHashMap[FilesWithStatistics, FirstRowsRanges]
    val known = files.map(_.flatMap { file =>
      ranges
        .computeIfAbsent(file.files, new FirstRowsRanges(first, _, partitionColumns))
        .of(file.number).map(file -> _)
    })
    val last =
      FirstRows.last[KnownFile](first, known.flatten.collect { case (f, Some(r)) => f -> r }, NeededFiles.isSure)
    known.map {
      case Some((file, range)) if last.isDefined && range.forall(r => first.order.gt(r.low, last.get)) =>
        !NeededFiles.isSure(file)
      case _ => true
    }
  }
}

private[skipping] object NeededFiles {
  private def isSure(file: KnownFile): Boolean =
    try file.isUnchanged()
    catch { case NonFatal(_) => false }
}
