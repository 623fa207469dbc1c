// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
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
    assert(MountPoints.in(table.getBytes(UTF_8)).map(_.place) == Seq(
      "/",
      "/data/t/p=1",
      "/data/a b\\c").map(Path.of(_)))
  }

  test("a name of other bytes than UTF-8 hides no other mount") {
    val table = "30 22 0:25 / /data/\u00ff rw - tmpfs tmpfs rw\n31 22 0:26 / /data/p rw - tmpfs tmpfs rw\n"
    assert(MountPoints.in(table.getBytes(ISO_8859_1)).map(_.place).contains(Path.of("/data/p")))
  }

  test("options of a mount, and of its file system, are those of the folders in it") {
    def proc(options: String) =
      MountPoints.in(s"22 1 0:21 / / rw - ext4 a rw\n23 22 0:4 / /proc rw - proc proc $options".getBytes)
    assert(Seq("rw", "rw,hidepid=0", "rw,hidepid=off").forall(o => !MountPoints.hideProcesses(proc(o))))
    assert(Seq("rw,hidepid=2", "rw,hidepid=invisible").forall(o => MountPoints.hideProcesses(proc(o))))
    val (whole, part) = ("22 1 0:21 / / rw - ext4 a rw,grpid\n", "23 22 0:4 / /proc rw - proc proc rw\n")
    assert(MountPoints.giveGroup(Path.of("/tmp"), MountPoints.in((whole + part).getBytes)))
    assert(!MountPoints.giveGroup(Path.of("/proc"), MountPoints.in((whole + part).getBytes)))
  }

  test("the system's own table is read") {
    assume(System.getProperty("os.name") == "Linux")
    assert(MountPoints.below(Path.of("/")).contains(Path.of("/proc")) && MountPoints.below(Path.of("/no")).isEmpty)
  }
}
