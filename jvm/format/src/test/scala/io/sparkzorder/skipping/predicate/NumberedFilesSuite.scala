// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import org.apache.hadoop.fs.{FileStatus, Path}
import org.scalatest.funsuite.AnyFunSuite

class NumberedFilesSuite extends AnyFunSuite {

  private def file(name: String) = new FileStatus(1L, false, 1, 1L, 1L, new Path(s"/t/$name"))

  private val (a, b, c) = (file("a"), file("b"), file("c"))
  private val numbers = Map("a" -> 7, "b" -> -1, "c" -> 3)

  /** The numbers, those that had to be found, and what is kept. */
  private def asked(last: NumberedFiles, files: FileStatus*): (Seq[Int], Seq[String], Option[NumberedFiles]) = {
    val cursor = last.next()
    var found = Seq.empty[String]
    val of = files.map { f =>
      cursor.number(f) {
        found :+= f.getPath.getName
        numbers(f.getPath.getName)
      }
    }
    (of, found, cursor.listing)
  }

  test("the same objects in the same order are known, also those of which the index knows nothing") {
    val (first, found, kept) = asked(NumberedFiles.none, a, b, c)
    assert(first === Seq(7, -1, 3) && found === Seq("a", "b", "c"))
    val (second, again, more) = asked(kept.get, a, b, c)
    assert(second === first && again.isEmpty && more.isEmpty)
  }

  test("another object of the same name, as of a folder that was listed again, is looked for") {
    val kept = asked(NumberedFiles.none, a, b, c)._3.get
    val (of, found, more) = asked(kept, a, file("b"), c)
    assert(of === Seq(7, -1, 3) && found === Seq("b") && more.exists(_.size == 3))
  }

  test("files of some partitions are looked for, and do not take the place of more") {
    val kept = asked(NumberedFiles.none, a, b, c)._3.get
    val (of, found, more) = asked(kept, c)
    assert(of === Seq(3) && found === Seq("c") && more.isEmpty)
    assert(asked(kept, a, b)._2.isEmpty && asked(kept, a, b, c, file("a"))._2 === Seq("a"))
  }
}
