// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.repair

import java.io.File

import scala.util.Try

import io.sparkzorder.LongTest

/** `_zorder` alone is brought back by rsync from before a verdict, when the rewrite has long been finished. */
class BroughtBackSuite extends DamagedTables {

  private def sync(from: File, to: File): Unit = {
    val made = Try(new ProcessBuilder("rsync", "-a", "--delete", s"$from/", s"$to/").start().waitFor())
    assume(made.isSuccess, "rsync is there")
    assert(made.get == 0)
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
}
