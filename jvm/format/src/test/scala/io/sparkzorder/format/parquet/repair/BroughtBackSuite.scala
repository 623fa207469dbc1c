// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.repair

import java.io.File

import java.nio.file.{Files, Path => LocalPath, StandardCopyOption}

import scala.jdk.CollectionConverters._

import io.sparkzorder.LongTest

import org.apache.spark.network.util.JavaUtils

/** `_zorder` alone is brought back by rsync from before a verdict, when the rewrite has long been finished. */
class BroughtBackSuite extends DamagedTables {

  /** As `rsync -a --delete` does: what has its size and time stays as it is. */
  private def sync(from: File, to: File): Unit = {
    def below(folder: File): Seq[LocalPath] =
      Files.walk(folder.toPath).iterator.asScala.map(folder.toPath.relativize).filter(_.toString.nonEmpty).toSeq
    val wanted = below(from)
    below(to).filterNot(wanted.toSet).reverse.foreach(p => Files.delete(to.toPath.resolve(p)))
    wanted.foreach { p =>
      val (there, here) = (from.toPath.resolve(p), to.toPath.resolve(p))
      def isSame = Files.exists(here) && Files.size(there) == Files.size(here) &&
        Files.getLastModifiedTime(there) == Files.getLastModifiedTime(here)
      if (Files.isDirectory(there)) Files.createDirectories(here)
      else if (!isSame) {
        val draft = here.resolveSibling(s".${here.getFileName}.draft")
        Files.copy(there, draft, StandardCopyOption.COPY_ATTRIBUTES)
        Files.move(draft, here, StandardCopyOption.REPLACE_EXISTING)
      }
    }
  }

  for ((stage, tags) <- Seq(
      "before the moves" -> Seq(LongTest),
      "between the moves" -> Seq(LongTest),
      "before the verdict" -> Nil,
      "after the verdict" -> Seq(LongTest)
    ))
    test(s"saved $stage", tags: _*) {
      inFolder { path =>
        write(path)
        val rows = read(path)
        until(path, stage)(optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k')"): Unit)
        withTempDir { backup =>
          val own = new File(path, "_zorder")
          sync(own, backup)
          val analyze = s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS"
          spark.sql(analyze).collect()
          requireSame(path, rows, "finished")
          sync(backup, own)
          unlock(path)
          assert(read(path).size == rows.size, "rows are hidden")
          withSkipping(false)(assert(read(path).size == rows.size, "rows are hidden"))
          spark.sql(analyze).collect()
          requireSame(path, rows, "finished once more")
          optimize(path, "ZORDER BY (b, a) OPTIONS (target_file_size = '8k')")
          requireSame(path, rows, "rewritten")
        }
      }
    }

  test("another rewrite has replaced a part of the new files since") {
    inFolder { path =>
      write(path)
      until(path, "before the verdict")(optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k')"): Unit)
      withTempDir { backup =>
        val own = new File(path, "_zorder")
        sync(own, backup)
        analyze(path)
        events(100).where("p < 2").coalesce(1).write.mode("append").partitionBy("p").parquet(path)
        val rows = read(path)
        val before = dataFiles(path)
        val part = "WHERE a < 3 ZORDER BY (a, b) OPTIONS (target_file_size = '4k', where_files = 'overlapping')"
        optimize(path, part)
        assert(dataFiles(path).exists(before.toSet) && !before.forall(dataFiles(path).toSet), "a part was replaced")
        requireSame(path, rows, "rewritten")
        sync(backup, own)
        unlock(path)
        withSkipping(false)(requireSame(path, rows, "brought back"))
        requireSame(path, rows, "brought back")
        analyze(path)
        requireSame(path, rows, "finished once more")
      }
    }
  }

  test("the very folder comes back after a copy of it has finished the rewrite, and no row is lost") {
    inFolder { path =>
      write(path)
      val rows = read(path)
      until(path, "before the verdict")(optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k')"): Unit)
      val (own, away) = (new File(path, "_zorder").toPath, new File(s"$path-away").toPath)
      Files.move(own, away)
      Files.createDirectory(own)
      sync(away.toFile, own.toFile)
      analyze(path)
      requireSame(path, rows, "finished")
      JavaUtils.deleteRecursively(own.toFile)
      Files.move(away, own)
      // By the path, too: all files that are there are left out.
      analyze(path)
      val aside = filesBelow(new File(path, "_zorder/set-aside")).filter(_.getName.endsWith(".parquet.replaced"))
      aside.foreach { file =>
        val back = file.getPath.replaceFirst("_zorder/set-aside/[^/]*/", "").stripSuffix(".replaced")
        Files.move(file.toPath, new File(back).toPath)
      }
      assert(aside.nonEmpty)
      requireSame(path, rows, "moved back")
    }
  }

  test("somebody has used the names of old files again since") {
    inFolder { path =>
      write(path)
      until(path, "before the verdict")(optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k')"): Unit)
      val old = dataFiles(path).filterNot(_.getName.contains("zorder"))
      withTempDir { backup =>
        val own = new File(path, "_zorder")
        sync(own, backup)
        analyze(path)
        withTempDir { made =>
          events(7).coalesce(1).write.mode("overwrite").parquet(made.getPath)
          val file = dataFiles(made.getPath).head
          old.filterNot(_.exists).foreach(f => Files.copy(file.toPath, f.toPath))
        }
        val rows = read(path)
        sync(backup, own)
        unlock(path)
        withSkipping(false)(requireSame(path, rows, "brought back"))
        analyze(path)
        requireSame(path, rows, "finished once more")
      }
    }
  }
}
