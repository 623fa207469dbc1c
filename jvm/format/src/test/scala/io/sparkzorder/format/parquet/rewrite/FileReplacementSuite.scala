// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.nio.file.{Files, Path}

import scala.util.Try

import io.sparkzorder.format.parquet.ParquetSnapshot
import io.sparkzorder.format.parquet.folder.FileModes
import io.sparkzorder.format.parquet.folder.access.{Access, NewAccess}
import io.sparkzorder.format.parquet.listing.ParquetFile

import org.apache.hadoop.fs.permission.FsPermission

class FileReplacementSuite extends FileModes {

  test(
    "a partition of which a file is gone stays as it is, whosever the others are, and other partitions are rewritten") {
    for (isOfAnother <- Seq(false, true)) inFolder { path =>
      writeData(path)
      if (isOfAnother)
        assume(
          below(path).forall(f => Try(Files.setAttribute(f, "unix:uid", 65534)).isSuccess),
          "gives files to others")
      val table = tableOf(path)
      RewriteLease.during(spark, table, waitMillis = 0) { hold =>
        val since = table.rewriteLog.read()
        val files = new ParquetSnapshot(table, spark, Some(hold)).files(None).map(_.asInstanceOf[ParquetFile])
        val rewrite = new ParquetRewrite(spark, table, Some(hold), files, since)
        rewrite.write(rewrite.input, (_, _) => None)
        val Seq((_, changed), (_, others)) =
          files.map(f => Path.of(path, f.path)).groupBy(_.getParent).toSeq.sortBy(_._1)
        Files.delete(changed.head)
        val conflict = rewrite.commit(Nil).conflict.get
        assert(conflict.cause.getMessage.contains("p=0") && !conflict.cause.getMessage.contains("p=1"))
        assert(changed.tail.nonEmpty && changed.tail.forall(Files.exists(_)) && !others.exists(Files.exists(_)))
      }
      assert(dataFiles(path).map(_.toPath.getParent.getFileName.toString).count(_ == "p=0") === 1)
    }
  }

  test("new files are given to the owner of their folder only if that one may read all old ones where they were") {
    def access(owner: String, mode: String) = Access(Some(owner), Some("g"), new FsPermission(mode), Nil)
    def preferred(folder: Access) =
      NewAccess.of(List(access("a", "644"), folder), 0).and(NewAccess.of(List(access("b", "644"), folder), 0))
        .map(_.copy(preferred = Some("c"))).forReader.opened.newOwner
    assert(Seq("755", "744", "700").map(mode => preferred(access("a", mode))) === Seq(Some("c"), None, None))
    assert(preferred(access("c", "700")) === Some("c"))
  }
}
