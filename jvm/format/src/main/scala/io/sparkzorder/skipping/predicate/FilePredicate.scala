// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import io.sparkzorder.column.ColumnStatistics

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.execution.ScalarSubquery
import org.apache.spark.sql.types.DataType

/**
 * Whether a row of a file may satisfy a predicate, by the file's statistics. Not safe for use by several threads.
 *
 * @param splittable
 *   the columns of the predicate of which some files may hold NaN beside the bounds
 */
final class FilePredicate private (files: FilesWithStatistics, test: FileTest, splittable: Seq[ColumnBounds]) {

  /**
   * @param file
   *   the file's number in the statistics index
   * @return
   *   false only if no row of the file makes the predicate TRUE
   */
  def mayMatch(file: Int): Boolean = files.rows(file) != 0 && test(file) && {
    val split = splittable.filter(_.isSplit(file)).take(FilePredicate.MaxSplit)
    split.isEmpty || anyRows(file, split)
  }

  /** Tests rows with NaN and others on their own, column by column: each kind may be excluded where their joint bounds are not. */
  private def anyRows(file: Int, split: Seq[ColumnBounds]): Boolean = split match {
    case column +: others =>
      try
        Seq(ColumnBounds.NotNaN, ColumnBounds.NaN).exists { kind =>
          column.rows = kind
          anyRows(file, others)
        }
      finally column.rows = ColumnBounds.All
    case _ => test(file)
  }
}

object FilePredicate {

  /** More columns would take too many tests: each doubles them. */
  private val MaxSplit = 3

  /** Whether there may be statistics that exclude a file by a filter. If not, none need be loaded. */
  def mayExclude(filter: Expression): Boolean = {
    // Of whatever value.
    val filled = filter.transform { case subquery: ScalarSubquery => Literal(null, subquery.dataType) }
    apply(Seq(filled), AnyStatistics).isDefined
  }

  /** Of no file, and so of every column. */
  private object AnyStatistics extends FilesWithStatistics {
    override def size: Int = 0
    override def rows(file: Int): Long = 0
    override def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles] =
      Some(ColumnStatistics.ofFiles(IndexedSeq.empty))
  }

  /**
   * The conjunction of `filters`, resolved against the table's columns.
   *
   * @param partitionColumns
   *   names of columns whose values are not in the files
   * @return
   *   None where the statistics exclude nothing
   */
  def apply(
      filters: Seq[Expression],
      files: FilesWithStatistics,
      partitionColumns: Set[String] = Set.empty): Option[FilePredicate] = {
    val terms = new BoundsResolver(files, partitionColumns)
    val possible = new MayMatchEvaluator(terms)
    filters.map(possible.canBeTrue).foldLeft[FileTest](FileTest.Always)(_ && _) match {
      case FileTest.Always => None
      case test => Some(new FilePredicate(files, test, terms.known.filter(_.isFloating)))
    }
  }
}
