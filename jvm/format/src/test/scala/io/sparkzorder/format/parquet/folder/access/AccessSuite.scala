// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.permission.{AclEntry, AclEntryType, FsAction, FsPermission}
import org.scalatest.funsuite.AnyFunSuite

/** What users may do with what is made of several files' owners, groups, bits and lists. */
class AccessSuite extends AnyFunSuite {

  // Of owners whom no other suite has Hadoop put into groups.
  private def access(owner: String, group: String, bits: String) =
    Access.of(owner, group, FsPermission.valueOf("-" + bits), Nil)

  test("nobody may do more with what two accesses make together than with each, whatever groups they are in") {
    val groups = Seq("a", "b", "c")
    val bits = for (g <- 0 to 7; o <- 0 to 7) yield new FsPermission(Integer.parseInt(s"7$g$o", 8).toShort)
    def may(access: Access, of: Set[String]): Int =
      (if (access.group.exists(of)) access.permission.toShort >> 3 else access.permission.toShort.toInt) & 7
    for {
      a <- bits
      b <- bits
      (first, second) <- Seq(("a", "a"), ("a", "b"))
      (one, other) = (Access(Some("x"), Some(first), a, Nil), Access(Some("x"), Some(second), b, Nil))
      both = one.and(other)
      made <- groups
      of <- groups.toSet.subsets()
    } {
      // As `give` does it.
      val is = (if (both.group.forall(_ == made)) both else both.ofNoGroup).copy(group = Some(made))
      assert((may(is, of) & ~(may(one, of) & may(other, of))) == 0, s"$one $other $of $made")
    }
  }

  test("without a list, those whom it names may do no more than with it") {
    def listed(bits: String, spec: String) =
      Access.of("x", "team", FsPermission.valueOf("-" + bits), AclEntry.parseAclSpec(spec, true).asScala.toSeq)
    val plain = access("x", "team", "rw-r--r--")
    val bobIsOut = listed("rw-r--r--", "user:bob:---,group::r--")
    assert(bobIsOut.and(bobIsOut).acl == bobIsOut.acl)
    for (both <- Seq(plain.and(bobIsOut), bobIsOut.and(plain), plain.narrowedTo(bobIsOut)))
      assert(both.acl.isEmpty && both.permission == FsPermission.valueOf("-rw-------"), both)
    assert(bobIsOut.ofNoGroup.permission == FsPermission.valueOf("-rw-------"))
    // Members of another group are others without the list, and may be in none of the two.
    val guestsAreOut = listed("rw-r--r--", "group:guests:---,group::r--")
    assert(plain.and(guestsAreOut).permission == FsPermission.valueOf("-rw-r-----"))
    val annIsIn = listed("rw-r-----", "user:ann:r--,group::r--")
    assert(plain.and(annIsIn).permission == FsPermission.valueOf("-rw-r-----"))
    assert(annIsIn.and(access("x", "other", "rw-r--r--")).permission == FsPermission.valueOf("-rw-------"))
    // The mask holds for named ones.
    val masked = listed("rw-r--r--", "user:bob:rwx,group::r--")
    assert(plain.and(masked).permission == FsPermission.valueOf("-rw-r--r--"))
    // What the permission bits no longer have is not given by the list.
    val narrowed = bobIsOut.copy(permission = FsPermission.valueOf("-rw-------")).list.filter(_.getName == null)
    assert(narrowed.filterNot(e => e.getType == AclEntryType.USER || e.getType == AclEntryType.MASK)
      .forall(_.getPermission == FsAction.NONE))
  }

  test("of files of several owners it is for the owner of their folders, where that one may read all of them") {
    val (hidden, open) = (access("amy", "amy", "rw-------"), access("root", "root", "rw-r--r--"))
    val (closed, shown) = (access("amy", "amy", "rwx------"), access("amy", "amy", "rwxr-xr-x"))
    def made(of: (Access, Access)*) = Access.common(of.map { case (file, folder) => file.deletedIn(folder) }).get
    for (of <- Seq(Seq(hidden -> closed, open -> closed), Seq(open -> shown, hidden -> closed))) {
      assert(made(of: _*).newOwner.contains("amy") && made(of.reverse: _*).newOwner.contains("amy"))
      // What is there stays whose it is; two such are as one.
      assert(made(of: _*).owner.isEmpty && made(of: _*).and(made(of: _*)).newOwner.contains("amy"))
    }
    // One who may not read all, or be kept from it by being of a group, or delete one of them.
    val ofBob = access("bob", "bob", "rwxr-xr-x")
    assert(made(hidden -> ofBob, open -> ofBob).newOwner.isEmpty)
    assert(made(hidden -> closed, access("root", "root", "rw----r--") -> closed).newOwner.isEmpty)
    assert(made(hidden -> shown, open -> ofBob).newOwner.isEmpty)
    assert(made(hidden -> shown, open -> access("bob", "bob", "rwxrwxrwt")).newOwner.isEmpty)
    assert(made(open -> shown, open -> shown).newOwner.contains("root"))
  }

  test(
    "what lies in a folder that keeps the owner out is the folder's owner's, who may read it, and is not kept out further up") {
    val (open, hidden) = (access("root", "root", "rw-r--r--"), access("root", "root", "rw-------"))
    val folder = access("amy", "amy", "rwx------")
    def named(file: Access, folders: Access*) =
      folders.foldLeft(file.deletedIn(folders.head))((access, folder) => access.namedIn(folder))
    assert(named(open, folder).newOwner.contains("amy") && named(open, folder).owner.isEmpty)
    assert(named(open, folder, folder).newOwner.contains("amy"))
    for (above <- Seq("rwx------", "rwxr-x---", "rwx--x--x"))
      assert(named(open, folder, access("bob", "bob", above)).newOwner.isEmpty)
    assert(named(open, folder, access("bob", "bob", "rwxr-xr-x")).newOwner.contains("amy"))
    assert(named(hidden, folder).newOwner.isEmpty && open.reachedBy(folder).owner.isEmpty)
    assert(open.reachedBy(access("amy", "amy", "rwx--x--x")).owner.contains("root"))
    for (enters <- Seq("rwx--x--x", "rwxrwx---"))
      assert(named(open, access("amy", "amy", enters)).newOwner.contains("amy"))
    assert(named(open, access("amy", "amy", "rwxr-xr-x")).newOwner.contains("root"))
    def listed(of: String, others: String) =
      access("amy", "amy", s"rwxr-x$others").copy(acl = Seq(of, "group::r-x").map(AclEntry.parseAclEntry(_, true)))
    assert(Seq("user:root:r-x", "user:root:---").map(listed(_, "---")).map(named(open, _).newOwner) ===
      Seq(Some("root"), Some("amy")))
  }

  test("who certainly is in no group of a file may read it only if all may") {
    def mayRead(permission: String, isMember: Option[Boolean], user: String = "bob") =
      access("amy", "team", permission).mayBeReadBy(user, isMember)
    val (in, out) = (Some(true), Some(false))
    for (isMember <- Seq(in, out, None))
      assert(!mayRead("rw-------", isMember) && !mayRead("rwx-wx-wx", isMember) && mayRead("rw-r--r--", isMember))
    assert(mayRead("rw-r-----", in) && !mayRead("rw-r-----", out) && mayRead("rw-r-----", None))
    assert(!mayRead("rw----r--", in) && mayRead("rw----r--", out) && mayRead("rw----r--", None))
    assert(mayRead("rw-------", out, "amy"))
  }

  test("a class that may less than others is not passed over") {
    val file = access("alice", "team", "rw-r--r--")
    // Its members are others to the file.
    assert(file.reachedBy(access("alice", "closed", "rwx---r-x")).permission == FsPermission.valueOf("-rw-------"))
    assert(file.reachedBy(access("alice", "team", "rwx---r-x")).permission == FsPermission.valueOf("-rw----r--"))
    assert(!access("bob", "team", "rw----r--").isReadByAllOf(file))
    assert(!access("bob", "closed", "rw----r--").isReadByAllOf(file))
    assert(access("bob", "team", "rw----r--").isReadByAllOf(access("alice", "team", "rw----r--")))
  }

  test("two accesses together are as open as both") {
    val (a, b) = (access("alice", "readers", "rw-r--r--"), access("alice", "readers", "rw-r-----"))
    assert(a.and(b) == b && b.and(a) == b && a.and(a) == a)
    // Members of either group are others to the other's file, and could read it.
    val c = a.and(access("alice", "others", "rw-r--r--"))
    assert(c.group.isEmpty && c.permission == FsPermission.valueOf("-rw-r--r--"))
    for (closed <- Seq("rw-r-----", "rw----r--"))
      assert(a.and(access("alice", "others", closed)).permission == FsPermission.valueOf("-rw-------"))
    assert(a.and(access("bob", "readers", "rw-r--r--")).owner.isEmpty)
    val (open, closed) = (access("alice", "readers", "rwxr-x--x"), access("alice", "readers", "rwx--x---"))
    assert(a.reachedBy(open) == a && a.reachedBy(closed) == b)
    assert(a.reachedBy(access("alice", "others", "rwxr-x---")).permission == FsPermission.valueOf("-rw-------"))
    assert(b.ofFolder.permission == FsPermission.valueOf("-rwxr-x---"))
    assert(access("a", "g", "rwxr-xr-x").ofFile.permission == FsPermission.valueOf("-rw-r--r--"))
  }

  test("who may read the files may do with what is kept of them what they may do in the table's folder") {
    val root = access("alice", "team", "rwxrwxr-x")
    def kept(bits: String, folder: Access = root) =
      access("alice", "team", bits).deletedIn(folder).within(root).permission
    assert(kept("rw-r--r--") == FsPermission.valueOf("-rw-rw-r--"))
    assert(kept("rw-r-----") == FsPermission.valueOf("-rw-rw----"))
    assert(kept("r--------") == FsPermission.valueOf("-rw-------"))
    val closed = access("bob", "team", "rwxr-xr-x")
    assert(kept("rw-rw-r--", closed) == FsPermission.valueOf("-rw-r--r--"))
    assert(kept("rw-r--r--", access("bob", "others", "rwxrwxr-x")) == FsPermission.valueOf("-rw-r--r--"))
    assert(kept("rw-r--r--", access("bob", "others", "rwxrwxrwx")) == FsPermission.valueOf("-rw-rw-r--"))
    val sticky = root.copy(permission = new FsPermission(Integer.parseInt("1775", 8).toShort))
    assert(kept("rw-r--r--", sticky) == FsPermission.valueOf("-rw-r--r--"))
  }

  test("who may enter a folder and not list it is told no names in it") {
    val file = access("alice", "team", "rw-r--r--")
    def within(bits: String, group: String = "team") = file.within(access("alice", group, bits)).permission
    assert(within("rwxr-xr-x") == file.permission && within("rwxr-x---") == file.permission)
    assert(within("rwxr-x--x") == FsPermission.valueOf("-rw-r-----"))
    assert(within("rwx--x--x") == FsPermission.valueOf("-rw-------"))
    // The root's group are others to the files.
    assert(within("rwxr-x---", "others") == file.permission)
    assert(within("rwx--x---", "others") == FsPermission.valueOf("-rw-------"))
    assert(file.namedIn(access("alice", "team", "rwxr-x--x")).permission == FsPermission.valueOf("-rw-r-----"))
    assert(file.reachedBy(access("alice", "team", "rwx--x--x")) == file)
  }

  test("what is closed is no more open for anybody, and keeps owner and group") {
    val (open, closed) = (access("alice", "team", "rw-r--r--"), access("alice", "team", "rw-r-----"))
    assert(open.narrowedTo(closed) == closed && closed.narrowedTo(open) == closed)
    val ofOthers = access("bob", "others", "rw-r--r--")
    assert(ofOthers.narrowedTo(closed) == access("bob", "others", "rw-------"))
    // Its group's members are others to the files.
    assert(ofOthers.narrowedTo(open) == ofOthers)
    assert(ofOthers.narrowedTo(access("alice", "team", "rw----r--")) == access("bob", "others", "rw-------"))
    // Files of several groups.
    val mixed = open.and(ofOthers)
    assert(open.narrowedTo(mixed) == open)
    assert(open.narrowedTo(mixed).narrowedTo(mixed) == open.narrowedTo(mixed))
  }

  test("what is kept is less open than the files where somebody may not read it who may read these") {
    val file = access("alice", "team", "rw-r-----")
    assert(file.isReadByAllOf(file) && access("alice", "team", "rw-r--r--").isReadByAllOf(file))
    assert(access("root", "root", "rw-r--r--").isReadByAllOf(file))
    // Whoever owns the files is mostly in their group.
    assert(access("bob", "team", "rw-r-----").isReadByAllOf(file))
    assert(!access("alice", "team", "rw-------").isReadByAllOf(file))
    assert(!access("alice", "others", "rw-r-----").isReadByAllOf(file))
    assert(!file.isReadByAllOf(access("alice", "team", "rw-r--r--")))
    assert(!access("root", "root", "rw-------").isReadByAllOf(access("alice", "team", "rw-------")))
    assert(access("root", "root", "rw-------").isReadByAllOf(Access.ofMe))
  }

  test("a group that may read the files, but is not the folder's own, writes nothing that is kept of them") {
    def kept(root: String) =
      access("alice", "readers", "rw-r-----").deletedIn(access("alice", "writers", root))
        .within(access("alice", "writers", root)).permission
    assert(kept("rwxrwxr-x") == FsPermission.valueOf("-rw-r-----"))
    assert(kept("rwxrwxrwx") == FsPermission.valueOf("-rw-rw----"))
  }
}
