// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

import org.scalacheck.{Gen, Prop, Test}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.Checkers

class OrderedBitsSuite extends AnyFunSuite with Checkers {

  private val parameters = Test.Parameters.default.withInitialSeed(1L).withMinSuccessfulTests(2000)

  private val ascending = Seq(
    Double.NegativeInfinity,
    -921614.125,
    -921614.0625,
    -1.5,
    -1.0,
    0.0,
    5.716890676284865e-207,
    5.7168911255697246e-207,
    1.0,
    Math.nextUp(1.0),
    Double.PositiveInfinity,
    Double.NaN
  )

  test("the awkward doubles ascend strictly") {
    val keys = ascending.map(OrderedBits.ofDouble)
    keys.zip(keys.tail).foreach { case (a, b) => assert(a < b) }
    val floats = ascending.map(_.toFloat).distinctBy(_.toString).map(OrderedBits.ofFloat)
    assert(floats === floats.sorted)
  }

  test("both zeros are one key, and so is every NaN") {
    assert(OrderedBits.ofDouble(-0.0) === OrderedBits.ofDouble(0.0))
    assert(OrderedBits.ofFloat(-0.0f) === OrderedBits.ofFloat(0.0f))
    val nans = Seq(0x7ff8000000000000L, 0xfff8000000000000L, 0x7ff0000000000001L).map(java.lang.Double.longBitsToDouble)
    assert(nans.map(OrderedBits.ofDouble).distinct.size === 1)
    assert(OrderedBits.ofFloat(Float.NaN) === OrderedBits.ofDouble(Double.NaN))
  }

  test("doubles and floats of any bits compare as java.lang.Double does, zeros apart") {
    val doubles = Gen.chooseNum(Long.MinValue, Long.MaxValue).map(java.lang.Double.longBitsToDouble(_) + 0.0)
    val ordered = Prop.forAll(doubles, doubles) { (a, b) =>
      val (f, g) = (a.toFloat + 0.0f, b.toFloat + 0.0f)
      OrderedBits.ofDouble(a).compare(OrderedBits.ofDouble(b)).sign == java.lang.Double.compare(a, b).sign &&
      OrderedBits.ofFloat(f).compare(OrderedBits.ofFloat(g)).sign == java.lang.Float.compare(f, g).sign
    }
    check(ordered, parameters)
  }

  test("false is below true") {
    assert(OrderedBits.ofBoolean(false) < OrderedBits.ofBoolean(true))
  }
}
