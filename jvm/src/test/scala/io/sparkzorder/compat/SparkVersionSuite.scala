// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat

import io.sparkzorder.config.Versions

import org.scalatest.funsuite.AnyFunSuite

class SparkVersionSuite extends AnyFunSuite {

  test("the minor of a version") {
    val minors = Seq(
      "4.2.0" -> Some("4.2"),
      "4.2.1" -> Some("4.2"),
      "4.2.0-SNAPSHOT" -> Some("4.2"),
      "4.2-vendor" -> Some("4.2"),
      "4.2.1.7-x" -> Some("4.2"),
      " 4.10.0 " -> Some("4.10"),
      "4.1.4" -> Some("4.1"),
      "4" -> None,
      "" -> None,
      "unknown" -> None,
      "v4.2.0" -> None
    )
    minors.foreach { case (text, minor) => assert(SparkVersion(text).minor === minor, text) }
  }

  test("a patch is no other Spark, a minor is; what is no version has the benefit of the doubt") {
    val others =
      Seq("4.2.0", "4.2.1", "4.2.99", "4.2.0-SNAPSHOT", "4.1.4", "4.20.0", "4.3.0", "3.5.1", "5.2.0", "?", "")
        .filter(SparkVersion(_).isOtherThan("4.2"))
    assert(others === Seq("4.1.4", "4.20.0", "4.3.0", "3.5.1", "5.2.0"))
  }

  test("the Spark of the tests is the one that the jar is for") {
    assert(OtherSpark.found.isEmpty)
    assert(SparkVersion.running.minor === Some(Versions("spark.minor")))
  }
}
