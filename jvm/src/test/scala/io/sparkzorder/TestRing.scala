// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import java.time.LocalDate

/**
 * Which of the three rings of tests runs: `make test-all` sets `ZORDER_TEST_RING=long`, `make test-nightly` sets `nightly`,
 * `make test` and plain sbt run the short one.
 *
 * A suite of random cases reads it for their number; a suite or a test that only the long ring runs has the tag
 * [[LongTest]], one that only the nightly ring runs the tag [[NightlyTest]].
 */
object TestRing {

  private val ring = sys.env.getOrElse("ZORDER_TEST_RING", "short")
  require(Set("short", "long", "nightly")(ring), s"ZORDER_TEST_RING is `short`, `long` or `nightly`, not `$ring`")

  /** Whether this run has the time for everything that `make test-all` runs. */
  val isLong: Boolean = ring != "short"

  /** Whether this run has the time for what is long and has never found a defect. */
  val isNightly: Boolean = ring == "nightly"

  /** The day of this run, which decides on what takes turns in `make test-all`; `make` sets it once. */
  val day: LocalDate = sys.env.get("ZORDER_TEST_DAY").filter(_.nonEmpty).fold(LocalDate.now)(LocalDate.parse(_))

  /** Whether the turn of something is this day's, by its number: that of each comes every twelfth day. */
  def isTurnOf(number: Long): Boolean = Math.floorMod(day.toEpochDay + number, Days) == 0

  // As in `tests/turns.py`.
  private val Days = 12

  private val NightlyTimes = 10

  /** The number of random cases for this ring. */
  def cases(short: Int, long: Int): Int =
    if (isNightly) NightlyTimes * long else if (isLong) long else short
}
