// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.util.Try

import io.sparkzorder.curve.Curve
import io.sparkzorder.format.Clustering

import org.apache.iceberg.{DataFile => TableFile, HasTableOperations, Table, TableUtil}

/**
 * A [[Clustering]] in the name of a file, which manifests keep as long as the file is the table's:
 * `00003-17-zorder-<write>-0-00001-c1-<table>-<sequence>-zorder-base-2_5.9-<run>-1-4.parquet`.
 *
 * It holds for the file only where it is of this table and has the data sequence number that is in the name, which is that
 * of the version that was rewritten. A file that somebody copies or adds again gets a higher one.
 *
 * @param tableId
 *   a part of the table's UUID
 */
private[iceberg] final class ClusteringInName private (tableId: String) {
  import ClusteringInName._

  /**
   * @param sequence
   *   the data sequence number that the file will have
   * @return
   *   what goes before the ending of the name; empty where it would be too long: the file then counts as new
   */
  def text(of: Clustering, sequence: Long): String = {
    val columns = of.columns.map(_.map(id => number(id.toLong)).mkString(".")).mkString("_")
    val layer = if (of.isLayer) Layer else Base
    val run = s"${runId(of.run)}-${of.batch}-${of.batches}"
    val text = s"-c1-$tableId-${number(sequence)}-${of.curve}-$layer-$columns-$run"
    if (text.length > MostCharacters) "" else text
  }

  /** @param runs the runs whose ids are known, by what stands for them in names */
  def of(file: TableFile, runs: String => Option[String]): Option[Clustering] = file.location match {
    case Form(table, sequence, curve, layer, columns, run, batch, batches)
        if table == tableId && Option(file.dataSequenceNumber).map(number(_)).contains(sequence) &&
          Curve.names.contains(curve) =>
      Try {
        val ids = columns.split('_').toSeq.map(_.split('.').toSeq.map(java.lang.Long.parseLong(_, Base36).toString))
        Clustering(ids, curve, layer == Layer, runs(run).getOrElse(run), batch.toInt, batches.toInt)
      }.toOption
    case _ => None
  }
}

private[iceberg] object ClusteringInName {

  /**
   * Of the files of a table; None where it has no sequence numbers, which are there from format version 2 on: a file that
   * was copied could pass for one that was written.
   */
  def of(table: Table): Option[ClusteringInName] = table match {
    case known: HasTableOperations if TableUtil.formatVersion(table) > 1 =>
      Some(new ClusteringInName(known.operations.current.uuid.replace("-", "").take(Digits)))
    case _ => None
  }

  /** What stands for the id of a run. */
  def runId(run: String): String =
    UUID.nameUUIDFromBytes(run.getBytes(UTF_8)).toString.replace("-", "").take(Digits)

  private val Form =
    """-c1-([0-9a-f]+)-([0-9a-z]+)-([a-z]+)-(base|layer)-([0-9a-z._]+)-([0-9a-f]+)-(\d+)-(\d+)\.[a-z]+$""".r.unanchored

  private val Base = "base"
  private val Layer = "layer"

  private val Base36 = 36

  private def number(of: Long): String = java.lang.Long.toString(of, Base36)

  // Of a UUID: enough, as a sequence number has to be the same as well.
  private val Digits = 12

  // File systems take names of 255.
  private val MostCharacters = 160
}
