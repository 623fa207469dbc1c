// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

/**
 * The layout that a file was written with, as the table records it. The bounds of the file are those of its statistics.
 *
 * @param columns
 *   the z-order columns, each by the names under which files store it: those outlive a renaming
 * @param curve
 *   name of the curve, one of [[io.sparkzorder.curve.Curve.names]]
 * @param isLayer
 *   whether the file belongs to a layer over clustered files, as `IncrementalPlanner` defines it
 * @param run
 *   the id of the statement that wrote it
 * @param batch
 *   the number of its commit in that statement, from 1
 * @param batches
 *   the number of commits that the statement was going to make
 */
final case class Clustering(
    columns: Seq[Seq[String]],
    curve: String,
    isLayer: Boolean,
    run: String,
    batch: Int,
    batches: Int) {

  /** Whether another file of the same layout could lie beside it. */
  def matches(otherColumns: Seq[Seq[String]], otherCurve: String): Boolean =
    columns == otherColumns && curve == otherCurve
}
