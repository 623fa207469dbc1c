// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.nio.charset.StandardCharsets.UTF_8

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.log.TakenBack.Obstacle

import org.apache.hadoop.fs.{FileStatus, Path}
import org.scalatest.funsuite.AnyFunSuite

class TakenBackSuite extends AnyFunSuite {

  private val id = "0d5e0d5e-0000-4000-8000-00000000000f"

  private def file(path: String) = ListedFile(path, path.length.toLong, 7L)

  private def folder(path: String, replaced: Seq[String], added: Seq[String]) =
    KeptRewrite.Folder(path, replaced.map(file), added.map(file), Map.empty)

  private def rewrite(number: Long, folders: KeptRewrite.Folder*) =
    KeptRewrite(number, s"r$number", number, 100 + number, folders)

  private def kept(missing: Set[String])(rewrite: KeptRewrite, file: ListedFile): Option[FileStatus] =
    if (missing(file.path)) None
    else Some(new FileStatus(file.bytes, false, 1, 1, 7, new Path(s"/kept/${rewrite.number}/${file.path}")))

  private def of(target: KeptRewrite, all: Seq[KeptRewrite], listed: Seq[String], missing: Set[String] = Set.empty) =
    TakenBack.of(target, all, (_, file) => listed.contains(file.path), kept(missing), id)

  /** Files that go, and those of which copies come by where they are kept. */
  private def change(result: Either[Obstacle, TakenBack]): (Set[String], Set[String]) = result match {
    case Right(back) => (back.replaced.map(_.path).toSet, back.copies.map(_.from.toUri.getPath).toSet)
    case Left(obstacle) => fail(obstacle.toString)
  }

  private val first =
    rewrite(1, folder("p=0", Seq("p=0/a", "p=0/b"), Seq("p=0/n")), folder("p=1", Seq("p=1/a"), Seq("p=1/n")))

  test("one rewrite: its files go, those that it had replaced come, others stay") {
    assert(change(of(first, Seq(first), Seq("p=0/n", "p=1/n", "p=0/later"))) ===
      ((Set("p=0/n", "p=1/n"), Set("/kept/1/p=0/a", "/kept/1/p=0/b", "/kept/1/p=1/a"))))
  }

  test("a later rewrite that stands on it goes with it, one that does not stays") {
    val second = rewrite(2, folder("p=0", Seq("p=0/n", "p=0/x"), Seq("p=0/m")))
    val third = rewrite(3, folder("p=1", Seq("p=1/x"), Seq("p=1/m")))
    val all = Seq(first, second, third)
    assert(change(of(first, all, Seq("p=0/m", "p=1/n", "p=1/m"))) ===
      ((Set("p=0/m", "p=1/n"), Set("/kept/1/p=0/a", "/kept/1/p=0/b", "/kept/2/p=0/x", "/kept/1/p=1/a"))))
    assert(of(first, all, Seq("p=0/m", "p=1/n", "p=1/m")).map(_.keptUntil) === Right(102L))
  }

  test("what is gone and what is not kept is named, and only that") {
    assert(of(first, Seq(first), Seq("p=0/n")) === Left(Obstacle(Seq("p=1/n"), Nil)))
    assert(of(first, Seq(first), Seq("p=0/n", "p=1/n"), Set("p=0/b")) === Left(Obstacle(Nil, Seq("p=0/b"))))
    val second = rewrite(2, folder("p=0", Seq("p=0/n"), Seq("p=0/m")))
    assert(of(first, Seq(first, second), Seq("p=1/n")) === Left(Obstacle(Seq("p=0/m"), Nil)))
  }

  test("copies have names that were never used, no longer than file systems allow") {
    def renamed(name: String) = RestoredNames.of(Seq(s"p=0/$name"), id).head
    assert(renamed("trips.parquet") === s"p=0/trips-restored-$id.parquet")
    assert(
      renamed(s"trips-restored-${id.replace('5', '6')}.snappy.parquet") === s"p=0/trips-restored-$id.snappy.parquet")
    assert(renamed("trips") === s"p=0/trips-restored-$id")
    for (long <- Seq("x" * 247 + ".parquet", "é" * 120 + ".parquet", "." + "x" * 250, "😀" * 60 + ".parquet")) {
      val name = renamed(long).stripPrefix("p=0/")
      assert(name.getBytes(UTF_8).length <= 250 && name.contains(id) && !name.contains('\ufffd'), name)
    }
    assert(RestoredNames.of(Seq("a.parquet", s"a-restored-$id.parquet", "b.parquet"), id) ===
      Seq(s"a-restored-$id.parquet", s"a-restored-$id-1.parquet", s"b-restored-$id.parquet"))
    assert(renamed(s"a-restored-$id-1.parquet") === s"p=0/a-restored-$id.parquet")
  }

  test("a copy of a file that readers see has a name that they see, whatever is cut off") {
    def renamed(name: String) = RestoredNames.of(Seq(s"p=0/$name"), id).head.stripPrefix("p=0/")
    assert(renamed("_x=1.parquet") === s"_x=1-restored-$id.parquet")
    for (seen <- Seq("_" + "x" * 200 + "=1.parquet", s"_day.of=2024.${"f" * 180}.parquet", "__." + "x" * 200 + "=1"))
      assert(!TableFolder.isHidden(seen) && !TableFolder.isHidden(renamed(seen)), renamed(seen))
    // Not cut where it need not be.
    assert(renamed(s"a.day=2024-01-01.${"f" * 40}.parquet") === s"a-restored-$id.day=2024-01-01.${"f" * 40}.parquet")
  }

  test("files of one name that two rewrites had replaced both come") {
    val early = rewrite(1, folder("", Seq("a"), Seq("n")))
    val late = rewrite(2, folder("", Seq("n", "a"), Seq("m")))
    assert(change(of(early, Seq(early, late), Seq("m"))) === ((Set("m"), Set("/kept/1/a", "/kept/2/a"))))
  }
}
