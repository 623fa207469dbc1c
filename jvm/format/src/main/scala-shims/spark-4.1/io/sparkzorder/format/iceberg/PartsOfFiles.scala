// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import io.sparkzorder.format.PartitionRow
import io.sparkzorder.format.iceberg.listing.{DeletedRows, IcebergFile, PartitionColumns, PlannedFile}
import io.sparkzorder.format.iceberg.rewrite.FilesToRead

import org.apache.iceberg.{FileScanTask, MetadataColumns, Schema, Table}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, MetadataAttribute}
import org.apache.spark.sql.catalyst.expressions.aggregate.Count
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Project}
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType, IntegerType, LongType, StringType}
import org.apache.spark.sql.zorder.SparkInternals

/**
 * Finds the partitions of the current spec of which files of older ones have rows, in one job that reads the columns from
 * which partitions are derived.
 */
private[iceberg] final class PartsOfFiles(
    session: SparkSession,
    table: Table,
    schema: Schema,
    partitions: PartitionColumns,
    deletes: DeletedRows) {

  /** @return of each file a part for each partition; none of a file without live rows */
  def of(files: IndexedSeq[PlannedFile]): IndexedSeq[IcebergFile] =
    if (files.isEmpty) IndexedSeq.empty
    else {
      val found = count(files.map(_.task)).groupBy(_._1)
      files.flatMap(f => parts(f, found.getOrElse(f.file.location, Nil)))
    }

  /** The number of rows of each file in each partition. */
  private def count(tasks: IndexedSeq[FileScanTask]): Seq[(String, InternalRow, Long)] = {
    // Spark adds no metadata columns where some are in the rows, as those of row lineage are.
    val file = MetadataAttribute(MetadataColumns.FILE_PATH.name, StringType, nullable = false)
    val rows = new FilesToRead(table, tasks).rows(session.sessionState.conf)
    val scan = rows.copy(output = rows.output :+ file)
    val values = partitions.values(scan.output).map(value => Alias(DistinctZeros.of(value), "value")())
    val keyed = Project(file +: values, scan)
    val keys: Seq[Attribute] = keyed.output
    val number = Alias(Count(Seq(file)).toAggregateExpression(), "rows")()
    val counted = Aggregate(keys, keys :+ number, keyed)
    val types = partitions.columns.map(_.dataType)
    SparkInternals.collect(SparkInternals.dataFrame(session, counted), "z-order: partitions of older files").toSeq.map {
      row =>
        val values = types.indices.map(i => DistinctZeros.value(row, i + 1, types(i)))
        (row.getUTF8String(0).toString, new PartitionRow(values.toArray[Any]), row.getLong(types.size + 1))
    }
  }

  private def parts(planned: PlannedFile, found: Seq[(String, InternalRow, Long)]): Seq[IcebergFile] = {
    val sorted = found.map { case (_, partition, rows) => (partitions.nameOf(partition), partition, rows) }.sortBy(_._1)
    val all = sorted.map(_._3).sum
    val scanned = new IcebergFile.Scanned(planned, deletes.estimate(planned.task, isOurs = false))
    sorted.scanLeft(0L)(_ + _._3).zip(sorted).map { case (before, (name, partition, rows)) =>
      new IcebergFile(planned.file, Some(scanned), partition, name, schema, Some(IcebergFile.Part(rows, before, all)))
    }
  }
}

/** Floating-point numbers as their bits: a grouping by Spark makes one of 0.0 and -0.0, which are two partitions to Iceberg. */
private[iceberg] object DistinctZeros {

  def of(value: Expression): Expression = value.dataType match {
    case FloatType => bits(classOf[java.lang.Float], "floatToIntBits", IntegerType, value)
    case DoubleType => bits(classOf[java.lang.Double], "doubleToLongBits", LongType, value)
    case _ => value
  }

  private def bits(of: Class[_], method: String, to: DataType, value: Expression): Expression =
    StaticInvoke(of, to, method, Seq(value), returnNullable = false)

  /** @param dataType of the value before [[of]] */
  def value(row: InternalRow, i: Int, dataType: DataType): Any = dataType match {
    case _ if row.isNullAt(i) => null
    case FloatType => java.lang.Float.intBitsToFloat(row.getInt(i))
    case DoubleType => java.lang.Double.longBitsToDouble(row.getLong(i))
    case _ => InternalRow.copyValue(row.get(i, dataType))
  }
}
