// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import io.sparkzorder.column.ColumnPath

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{DataType, StructType}

/** A table at one version. What it lists stays readable under concurrent writers. */
trait TableSnapshot {

  /** The folder of the table. */
  def path: String

  /** Identifies the table: it never changes, and another table of the same name or path has another one. */
  def id: String

  def schema: StructType

  def partitionSchema: StructType

  /** The file size that the table's own properties, or settings of its format, ask for. */
  def targetFileBytes: Option[Long]

  /** The names under which files store a column. */
  def storedNames(column: ColumnPath): Seq[String]

  /** Columns of which files have the statistics used for data skipping. */
  def columnsWithStatistics: Seq[ColumnPath]

  /**
   * The bounds that the statistics record of a file whose values reach from `min` to `max`: wider ones where the format
   * cuts them.
   */
  def recordedBounds(min: Any, max: Any, dataType: DataType): (Any, Any) = (min, max)

  /** How files come to have statistics of a column of which they have none. */
  def statisticsRemedy(column: ColumnPath): StatisticsRemedy

  /**
   * The files that may hold rows that satisfy `predicate`: by their partitions and, where it names other columns, by
   * their statistics.
   */
  def files(predicate: Option[Expression]): IndexedSeq[DataFile]

  /** The same for whoever sorts rows by partitions: a file is there once for each partition of which it has rows. */
  def filesOfPartitions(predicate: Option[Expression]): IndexedSeq[DataFile] = files(predicate)

  /** The live rows of some of the files: the columns of the table. */
  def read(files: IndexedSeq[DataFile]): DataFrame

  /** Whether an expression is over partition columns alone. */
  protected def isOnPartitions(expression: Expression): Boolean =
    expression.references.forall(a => partitionSchema.fieldNames.contains(a.name))
}

/** A version of a table that can be rewritten. */
trait ClusterableSnapshot extends TableSnapshot {

  /** The bytes of a batch of partitions to commit at a time, where settings of its format ask for batches. */
  def batchBytes: Option[Long]

  /** Whether files that a rewrite replaces stay for a time, so that it can be taken back. */
  def keepsReplacedFiles: Boolean = false

  /** Whether a file without rows may be all that shows the columns of the table, or that a partition is there. */
  def needsEmptyFiles: Boolean = false

  /** Whether the table records of files how they were laid out, by which an incremental run knows what to leave. */
  def recordsClustering: Boolean = true

  /** The run of a statement in batches, by its digest, that the table records as begun and not ended. */
  def openRun(statement: String): Option[BatchedRun]

  /** @throws ZOrderAnalysisException where a table of this kind cannot be z-ordered by `columns`, with what to do */
  def requireOptimizable(columns: Seq[ColumnPath]): Unit

  /** Of the files last asked for, those whose rows are in other ones of them, too, as far as the table knows. */
  def doubledRows: Option[DoubledRows] = None

  /** Begins to rewrite `files`, chosen with `predicate`, by `columns`. */
  def rewrite(files: IndexedSeq[DataFile], predicate: Option[Expression], columns: Seq[ColumnPath]): Rewrite
}

/**
 * How to get the statistics of a column that no file of a table has.
 *
 * @param short
 *   in some 30 characters
 * @param full
 *   in a line, with the statements to run
 */
final case class StatisticsRemedy(short: String, full: String)
