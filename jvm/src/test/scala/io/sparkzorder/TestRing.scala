// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

/**
 * Which of the two rings of tests runs: `make test-all` sets `ZORDER_TEST_RING=long`, `make test` and plain sbt run the
 * short one.
 *
 * A suite of random cases reads it for their number; a suite or a test that only the long ring runs has the tag
 * [[LongTest]].
 */
object TestRing {

  /** Whether this run has the time for everything. */
  val isLong: Boolean = sys.env.getOrElse("ZORDER_TEST_RING", "short") match {
    case "long" => true
    case "short" => false
    case other => throw new IllegalArgumentException(s"ZORDER_TEST_RING is `long` or `short`, not `$other`")
  }

  /** The number of random cases for this ring. */
  def cases(short: Int, long: Int): Int = if (isLong) long else short
}
