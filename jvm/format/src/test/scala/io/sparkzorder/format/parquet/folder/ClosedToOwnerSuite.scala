// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.file.{Files, Path}
import java.nio.file.attribute.PosixFilePermission

import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.access.OwnerAndMode

import org.apache.spark.sql.Row

/** The superuser serves a table whose folder is another user's, and in it is a partition that is closed to that one. */
class ClosedToOwnerSuite extends FileModes {

  private val (owner, other) = (65534, 65533)
  private val rest = "ZORDER BY (a, b) OPTIONS (target_file_size = '4k', keep_old = '1 day', force = true)"

  private def give(path: Path, to: Int) = Files.setAttribute(path, "unix:uid", to)

  private def inTable(body: String => Unit): Unit = {
    assume(OwnerAndMode.of(Path.of("/proc/self"), isFollowed = true).exists(_.user == 0), "gives files to others")
    inFolder { path =>
      writeData(path)
      (Path.of(path) +: below(path)).foreach(give(_, owner))
      below(s"$path/p=1").foreach(give(_, other))
      body(path)
    }
  }

  private def close(path: String): Unit = set(Path.of(s"$path/p=1"), "rwx------")

  private def refusedHere(path: String)(sql: String): Unit = {
    def all = below(path).filter(Files.isRegularFile(_)).filterNot(_.toString.contains("/_zorder/lock")).toSet
    val (rows, before) = (plainRows(path), all)
    refused(sql, "ZORDER_CLOSED_TO_OWNER", "42501", "folder" -> "p=1", "owner" -> "nobody")
    assert(all === before)
    checkAnswer(spark.read.parquet(path).selectExpr("count(*)"), Row(rows.size.toLong))
  }

  test("no files are replaced there, and those of other partitions are") {
    inTable { path =>
      // Who may list a folder and not enter it reads no file there.
      for (closed <- Seq("rwxr--r--", "rwx--x--x", "rwx------")) {
        set(Path.of(s"$path/p=1"), closed)
        refusedHere(path)(s"OPTIMIZE parquet.`$path` $rest")
      }
      val before = dataFiles(path).toSet
      keepingRows(path)(optimize(path, s"WHERE p = 0 $rest"))
      assert((before -- dataFiles(path)).forall(_.getPath.contains("/p=0/")) && before != dataFiles(path).toSet)
      set(Path.of(s"$path/p=1"), "rwxr-xr-x")
      keepingRows(path)(optimize(path, rest))
      assert((before & dataFiles(path).toSet).isEmpty)
    }
  }

  test("nor do files come back there, also where the log is the superuser's") {
    inTable { path =>
      optimize(path, rest)
      below(s"$path/_zorder").foreach(give(_, 0))
      close(path)
      refusedHere(path)(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1")
    }
  }

  test("a folder that is to be made anew and would be closed is refused before it is made") {
    inTable { path =>
      tableFolder(path).requireOpenWhenMade("t", "a")
      val file = dataFiles(path).head.toPath
      give(file, other)
      set(file, "rw-------")
      val folder = tableFolder(path)
      val refusal = intercept[ZOrderRuntimeException](folder.requireOpenWhenMade("t", "a"))
      assert(refusal.getCondition === "ZORDER_CLOSED_TO_OWNER")
      folder.requireOpenWhenMade("t", "p=0")
    }
  }

  test("nothing that is kept is given to an owner of files who may not look into their folder") {
    for (closed <- Seq("rwxr-x---", "rwx--x--x", "rwx------"); isOwners <- Seq(false, true)) inTable { path =>
      if (!isOwners) give(Path.of(path), 0)
      below(s"$path/p=1").foreach(give(_, owner))
      give(Path.of(s"$path/p=1"), 0)
      set(Path.of(s"$path/p=1"), closed)
      spark.sql(s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS")
      val all = own(path)
      assert(all.exists(_.toString.endsWith(".index")) && all.forall(Files.getAttribute(_, "unix:uid") == 0))
      assert(all.filter(_.toString.contains("statistics")).forall(f =>
        !permissions(f)(PosixFilePermission.OTHERS_READ)))
    }
  }

  test("what counts is the folder in which a file was looked at, whatever has its name by then") {
    inTable { path =>
      close(path)
      val folder = tableFolder(path)
      val file =
        ListedFile(below(s"$path/p=1").map(Path.of(path).relativize(_).toString).find(_.endsWith("parquet")).get, 0, 0)
      val found = folder.accessesFrom("p=1", file.path, folder.identities(Seq(file.path)).get(file.path)).get
      Files.move(Path.of(s"$path/p=1"), Path.of(s"$path/_aside"))
      folder.requireOpenToOwner("t", "p=1")
      Files.move(Path.of(s"$path/p=0"), Path.of(s"$path/p=1"))
      folder.requireOpenToOwner("t", "p=1")
      def refusal(body: => Unit) = intercept[ZOrderRuntimeException](body).getCondition
      assert(refusal(folder.requireOpenToOwner("t", file, found)) === "ZORDER_CLOSED_TO_OWNER")
      assert(refusal(folder.requireOpenToOwner("t", "_aside")) === "ZORDER_CLOSED_TO_OWNER")
      give(Path.of(path), 0)
      tableFolder(path).requireOpenToOwner("t", file, found)
    }
  }
}
