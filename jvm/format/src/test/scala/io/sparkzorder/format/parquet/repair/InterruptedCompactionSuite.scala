// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.repair

import io.sparkzorder.LongTest

/** A compaction that dies half-way is finished, or taken back, by the same log as every rewrite. */
class InterruptedCompactionSuite extends DamagedTables {

  private def statements(path: String) = Seq(
    s"OPTIMIZE parquet.`$path`",
    s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS",
    s"OPTIMIZE parquet.`$path` ZORDER BY (a, b)")

  for (stage <- Seq(
      "after a move",
      "half of the old files deleted",
      "before the moves",
      "before the verdict",
      "after the verdict",
      "all old files deleted"))
    test(s"interrupted: $stage", LongTest) {
      for (next <- statements("").indices) inFolder { path =>
        write(path)
        val rows = read(path)
        until(path, stage)(optimize(path, ""): Unit)
        // Readers with the extension go by the log at once.
        assert(org.apache.spark.sql.QueryTest.sameRows(rows, read(path)).isEmpty)
        spark.sql(statements(path)(next)).collect()
        requireSame(path, rows, stage)
        spark.sql(statements(path).head).collect()
        requireSame(path, rows, stage)
        assert(dataFiles(path).size == 2, s"$stage, ${statements(path)(next)}")
      }
    }
}
