// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import org.scalatest.funsuite.AnyFunSuite

class CompatibleMethodSuite extends AnyFunSuite {
  import CompatibleMethodSuite._

  private val known = Seq(classOf[String], classOf[Seq[_]])

  test("calls the method as it was") {
    assert(new CompatibleMethod(Before, "write", known: _*)("a", Seq(1, 2)) === "a 2")
  }

  test("fills parameters that came later with their defaults, primitive ones and functions too") {
    assert(new CompatibleMethod(Later, "write", known: _*)("a", Seq(1, 2)) === "a 2 7 done")
  }

  test("throws what the method throws") {
    val error = intercept[IllegalStateException](new CompatibleMethod(Later, "fail", classOf[String])("why"))
    assert(error.getMessage === "why")
  }

  test("says which method there is not") {
    val error = intercept[NoSuchMethodException](new CompatibleMethod(Before, "write", classOf[Int]))
    assert(error.getMessage.contains("CompatibleMethodSuite$Before$.write(int)"))
  }
}

private object CompatibleMethodSuite {

  object Before {
    def write(name: String, parts: Seq[Int]): String = s"$name ${parts.size}"
  }

  object Later {
    def write(name: String, parts: Seq[Int], count: Int = 7, end: () => String = () => "done"): String =
      s"$name ${parts.size} $count ${end()}"

    def fail(reason: String): Unit = throw new IllegalStateException(reason)
  }
}
