// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.file.{Files, Path}

import scala.sys.process.stringSeqToProcess
import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

class AccessListsSuite extends AnyFunSuite {
  import AccessLists.OfGroup

  test("the entries of the folder's own group count, not those of named groups, nor the mask") {
    val text = "user::rwx\nuser:bobz:rwx\ngroup::r-x\ngroup:team:rwx\nmask::rwx\nother::---\n"
    assert(AccessLists.in(text).contains(OfGroup(mayWrite = false, mayWriteNew = None)))
    val inherited = text + "default:user::rwx\ndefault:group::rwx\ndefault:group:team:r-x\ndefault:other::---\n"
    assert(AccessLists.in(inherited).contains(OfGroup(mayWrite = false, mayWriteNew = Some(true))))
    assert(AccessLists.in("user::rwx\ngroup::-w-\nmask::rwx\n").contains(OfGroup(mayWrite = true, mayWriteNew = None)))
    assert(AccessLists.in("user::rwx\ngroup::r-x\nother::r-x\n").isEmpty)
    assert(AccessLists.in("").isEmpty)
  }

  test("a list keeps the group out of a folder, until it lets it write or what is made there has one that does not") {
    val (folder, own) = (Files.createTempDirectory("listed"), "_zorder")
    def kept = AccessLists.keepGroupOut(folder, folder.resolve(own))
    def set(entries: String*)(of: Path = folder) = {
      val command = Seq("setfacl") ++ entries :+ of.toString
      assume(Try(command.!).toOption.contains(0), "no access control lists here")
    }
    Files.setAttribute(folder, "unix:mode", Integer.parseInt("775", 8))
    assert(!kept)
    set("-m", "u:1:rwx,g::r-x")()
    assert(kept)
    Files.createDirectory(folder.resolve(own))
    assert(kept)
    set("-m", "u:1:rwx,g::r-x")(folder.resolve(own))
    assert(!kept)
    Files.delete(folder.resolve(own))
    set("-m", "d:u:1:rwx,d:g::r-x")()
    assert(!kept)
    set("-m", "d:g::rwx")()
    assert(kept)
    set("-m", "g::rwx")()
    assert(!kept)
  }
}
