// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import org.apache.spark.SparkFunSuite
import org.scalactic.source.Position
import org.scalatest.Tag

/** The tag of tests that `make test` leaves to `make test-all`. */
object LongTest extends Tag("io.sparkzorder.LongTest")

/** The tag of tests that `make test` and `make test-all` leave to `make test-nightly`: long, and none has found a defect. */
object NightlyTest extends Tag("io.sparkzorder.NightlyTest")

/** A suite all of whose tests have the tag [[LongTest]], but for the first of each kind that `inShortRing` names. */
trait LongSuite extends SparkFunSuite {

  /** The names of tests that run in the short ring too. */
  protected def inShortRing: Set[String] = Set.empty

  override protected def test(name: String, tags: Tag*)(body: => Any)(implicit position: Position): Unit =
    if (inShortRing(name)) super.test(name, tags: _*)(body) else super.test(name, tags :+ LongTest: _*)(body)
}
