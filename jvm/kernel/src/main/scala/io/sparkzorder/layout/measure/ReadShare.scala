// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.measure

/**
 * The mean share of files that a point lookup reads, over the rows of a table, by the rows that were drawn of it.
 *
 * @param share
 *   0 to 1
 * @param standardError
 *   of the share; 0 where every row was looked up
 */
final case class ReadShare(share: Double, standardError: Double)

object ReadShare {

  /**
   * Estimates the share from rows that were drawn in two stages: some files, each with the same chance and none twice,
   * and of them some rows, each with the same chance.
   *
   * Rows of one file are alike where a table is clustered, so that they show less than as many rows of the whole table.
   * The variance is therefore that between files, of the ratio estimator (W. G. Cochran, "Sampling Techniques", 3rd
   * ed., 11.7), and to it comes that of the rows inside files, which is all that is left where every file was drawn:
   * {{{
   * residual(file) = depths(file) - mean * rows(file)
   * variance * rows^2 = (1 - drawn / files) * drawn / (drawn - 1) * sum(residual^2)
   *                   + (drawn / files) * (1 - rate) * sum over rows((depth - mean)^2)
   * }}}
   * A ratio is biased by about `1 / drawn` of its standard error, which is little from some 30 files on.
   *
   * @param sums
   *   of each file that was drawn; files of which no row was may be left out
   * @param drawn
   *   number of files that were drawn
   * @param files
   *   number of all files
   * @param rate
   *   the chance of each row of a file that was drawn, above 0 and up to 1
   * @return
   *   None without a value
   */
  def estimate(sums: Seq[DepthSums], drawn: Int, files: Int, rate: Double): Option[ReadShare] = {
    val all = sums.foldLeft(DepthSums.none)(_ + _)
    if (all.rows == 0 || files == 0) None
    else {
      val mean = all.depths / all.rows
      val ofFiles = drawn.toDouble / files
      val between =
        if (drawn >= files) 0.0
        // One file alone shows nothing of the others.
        else if (drawn < 2) Double.PositiveInfinity
        else (1 - ofFiles) * drawn / (drawn - 1) * sums.map(s => square(s.depths - mean * s.rows)).sum
      val within = ofFiles * (1 - rate) * math.max(0.0, all.squares - mean * all.depths)
      val error = math.sqrt(between + within) / all.rows
      Some(ReadShare(mean / files, if (error.isInfinite) Double.NaN else error / files))
    }
  }

  private def square(x: Double): Double = x * x
}

/**
 * What the rows that were drawn of one file show of a column: of those that have a value their number, and the sums of
 * the depths of these values and of the depths' squares. A depth is a number of files ([[FileRanges.depthAt]]).
 */
final case class DepthSums(rows: Long, depths: Double, squares: Double) {
  def +(other: DepthSums): DepthSums = DepthSums(rows + other.rows, depths + other.depths, squares + other.squares)
}

object DepthSums {
  val none: DepthSums = DepthSums(0L, 0.0, 0.0)
}
