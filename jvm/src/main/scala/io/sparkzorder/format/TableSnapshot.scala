package io.sparkzorder.format

import io.sparkzorder.plan.ColumnPath

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

/** A table at one version. What it lists stays readable while others write. */
trait TableSnapshot {

  /** The folder of the table. */
  def path: String

  def schema: StructType

  def partitionSchema: StructType

  /** The file size that the table's own properties, or settings of its format, ask for. */
  def targetFileBytes: Option[Long]

  /** Columns of which files have statistics that readers skip by. */
  def columnsWithStatistics: Seq[ColumnPath]

  /** @throws ZOrderAnalysisException where a table of this kind cannot be z-ordered by `columns`, with what to do */
  def requireOptimizable(columns: Seq[ColumnPath]): Unit

  /** The files whose partition satisfies `predicate`, which names partition columns only. */
  def files(predicate: Option[Expression]): IndexedSeq[DataFile]

  /** The live rows of some of the files: the columns of the table. */
  def read(files: IndexedSeq[DataFile]): DataFrame

  /** Begins to rewrite `files`, all that satisfy `predicate`. */
  def rewrite(files: IndexedSeq[DataFile], predicate: Option[Expression]): Rewrite
}
