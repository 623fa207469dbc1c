// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.config

import io.sparkzorder.config.TargetFileSize.{Asked, Auto}

import org.scalatest.funsuite.AnyFunSuite

class TargetFileSizeSuite extends AnyFunSuite {

  private val MiB = 1L << 20
  private val GiB = 1L << 30

  test("texts that are a size, and others") {
    assert(TargetFileSize.parse(" AUTO ").contains(Auto))
    assert(TargetFileSize.parse("256m").contains(Asked(256 * MiB)))
    assert(TargetFileSize.parse("222023").contains(Asked(222023)))
    for (none <- Seq("", "0", "-1", "big", "1.5m", "99999999999g")) assert(TargetFileSize.parse(none).isEmpty, none)
  }

  test("auto: 4 ^ columns files, of 8 to 256 MiB") {
    def files(bytes: Long, columns: Int) = bytes / Auto.bytes(bytes, columns, isPartitioned = false)
    assert(Seq(1, 2, 3, 4).map(files(4 * GiB, _)) === Seq(16, 16, 64, 256))
    assert(files(512 * MiB, 1) === 4 && Auto.bytes(512 * MiB, 1, isPartitioned = false) === 128 * MiB)
    // Small tables have as many files as 8 MiB allow, large ones as many as 256 MiB make.
    assert(Auto.bytes(20 * MiB, 2, isPartitioned = false) === 8 * MiB)
    assert(Auto.bytes(0, 2, isPartitioned = false) === 8 * MiB)
    assert(Auto.bytes(1024 * GiB, 2, isPartitioned = false) === 256 * MiB)
    // More than four columns ask for no more files, and in a partition more than three.
    for (columns <- 4 to 16) {
      assert(files(16 * GiB, columns) === 256)
      assert(Auto.bytes(4 * GiB, columns, isPartitioned = true) === 64 * MiB)
    }
  }

  test("a size that was asked for is taken, whatever the table") {
    assert(Asked(7).bytes(1024 * GiB, 16, isPartitioned = true) === 7)
  }
}
