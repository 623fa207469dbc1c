// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.advise.simulate.{SampledColumn, TableSample}
import io.sparkzorder.command.optimize.select.FileSelection
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.format.{DataFile, TableSnapshot}
import io.sparkzorder.sampling.KeyedRows

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{Project, Sample}
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.zorder.SparkInternals
import org.apache.spark.unsafe.types.UTF8String

/** Draws the rows from which advice is given, in one job that reads the columns in question only. */
private[advise] object TableSampler {

  // Any constant: the same files give the same advice.
  private val Seed = 5489L

  /** The most values on the driver, of all columns together: some hundred megabytes where they are strings. */
  private val MostValues = 2000000

  // A string beyond this many bytes keeps its head: it stays in order, and the driver's memory bounded.
  private val MaxStringBytes = 256

  def draw(
      session: SparkSession,
      snapshot: TableSnapshot,
      files: IndexedSeq[DataFile],
      columns: IndexedSeq[ZOrderColumn],
      partitions: IndexedSeq[InternalRow]): TableSample = {
    val rows = new KeyedRows(session, snapshot.read(files), snapshot.partitionSchema, columns, partitions)
    val count = FileSelection.recordedRows(files).getOrElse(rows.data.count())
    val size = math.min(ZOrderConf.sampleSize(session.sessionState.conf), math.max(1, MostValues / columns.size))
    val share = if (count <= size) 1.0 else size.toDouble / count
    val drawn = if (share == 1.0) rows.plan else Sample(0.0, share, withReplacement = false, Seed, rows.plan)
    val values = rows.columnsInRow.map(Alias(_, "value")())
    val plan = Project(Alias(rows.partition, "section")() +: values, drawn)
    val sampled = SparkInternals.collect(SparkInternals.dataFrame(session, plan), "z-order: sample for advice")
    new TableSample(
      sampled.map(_.getInt(0)),
      columns.indices.map(i => new SampledColumn(columns(i), sampled.map(valueOf(_, i + 1, columns(i))))),
      share)
  }

  private def valueOf(row: InternalRow, ordinal: Int, column: ZOrderColumn): Any =
    if (row.isNullAt(ordinal)) null
    else
      row.get(ordinal, column.dataType) match {
        case s: UTF8String if s.numBytes > MaxStringBytes && column.dataType == StringType => head(s)
        case value => InternalRow.copyValue(value)
      }

  /** Whole characters. */
  private def head(string: UTF8String): UTF8String = {
    val text = string.toString.take(MaxStringBytes)
    UTF8String.fromString(if (Character.isHighSurrogate(text.last)) text.dropRight(1) else text)
  }
}
