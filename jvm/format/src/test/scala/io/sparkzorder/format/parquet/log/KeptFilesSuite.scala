// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.nio.file.{Files, Path => LocalPath}

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.log.LogEntry.{Added, FolderChange}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

class KeptFilesSuite extends AnyFunSuite {

  private val id = "0d5e0d5e-0000-4000-8000-00000000000f"

  private def inFolder(body: (LocalPath, KeptFiles) => Unit): Unit = {
    val root = Files.createTempDirectory("kept")
    Files.createDirectories(root.resolve("_zorder"))
    body(root, new KeptFiles(new TableFolder(new Path(root.toUri), new Configuration())))
  }

  private def file(root: LocalPath, name: String, bytes: Int): ListedFile = {
    val path = root.resolve(name)
    Files.createDirectories(path.getParent)
    Files.write(path, Array.fill[Byte](bytes)(1))
    ListedFile(name, bytes.toLong, Files.getLastModifiedTime(path).toMillis)
  }

  private def entry(folders: FolderChange*) = LogEntry("log", 1, id, None, folders, keptUntil = Long.MaxValue / 1000000)

  test("a folder without old files is none that could be taken back, and the others can") {
    inFolder { (root, kept) =>
      val (old, first, second) = (file(root, "p=1/old", 3), file(root, "p=1/new", 5), file(root, "p=2/new", 7))
      def added(f: ListedFile) = Added(s"_zorder/staging/$id/x", f.path, f.bytes)
      val folders = Seq(FolderChange("p=1", Seq(old), Seq(added(first))), FolderChange("p=2", Nil, Seq(added(second))))
      kept.begin(entry(folders: _*), folders)
      assert(kept.rewrites().map(_.folders.map(_.path)) === Seq(Seq("p=1")))
    }
  }

  test("a new file that somebody has written anew is not recorded as one of the rewrite") {
    inFolder { (root, kept) =>
      val (old, other) = (file(root, "p=1/old", 3), file(root, "p=1/new", 6))
      val folder = FolderChange("p=1", Seq(old), Seq(Added(s"_zorder/staging/$id/x", other.path, 5)))
      kept.begin(entry(folder), Seq(folder))
      assert(kept.rewrites().flatMap(_.folders).flatMap(_.added).map(_.bytes) === Seq(-1L))
    }
  }

  test("a kept file is found by its path in the table, also where an older build has put it there, and its name ends otherwise") {
    inFolder { (root, kept) =>
      val old = file(root, "p=1/old.parquet", 3)
      val folder = FolderChange("p=1", Seq(old), Nil)
      kept.begin(entry(folder), Seq(folder))
      val place = kept.path(entry(folder), old.path)
      assert(!place.getName.endsWith(".parquet"))
      val rewrite = kept.rewrites().head
      assert(kept.status(rewrite, old).isEmpty)
      val before = LocalPath.of(place.getParent.toUri).resolve("old.parquet")
      Files.createDirectories(before.getParent)
      Files.move(root.resolve(old.path), before)
      assert(kept.status(rewrite, old).map(_.getPath.getName) === Some("old.parquet"))
      Files.move(before, LocalPath.of(place.toUri))
      assert(kept.status(rewrite, old).map(_.getPath.getName) === Some(place.getName))
    }
  }
}
