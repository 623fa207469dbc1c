// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import org.apache.spark.SparkFunSuite
import org.scalactic.source.Position
import org.scalatest.Tag

/** The tag of tests that `make test` leaves to `make test-all`, which runs all of them each day. */
object DailyTest extends Tag("io.sparkzorder.DailyTest")

/** The tag of tests that `make test` leaves to `make test-all`, where they take turns. */
object LongTest extends Tag("io.sparkzorder.LongTest")

/** The tag of tests that `make test` and `make test-all` leave to `make test-nightly`. */
object NightlyTest extends Tag("io.sparkzorder.NightlyTest")

/**
 * A suite whose tests with the tag [[LongTest]] take turns: `make test-all` runs one of twelve each day, all of them in
 * twelve days. `make test-nightly` runs all.
 */
trait LongTestsInTurn extends SparkFunSuite {

  // The suite's name shares out the only long tests of many suites.
  private var next = 0L
  private def isNext = TestRing.isTurnOf(getClass.getName.hashCode + next)

  override protected def test(name: String, tags: Tag*)(body: => Any)(implicit position: Position): Unit =
    if (tags.contains(LongTest)) {
      next += 1
      super.test(name, (if (isNext) tags else NightlyTest +: tags): _*)(body)
    } else super.test(name, tags: _*)(body)
}

/** A suite all of whose tests have the tag [[LongTest]], but for the first of each kind that `inShortRing` names. */
trait LongSuite extends LongTestsInTurn {

  /** The names of tests that run in the short ring too. */
  protected def inShortRing: Set[String] = Set.empty

  override protected def test(name: String, tags: Tag*)(body: => Any)(implicit position: Position): Unit =
    if (inShortRing(name)) super.test(name, tags: _*)(body) else super.test(name, tags :+ LongTest: _*)(body)
}
