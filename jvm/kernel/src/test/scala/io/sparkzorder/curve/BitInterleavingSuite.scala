// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.curve

import org.scalacheck.{Gen, Prop, Test}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.Checkers

class BitInterleavingSuite extends AnyFunSuite with Checkers {

  private val parameters = Test.Parameters.default.withInitialSeed(1L).withMinSuccessfulTests(500)

  private val edges = Seq(0, 1, -1, Int.MinValue, Int.MaxValue, 0x0000ff00, 0x80000001)
  private val ints: Gen[Int] = Gen.frequency(1 -> Gen.oneOf(edges), 4 -> Gen.chooseNum(Int.MinValue, Int.MaxValue))

  /** The definition, written out with strings of bits. */
  private def oracle(values: Array[Int]): Array[Byte] = {
    val bits = values.map(v => String.format("%32s", v.toBinaryString).replace(' ', '0'))
    val woven = (0 until 32).flatMap(level => bits.map(_.charAt(level))).mkString
    woven.grouped(8).map(Integer.parseInt(_, 2).toByte).toArray
  }

  private def hex(bytes: Array[Byte]): String = bytes.map(b => f"$b%02x").mkString

  for (n <- Seq(0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 40))
    test(s"$n ints interleave as strings of their bits do") {
      val asOracle = Prop.forAll(Gen.listOfN(n, ints)) { values =>
        hex(BitInterleaving.interleave(values.toArray)) == hex(oracle(values.toArray))
      }
      check(asOracle, parameters)
    }

  test("the result orders points by their most significant differing bit, the first int's bit first") {
    val ordered = Prop.forAll(ints, ints, ints, ints) { (a, b, c, d) =>
      // Chan's comparison of Morton codes without computing them: the dimension whose xor has the highest bit decides.
      val (x, y) = (a ^ c, b ^ d)
      val secondDecides = Integer.compareUnsigned(x, y) < 0 && Integer.compareUnsigned(x, x ^ y) < 0
      val expected = if (secondDecides) Integer.compareUnsigned(b, d) else Integer.compareUnsigned(a, c)
      val actual = java.util.Arrays.compareUnsigned(
        BitInterleaving.interleave(Array(a, b)),
        BitInterleaving.interleave(Array(c, d)))
      actual.sign == expected.sign
    }
    check(ordered, parameters)
  }

  test("the input is left as it was") {
    val values = Array(1, -2, 3)
    BitInterleaving.interleave(values)
    assert(values === Array(1, -2, 3))
  }
}
