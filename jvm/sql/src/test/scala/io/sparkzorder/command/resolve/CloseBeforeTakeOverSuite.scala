// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import java.nio.file.{Files, Path}

import scala.sys.process.Process

import io.sparkzorder.BeforeDelta
import io.sparkzorder.format.parquet.repair.DamagedTables

import org.apache.spark.sql.QueryTest

/** `CONVERT TO DELTA` beside rewrites that are not finished. */
class CloseBeforeTakeOverSuite extends DamagedTables with BeforeDelta {

  private def rewrite(path: String): Unit =
    optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k')"): Unit

  private def convert(path: String, rest: String = "PARTITIONED BY (p INT)") = s"CONVERT TO DELTA parquet.`$path` $rest"

  private val ofTable = Seq("id", "a", "b", "c", "p")

  test("an open rewrite of the folder is finished before") {
    for (stage <- Seq("between the moves", "half of the old files deleted")) inFolder { path =>
      write(path)
      val before = read(path)
      until(path, stage)(rewrite(path))
      spark.sql(convert(path))
      val now = spark.read.format("delta").load(path).select(ofTable.head, ofTable.tail: _*).collect().toSeq
      assert(QueryTest.sameRows(before, now).isEmpty, stage)
    }
  }

  test("a partition is refused while a rewrite of the table above is open") {
    inFolder { path =>
      write(path)
      val before = read(path)
      until(path, "half of the old files deleted")(rewrite(path))
      refused(convert(s"$path/p=1", ""), "ZORDER_PARTITION_OF_TABLE", "0A000", "whole" -> path)
      assert(!Files.exists(Path.of(path, "p=1", "_delta_log")))
      spark.sql(s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS").collect()
      spark.sql(convert(s"$path/p=1", ""))
      val now = spark.read.format("delta").load(s"$path/p=1").selectExpr("id", "a", "b", "c", "1 AS p").collect().toSeq
      assert(QueryTest.sameRows(before.filter(_.getInt(4) == 1), now).isEmpty)
    }
  }

  test("a log that others may have written is not passed by") {
    inFolder { path =>
      write(path)
      until(path, "half of the old files deleted")(rewrite(path))
      // With the sticky bit, which Java does not know.
      assert(Process(Seq("chmod", "1777", path, s"$path/_zorder/log")).! === 0)
      refused(convert(path), "ZORDER_NOT_TRUSTED", "42501", "path" -> "_zorder")
      assert(!Files.exists(Path.of(path, "_delta_log")))
    }
  }
}
