// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** Beside a map. */
class FileNumbersSuite extends AnyFunSuite {

  private def checked(paths: IndexedSeq[String], others: Seq[String]): Unit = {
    val (numbers, map) = (new FileNumbers(paths), paths.zipWithIndex.toMap)
    for (path <- paths ++ others) assert(numbers.numberOf(path) == map.getOrElse(path, -1), path)
  }

  test("numbers of few, many and equal paths are those of a map") {
    val random = new Random(1)
    for (count <- Seq(0, 1, 2, 3, 4, 5, 63, 64, 65, 5000)) {
      val paths = IndexedSeq.fill(count)(s"day=${random.nextInt(30)}/part-${random.nextInt(count * 4)}.parquet")
      checked(paths, Seq("", "day=1", "part-1.parquet", "day=31/part-0.parquet"))
    }
  }

  test("paths of one hash are told apart") {
    // "Aa" and "BB" have one hash, and so has whatever is made of them.
    val paths = (0 until 256).map(n => (0 until 8).map(bit => if ((n >> bit & 1) == 0) "Aa" else "BB").mkString)
    assert(paths.map(_.hashCode).distinct.size == 1)
    checked(paths, Seq("AaAaAaAaAaAaAaAB", "AaBB"))
  }
}
