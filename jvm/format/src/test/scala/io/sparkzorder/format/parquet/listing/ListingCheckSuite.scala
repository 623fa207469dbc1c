// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import io.sparkzorder.format.{DoubledRows, ListedFile}
import io.sparkzorder.format.parquet.folder.opened.LocalIdentity
import io.sparkzorder.format.parquet.log.{LogEntry, LogState}
import io.sparkzorder.format.parquet.log.LogEntry.{Added, FolderChange}
import io.sparkzorder.format.parquet.log.LogState.LoggedRewrite
import org.scalatest.funsuite.AnyFunSuite

/** Which files of a listing count, by states of the log that no test on a disk has. */
class ListingCheckSuite extends AnyFunSuite {

  private def file(name: String) = ListedFile(s"p=0/$name", 10, 1001)

  private def files(name: String, n: Int) = (0 until n).map(i => file(s"$name-$i"))

  private def rewrite(
      number: Long,
      old: Seq[ListedFile],
      added: Seq[ListedFile],
      isClosed: Boolean,
      moved: Set[String] = Set("p=0")): LoggedRewrite = {
    val folder = FolderChange("p=0", old, added.map(a => Added(s"_zorder/staging/x/${a.path}", a.path, a.bytes)))
    LoggedRewrite(LogEntry("log", number, s"id-$number", None, Seq(folder)), Some(moved), isClosed)
  }

  private def state(rewrites: LoggedRewrite*) = LogState(Some("log"), rewrites, rewrites.size.toLong)

  private def sizes(there: Seq[ListedFile]): String => Option[Long] = there.map(f => f.path -> f.bytes).toMap.get(_)

  private def excluded(state: LogState, listed: Seq[ListedFile], there: Seq[ListedFile] = Nil): Set[String] =
    ListingCheck.filesToExclude(state, listed, sizes(there), (_, _) => false)

  private def isOld(state: LogState, listed: Seq[ListedFile], there: Seq[ListedFile]): Boolean =
    ListingCheck.isStale(state, listed.toSet, sizes(there), _ => true)

  private def of(state: LogState, listed: Iterable[ListedFile]): RestoredFiles =
    RestoredFiles.of(state, listed, listed, _ => None)

  private def restored(state: LogState, listed: Set[ListedFile]): (Seq[String], Boolean) = {
    val found = of(state, listed)
    (found.files, found.doubled.isDefined)
  }

  private val (a, b, c) = (files("a", 3), files("b", 2), files("c", 1))

  test("a listing of any number of files is known to be older than a rewrite that replaced them") {
    for (n <- Seq(3, 10000, 20000)) {
      val old = files("old", n)
      val now = state(rewrite(1, old, b, isClosed = true))
      assert(isOld(now, old, b), n)
      assert(!isOld(now, b, b), n)
    }
  }

  test("a listing whose times are in seconds, as some stores tell of one file, or those of the log are") {
    val seconds = a.map(f => f.copy(modificationTime = 1000))
    val open = state(rewrite(1, a, b, isClosed = false))
    assert(excluded(open, seconds ++ b) == a.map(_.path).toSet)
    assert(excluded(state(rewrite(1, seconds, b, isClosed = false)), a ++ b) == a.map(_.path).toSet)
    assert(isOld(open, seconds, b) && isOld(state(rewrite(1, seconds, b, isClosed = true)), a, b))
    val later = a.map(f => f.copy(modificationTime = 2001))
    assert(excluded(open, later ++ b).isEmpty)
  }

  test("a new file that is shorter than it was written leaves no old file out: its rows are in those") {
    val now = state(rewrite(1, a, b, isClosed = false))
    val cut = b.head.copy(bytes = b.head.bytes - 1)
    assert(excluded(now, a ++ b) == a.map(_.path).toSet)
    assert(excluded(now, a ++ b.tail :+ cut).isEmpty)
    assert(excluded(now, a ++ b.tail, Seq(cut)).isEmpty && excluded(now, a ++ b.tail, Seq(b.head)).nonEmpty)
    // As a listing of a store with encryption on the client's side says.
    assert(excluded(now, a ++ b.map(f => f.copy(bytes = f.bytes + 16))) == a.map(_.path).toSet)
  }

  test("of a closed rewrite nothing is left out: what is there was restored, and is no sign of an old listing") {
    val now = state(rewrite(1, a, b, isClosed = true))
    assert(excluded(now, a ++ b).isEmpty && excluded(now, a).isEmpty)
    assert(!isOld(now, a, a) && !isOld(now, a ++ b, a ++ b))
    // Gone since it was listed.
    assert(isOld(now, a ++ b, b))
    assert(restored(now, (a.take(1) ++ b).toSet) == ((Seq("p=0/a-0"), true)))
    assert(restored(now, a.toSet) == ((a.map(_.path), false)))
    assert(restored(now, b.toSet) == ((Nil, false)))
  }

  test("of an open one old files are left out while all new ones are there, or were replaced in their turn") {
    val open = state(rewrite(1, a, b, isClosed = false))
    val old = a.map(_.path).toSet
    assert(excluded(open, a ++ b) == old)
    // A listing of some files, while the others are there.
    assert(excluded(open, a, there = b) == old && excluded(open, a ++ b.take(1), there = b) == old)
    assert(excluded(open, a).isEmpty && excluded(open, a ++ b.take(1)).isEmpty)
    val replaced = state(rewrite(1, a, b, isClosed = false), rewrite(2, b, c, isClosed = true))
    assert(excluded(replaced, a ++ c) == old)
    // Not by an earlier one.
    assert(excluded(state(rewrite(1, b, c, isClosed = true), rewrite(2, a, b, isClosed = false)), a).isEmpty)
  }

  test("statements look for doubled rows of rewrites of any number of files, queries for those of up to 10,000") {
    for (n <- Seq(10000, 10001)) {
      val old = files("old", n)
      val (now, listed) = (state(rewrite(1, old, b, isClosed = true)), old.take(1) ++ b)
      def found(isLooked: LoggedRewrite => Boolean) = RestoredFiles.of(now, listed, listed, _ => None, isLooked).doubled
      assert(found(_.moved.nonEmpty).contains(DoubledRows(Seq(old.head.path))), n)
      assert(found(ListingCheck.isRemembered).nonEmpty == (n == 10000))
    }
  }

  test("one file is known by its number, and its time of birth or that of its last change of any kind") {
    def areOne(before: String, now: String) = LocalIdentity.areOfOneFile(before, now)
    assert(areOne("5 born changed", "5 born later") && areOne("5 born changed", "5 other changed"))
    assert(!areOne("5 born changed", "6 born changed") && !areOne("5 born changed", "5 other later"))
    // As HDFS and stores have them.
    assert(areOne("7", "7") && !areOne("7", "8"))
  }

  test("rows are doubled, too, where restored files lie beside what replaced them later") {
    val now = state(rewrite(1, a, b, isClosed = true), rewrite(2, b, c, isClosed = true))
    assert(restored(now, (a ++ c).toSet) == ((a.map(_.path), true)))
  }

  test("new files that a rewrite had taken back, and that are there again beside the old ones, double rows") {
    def left(isClosed: Boolean) = rewrite(1, a, b, isClosed, moved = Set.empty)
    assert(restored(state(left(isClosed = true)), (a ++ b.take(1)).toSet) == ((Seq("p=0/b-0"), true)))
    assert(restored(state(left(isClosed = true)), b.toSet) == ((b.map(_.path), false)))
    assert(restored(state(left(isClosed = true)), a.toSet) == ((Nil, false)))
    val shorter = b.map(f => f.copy(bytes = f.bytes - 1))
    assert(restored(state(left(isClosed = true)), (a ++ shorter).toSet) == ((Nil, false)))
    // While it is open they are left out.
    assert(restored(state(left(isClosed = false)), (a ++ b).toSet) == ((Nil, false)))
    val later = state(left(isClosed = true), rewrite(2, a, c, isClosed = true))
    assert(restored(later, (b ++ c).toSet) == ((b.map(_.path), true)))
  }

  test("of an open one another file of an old one's name, size and time counts, as far as the file system tells") {
    val folder = rewrite(1, a, b, isClosed = false).entry.folders.head
    val open = state(LoggedRewrite(
      LogEntry("log", 1, "id-1", None, Seq(folder.copy(identities = Map("p=0/a-0" -> "1 x y")))),
      Some(Set("p=0")),
      isClosed = false))
    def excluded(now: String) =
      ListingCheck.filesToExclude(open, a ++ b, sizes(Nil), (_, identity) => identity.exists(_ != now))
    assert(excluded("1 x y") == a.map(_.path).toSet)
    assert(excluded("2 x y") == a.tail.map(_.path).toSet)
  }

  private def in(folder: String)(files: Seq[ListedFile]) =
    files.map(f => f.copy(path = s"$folder/${ListedFile.nameOf(f.path)}"))

  test("in a folder that was renamed meanwhile they are found where rows are doubled") {
    val renamed = in("p=9") _
    def found(moved: Set[String], listed: Seq[ListedFile]) =
      of(state(rewrite(1, a, b, isClosed = true, moved)), listed).doubled
    def rest(files: Seq[ListedFile]) = Some(DoubledRows(files.map(_.path)))
    assert(found(Set("p=0"), renamed(a.tail ++ b)) == rest(renamed(a.tail)))
    assert(found(Set.empty, renamed(a ++ b.tail)) == rest(renamed(b.tail)))
    for (moved <- Seq(Set("p=0"), Set.empty[String]); one <- Seq(a, b, c)) {
      assert(found(moved, renamed(one)).isEmpty)
      assert(found(moved, in("p=8")(a) ++ renamed(b)).isEmpty)
    }
    // A later rewrite has put files there that have names of others, as those of one task have.
    val other = LogEntry("log", 2, "id-2", None, Seq(FolderChange("p=9", renamed(c), Nil)))
    val both = state(rewrite(1, a, b, isClosed = true), LoggedRewrite(other, Some(Set("p=9")), isClosed = true))
    assert(of(both, renamed(a ++ b)).doubled.isEmpty)
    // The folder of the old name is there: these are files of other rows.
    assert(found(Set("p=0"), c ++ renamed(a.tail ++ b)).isEmpty)
    val shorter = renamed(a.tail).map(f => f.copy(bytes = f.bytes - 1))
    assert(found(Set("p=0"), shorter ++ renamed(b)).isEmpty)
  }

  test("where the file system tells the very files, they are found in any folder, and others of their names are not") {
    val identities = a.map(f => f.path -> s"${f.path} born").toMap
    val change = rewrite(1, a, b, isClosed = true).entry.folders.head.copy(identities = identities)
    val closed =
      state(LoggedRewrite(LogEntry("log", 1, "id-1", None, Seq(change)), Some(Set("p=0")), isClosed = true))
    def found(listed: Seq[ListedFile], very: Set[String]) = {
      def origin(path: String) = Option.when(very(path))(s"p=0/${ListedFile.nameOf(path)} born")
      RestoredFiles.of(closed, listed, listed, origin).doubled.map(_.files)
    }
    // Another partition was dropped, and this one has its name; new files are in a folder of the old name.
    val moved = in("p=1")(a)
    assert(found(moved ++ b, moved.map(_.path).toSet).contains(moved.map(_.path)))
    assert(found(moved ++ b ++ c, moved.take(1).map(_.path).toSet).contains(moved.take(1).map(_.path)))
    assert(found(moved ++ b, Set.empty).isEmpty)
    // Nothing has come in their place, or it is gone.
    assert(found(moved, moved.map(_.path).toSet).isEmpty)
    // The folder was renamed with what had come.
    assert(found(moved ++ in("p=1")(b), moved.map(_.path).toSet).contains(moved.map(_.path)))
  }
}
