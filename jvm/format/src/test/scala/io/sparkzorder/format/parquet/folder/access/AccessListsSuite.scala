// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.file.{Files, Path}

import scala.sys.process.stringSeqToProcess
import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

class AccessListsSuite extends AnyFunSuite {
  import AccessLists.{AccessList, Writers}

  private val own = 7

  test("entries say who may write, not the mask; those of the folder's own group also where they name it") {
    def list(entries: String*) = AccessLists.in(("user::rwx" +: entries).mkString("\n"), own)
    def writers(users: Int*)(groups: Int*) = Writers(users.toSet, groups.toSet)
    assert(list("user:5:rwx", "user:6:r-x", "group::r-x", "group:8:rwx", "mask::rwx", "other::rwx")
      .contains(AccessList(writers(5)(8), None)))
    assert(list("group::r-x", s"group:$own:rwx", "mask::rwx").contains(AccessList(writers()(own), None)))
    val inherited = Seq("group::-w-", "mask::rwx", "default:user::rwx", "default:user:5:-w-", "default:group::r-x")
    assert(list(inherited: _*).contains(AccessList(writers()(own), Some(writers(5)()))))
    assert(list("group::rwx", "other::r-x").isEmpty && AccessLists.in("", own).isEmpty)
  }

  test("a list keeps the group out of a folder, until it lets it write or what is made there has one that does not") {
    val (folder, zorder) = (Files.createTempDirectory("listed"), "_zorder")
    def kept = {
      // What was read a moment ago counts.
      Thread.sleep(250)
      AccessLists.keepGroupOut(OwnerAndMode.of(folder).get, folder, folder.resolve(zorder))
    }
    def set(entries: String*)(of: Path = folder) = {
      val command = Seq("setfacl") ++ entries :+ of.toString
      assume(Try(command.!).toOption.contains(0), "no access control lists here")
    }
    Files.setAttribute(folder, "unix:mode", Integer.parseInt("775", 8))
    assert(!kept)
    set("-m", "u:1:rwx,g::r-x")()
    assert(kept)
    Files.createDirectory(folder.resolve(zorder))
    assert(kept)
    set("-m", "u:1:rwx,g::r-x")(folder.resolve(zorder))
    assert(!kept)
    Files.delete(folder.resolve(zorder))
    set("-m", "d:u:1:rwx,d:g::r-x")()
    assert(!kept)
    set("-m", "d:g::rwx")()
    assert(kept)
    val group = Files.getAttribute(folder, "unix:gid")
    set("-m", s"g:$group:rwx")()
    assert(!kept)
    set("-x", s"g:$group")()
    assert(kept)
    set("-m", "g::rwx")()
    assert(!kept)
  }

  test("users are in groups as the system or Hadoop knows them; of groups without a name nobody knows it") {
    assert(UserGroups.isIn("root", Set(0), Some("root")).contains(true))
    assert(UserGroups.isIn("nobody", Set(0), Some("root")).contains(false))
    assert(UserGroups.isIn("nobody", Set(54321), Some("54321")).isEmpty)
    assert(UserGroups.isIn("no-such-user", Set(0), Some("root")).isEmpty)
    // A number says that somebody is in the group, and not that nobody else is; a name with a blank is the system's.
    assert(UserGroups.isIn("root", "0").contains(true) && UserGroups.isIn("nobody", "0").isEmpty)
    assert(UserGroups.isIn("root", "domain users").contains(false) && UserGroups.isIn("no-such-user", "a b").isEmpty)
  }
}
