// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import org.scalatest.funsuite.AnyFunSuite

class ReadSplitsSuite extends AnyFunSuite {

  private val mb = 1L << 20

  private def tasks(files: Seq[Long], cores: Int): Long = {
    val bytes = ReadSplits.bytes(files, cores, 128 * mb, 4 * mb)
    assert(bytes <= 128 * mb)
    val total = files.map(_ + 4 * mb).sum
    (total + bytes - 1) / bytes
  }

  test("the number of tasks is the next multiple of the cores") {
    assert(tasks(Seq.fill(64)(9 * mb), cores = 2) === 8)
    assert(tasks(Seq.fill(64)(9 * mb), cores = 1) === 7)
    assert(tasks(Seq.fill(1000)(250 * mb), cores = 48) === 2016)
    assert(tasks(Seq.fill(3)(mb), cores = 8) === 8)
  }

  test("a task may be of any size") {
    assert(ReadSplits.bytes(Seq.fill(10)(6 * mb), 4, Long.MaxValue, 4 * mb) === 25 * mb)
  }

  test("no file, and sizes as they were where all cores have as much to do") {
    assert(ReadSplits.bytes(Nil, 4, 128 * mb, 4 * mb) === 128 * mb)
    assert(ReadSplits.bytes(Seq.fill(4)(124 * mb), 4, 128 * mb, 4 * mb) === 128 * mb)
  }
}
