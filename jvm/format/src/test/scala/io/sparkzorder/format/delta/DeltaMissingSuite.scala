// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.config.Versions

import org.scalatest.funsuite.AnyFunSuite

class DeltaMissingSuite extends AnyFunSuite {

  test("the Delta Lake of these tests is one that the jar links with") {
    assert(DeltaMissing.isPresent)
  }

  test("a Delta Lake of another minor is told from patches and builds of the same") {
    for (version <- Seq("4.4.0", "4.4.1", "4.4.0-SNAPSHOT", "4.4.2-amzn-1"))
      assert(!Versions.isOtherMinor(version, "4.4.0"))
    for (version <- Seq("4.0.0", "4.0.0-amzn-1", "4.3.0", "4.5.0", "3.3.2", ""))
      assert(Versions.isOtherMinor(version, "4.4.0"))
  }
}
