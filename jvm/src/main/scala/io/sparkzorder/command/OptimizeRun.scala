package io.sparkzorder.command

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.curve.Curve
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.expressions.{PartitionNumbers, PartitionOrdinal}
import io.sparkzorder.format.{DataFile, TableSnapshot}
import io.sparkzorder.key.KeyType
import io.sparkzorder.layout.FileAssignment
import io.sparkzorder.plan.ColumnPath
import io.sparkzorder.sampling.JointSampler

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal}
import org.apache.spark.sql.zorder.SparkInternals

/**
 * One rewrite of some partitions of a table, from sample to commit.
 *
 * @param partitions
 *   all files of each partition to rewrite
 */
private[command] class OptimizeRun(
    session: SparkSession,
    tableName: String,
    snapshot: TableSnapshot,
    columns: Seq[ColumnPath],
    predicate: Option[Expression],
    partitions: IndexedSeq[IndexedSeq[DataFile]],
    targetFileBytes: Long)
    extends Logging {

  private val files = partitions.flatten

  private val rewriting = snapshot.rewrite(files, predicate)
  private val rows = SparkInternals.plan(rewriting.input)
  private val keyed = columns.map(c => (c.in(rows.output), KeyType.of(c.dataType(snapshot.schema)).get))
  private val partitionColumns = snapshot.partitionSchema.fieldNames.toSeq.map(n => ColumnPath(Seq(n)).in(rows.output))
  private val partition = partitionNumber(partitionColumns)

  private lazy val expectedRows = recordedRows.getOrElse(phase("count rows")(rewriting.input.count()))

  /** Draws the sample and plans the layout; reads, but writes nothing. */
  def plan(curve: Curve): LayoutPlanner = {
    val size = ZOrderConf.sampleSize(session.sessionState.conf)
    val sample = phase("sample")(JointSampler.draw(session, rewriting.input, expectedRows, size, keyed, partition))
    val planned = LayoutPlanner.plan(columns.zip(keyed.map(_._2)), curve, sample, partitions, targetFileBytes)
    logInfo(s"z-order of $tableName: ${planned.plan}")
    planned
  }

  /** Writes the files as planned, compares rows, commits. @return the files written */
  def rewrite(planned: LayoutPlanner): IndexedSeq[DataFile] = {
    val assignment = FileAssignment.of(planned.plan, session.sparkContext.defaultParallelism)
    val movement =
      new RowMovement(planned, assignment, keyed.map(_._1), partition, partitionColumns.map(_.asInstanceOf[Attribute]))
    val written = phase("rewrite")(rewriting.write(SparkInternals.dataFrame(session, movement(rows))))
    compareRows(written)
    phase("commit")(rewriting.commit(columns))
    written
  }

  /** The rows that the table's metadata promises; None where a file's are not recorded. */
  private def recordedRows: Option[Long] = {
    val known = files.map(_.rows)
    if (known.forall(_.isDefined)) Some(known.flatten.sum) else None
  }

  /** Gives up before the commit unless every row that was read has been written. */
  private def compareRows(written: IndexedSeq[DataFile]): Unit = {
    val count = written.flatMap(_.rows).sum
    if (written.exists(_.rows.isEmpty) || count != expectedRows) {
      // Recorded counts may be wrong, or not kept; the rows themselves decide.
      val (read, wrote) = phase("compare row counts")((rewriting.input.count(), rewriting.rowsWritten()))
      if (read != wrote) throw ZOrderErrors.rowCountMismatch(tableName, read, wrote)
    }
  }

  private def partitionNumber(columns: Seq[Expression]): Expression =
    if (columns.isEmpty) Literal(0)
    else PartitionOrdinal(columns, new PartitionNumbers(snapshot.partitionSchema, partitions.map(_.head.partition)))

  private def phase[T](name: String)(body: => T): T = {
    val context = session.sparkContext
    val before = context.getLocalProperty("spark.job.description")
    context.setJobDescription(s"z-order of $tableName: $name")
    try body
    finally context.setJobDescription(before)
  }
}
