// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import io.sparkzorder.column.ColumnPath

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, GetStructField, IsNotNull}
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * What is read of a table, as far as it was found.
 *
 * @param notes
 *   what was left out, for the user
 */
private[advise] final case class Workload(scans: Seq[WeightedFilters], notes: Seq[String]) {

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
  def of(scans: Seq[WeightedFilters], notes: Seq[String]): Workload = {
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

/**
 * The filters of one scan of a table.
 *
 * @param filters
 *   all of which a row must satisfy, over the columns of the table in its own spelling; none for a scan of all rows
 * @param weight
 *   how often the scan runs, or how much it counts; above 0
 */
private[advise] final case class WeightedFilters(filters: Seq[Expression], weight: Double) {

  /** Equal for scans that read the same. */
  def key: Set[Expression] = filters.map(_.canonicalized).toSet

  /** The columns and fields in the filters; not those that only must not be NULL, as Spark says of every join. */
  def columns: Seq[ColumnPath] = filters
    .filter {
      case _: IsNotNull => false
      case _ => true
    }
    .flatMap(WeightedFilters.columns)
    .distinct
}

private[advise] object WeightedFilters {

  /** The scans of one query by their filters: together they count once. */
  def ofQuery(scans: Seq[Seq[Expression]], times: Double = 1.0): Seq[WeightedFilters] =
    scans.map(WeightedFilters(_, times / scans.size))

  /** A column of a table by its name as a query has it. */
  def field(name: String, schema: StructType): Option[StructField] =
    schema.find(_.name == name).orElse(schema.find(_.name.equalsIgnoreCase(name)))

  private def columns(expression: Expression): Seq[ColumnPath] = expression match {
    case e @ (_: Attribute | _: GetStructField) => ColumnPath.of(e).fold(e.children.flatMap(columns))(Seq(_))
    case other => other.children.flatMap(columns)
  }
}
