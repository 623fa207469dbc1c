// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

import scala.collection.mutable.ArrayBuffer

import io.sparkzorder.curve.Curve
import io.sparkzorder.layout.{CellAspect, FileCuts}

/**
 * A partition in memory to which loads are added, each followed by an incremental run. Every row is known, and files are
 * those that hold the rows: only the planner sees boxes.
 *
 * @param axes
 *   number of columns
 * @param target
 *   number of rows of a file; a row has one byte
 */
class GrowingTable(axes: Int, target: Int, curveName: String = "zorder") {

  private final class File(val rows: Array[Int], val isLayer: Boolean)

  private val columns = IndexedSeq.fill(axes)(ArrayBuffer.empty[Double])
  private var files = IndexedSeq.empty[File]
  private val curve = Curve.of(curveName, axes)

  def rows: Int = columns.head.size

  /** Adds rows and lays everything out. */
  def full(load: Seq[IndexedSeq[Double]]): Unit = {
    add(load)
    val all = columns.head.indices.toArray
    files = simulation.ranges(all, filesOf(all.length), CellAspect.Even).map(r => new File(r._1, false))
  }

  /** Adds rows and lays out what the planner chooses. @return number of rows written */
  def load(load: Seq[IndexedSeq[Double]]): Int = {
    val added = add(load)
    val boxes = files.map(boxOf(_))
    val (layers, own) = files.indices.partition(files(_).isLayer)
    val found = new FileLayers(own.map(boxes), layers.map(boxes))
    val base = own ++ found.isolated.map(layers)
    val regionLayers = found.inRegions.map(layers)
    val across = found.across.map(layers)
    val unclustered = added ++ across.flatMap(files(_).rows)
    val regions = found.on(own.map(boxes), layers.map(boxes)).get
    val newRows = NewRows(columns.map(c => unclustered.map(c).toArray), unclustered.length, unclustered.length)
    val plan = new IncrementalPlanner(regions, newRows, curve, target).choose
    val tree = regions.tree
    val rewrittenFiles = tree.regions.indices.filter(plan.isRewritten).flatMap(tree.regions(_)).map(base) ++
      regionLayers.indices.filter(plan.regionLayers).map(regionLayers)
    val gone = (rewrittenFiles ++ across).toSet
    val moved = (unclustered ++ rewrittenFiles.flatMap(files(_).rows)).toArray
    val bySection = moved.groupBy(row => plan.sectionOf(regions.regionOf(columns(_)(row))))
    val sim = simulation
    val written = bySection.toIndexedSeq.flatMap { case (section, rows) =>
      sim.ranges(rows, filesOf(rows.length), plan.aspects(section)).map(r => new File(r._1, plan.isLayer(section)))
    }
    files = files.indices.filterNot(gone).map(files) ++ written
    moved.length
  }

  /** Per column, the share of files that a point lookup reads. */
  def shares: IndexedSeq[Double] = simulation.readShares(files.map(boxOf(_)))

  /** Per column, the share of files that a point lookup reads after a full run. */
  def fullShares: IndexedSeq[Double] = {
    val all = columns.head.indices.toArray
    simulation.readShares(simulation.files(all, filesOf(all.length), CellAspect.Even))
  }

  /** Number of files after a full run. */
  def fullCount: Int = simulation.files(columns.head.indices.toArray, filesOf(rows), CellAspect.Even).size

  private def add(load: Seq[IndexedSeq[Double]]): Range = {
    val first = rows
    load.foreach(row => row.zip(columns).foreach { case (value, column) => column += value })
    first until rows
  }

  private def simulation = new LayoutSimulation(columns.map(_.toArray), curve)

  private def filesOf(rows: Int): Int = FileCuts.files(rows.toDouble, target)

  private def boxOf(file: File): FileBox = {
    def bound(of: (Double, Double) => Double) = columns.map(c => file.rows.iterator.map(c(_)).reduce(of))
    FileBox(bound(math.min), bound(math.max), file.rows.length, file.rows.length)
  }
}
