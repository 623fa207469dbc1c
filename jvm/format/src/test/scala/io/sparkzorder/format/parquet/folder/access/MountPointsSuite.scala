// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.file.Path

import org.scalatest.funsuite.AnyFunSuite

class MountPointsSuite extends AnyFunSuite {

  test("places of a table of mounts, also with blanks and backslashes in their names") {
    val table =
      """22 1 0:21 / / rw,relatime - overlay overlay rw
        |30 22 0:25 / /data/t/p=1 rw shared:2 - tmpfs tmpfs rw
        |31 22 0:26 /x /data/a\040b\134c rw - ext4 /dev/sda1 rw
        |short
        |""".stripMargin
    assert(MountPoints.in(table) == Seq("/", "/data/t/p=1", "/data/a b\\c").map(Path.of(_)))
  }

  test("the system's own table is read") {
    assume(System.getProperty("os.name") == "Linux")
    assert(MountPoints.below(Path.of("/")).contains(Path.of("/proc")) && MountPoints.below(Path.of("/no")).isEmpty)
  }
}
