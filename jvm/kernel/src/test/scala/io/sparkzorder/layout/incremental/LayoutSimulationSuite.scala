// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

import scala.util.Random

import io.sparkzorder.curve.Curve
import io.sparkzorder.layout.CellAspect

import org.scalatest.funsuite.AnyFunSuite

class LayoutSimulationSuite extends AnyFunSuite {

  private val random = new Random(7)
  private val points = IndexedSeq.fill(2)(Array.fill(4000)(random.nextDouble()))

  private def boxesOf(members: Seq[Int]): FileBox =
    FileBox(points.map(p => members.map(p(_)).min), points.map(p => members.map(p(_)).max), 0, 0)

  private def mean(shares: Seq[Double]): Double = shares.sum / shares.size

  test("the share of files, as counted one by one") {
    val boxes = points.head.indices.grouped(250).map(boxesOf).toIndexedSeq :+
      FileBox(IndexedSeq(0.5, 0.5), IndexedSeq(0.5, 0.5), 0, 0)
    val naive = points.indices.map { axis =>
      points(axis).map(v => boxes.count(b => b.low(axis) <= v && v <= b.high(axis)).toDouble / boxes.size).sum /
        points(axis).length
    }.sum / points.size
    assert(math.abs(mean(new LayoutSimulation(points, Curve.of("zorder", 2)).readShares(boxes)) - naive) < 1e-9)
  }

  test("evenly spread points in sixteen files: a square grid, by either curve") {
    for (curve <- Curve.names) {
      val trial = new LayoutSimulation(points, Curve.of(curve, 2))
      val files = trial.files(points.head.indices.toArray, 16, CellAspect.Even)
      assert(files.size === 16)
      assert(math.abs(mean(trial.readShares(files)) - 0.25) < 0.01)
    }
  }

  test("one axis: stretches of it, one after the other") {
    val trial = new LayoutSimulation(points.take(1), Curve.of("zorder", 1))
    val files = trial.files(points.head.indices.toArray, 16, CellAspect.Even)
    assert(files.size === 16 && math.abs(mean(trial.readShares(files)) - 1.0 / 16) < 0.01)
  }

  test("one file, no point, and a value that takes several files") {
    val trial = new LayoutSimulation(points, Curve.of("zorder", 2))
    assert(trial.files(Array(1, 2, 3), 1, CellAspect.Even) === Seq(boxesOf(Seq(1, 2, 3))))
    assert(trial.files(Array.empty, 5, CellAspect.Even) === Nil)
    val same = new LayoutSimulation(IndexedSeq(Array.fill(100)(0.5)), Curve.of("zorder", 1))
    assert(same.files(
      (0 until 100).toArray,
      4,
      CellAspect.Even) === Seq.fill(4)(FileBox(IndexedSeq(0.5), IndexedSeq(0.5), 0, 0)))
  }
}
