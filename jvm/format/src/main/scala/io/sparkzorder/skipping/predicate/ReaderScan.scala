// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import org.apache.spark.sql.catalyst.expressions.{Expression, Predicate, UnaryExpression, Unevaluable}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/**
 * A scan by a format's own reader that leaves out files when it runs, by the bounds that the format keeps of them. The
 * rules of `skipping.dynamic` give it filters as they give them to a scan by Spark's reader.
 */
trait ReaderScan extends SpreadFiles {

  /** Bytes of the files that are planned for it. */
  def bytes: BigInt

  /** The filters that it has got. */
  def filters: Seq[Expression]

  /** Whether the format leaves out files by a filter of the query's when it plans them, as far as their bounds allow. */
  def isPlannedBy(filter: Expression): Boolean

  /** Whether it reads all files that are planned for it: none is left out by what Spark itself hands to it. */
  def readsAll: Boolean

  /**
   * The scan with these filters in place of those that it has.
   *
   * @param filters
   *   over its columns by the table's names for them; some have values only when it runs, and notes are no filters of rows
   */
  def withFilters(filters: Seq[Expression]): BatchScanExec
}

/**
 * Stands among the runtime filters of a scan for one by which files are left out. To Spark, which hands to a scan values of
 * columns alone, it is none of its own.
 */
final case class PrunesFiles(child: Expression) extends UnaryExpression with Predicate with Unevaluable {

  override def nullable: Boolean = false

  override def toString: String = child.toString

  override protected def withNewChildInternal(newChild: Expression): PrunesFiles = copy(child = newChild)
}

object PrunesFiles {

  /** Those filters among runtime filters of a scan, and Spark's own. */
  def among(filters: Seq[Expression]): (Seq[Expression], Seq[Expression]) = filters.partitionMap {
    case PrunesFiles(filter) => Left(filter)
    case other => Right(other)
  }
}
