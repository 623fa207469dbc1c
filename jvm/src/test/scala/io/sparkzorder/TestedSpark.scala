// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import io.sparkzorder.config.Versions

/** The Spark that the tests are compiled for and run on. */
object TestedSpark {

  /** @param minor such as 4.1 */
  def isAtLeast(minor: String): Boolean = {
    def number(of: String) = of.split('.').map(_.toInt).toSeq
    Ordering.Implicits.seqOrdering[Seq, Int].gteq(number(Versions("spark.minor")), number(minor))
  }
}
