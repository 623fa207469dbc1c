// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import io.sparkzorder.LongTest
import io.sparkzorder.command.resolve.TableOrderSession

import org.apache.spark.sql.QueryTest

/** Delta tables keep what OPTIMIZE replaces by themselves, and have statements of their own. */
class UndoOfDeltaSuite extends QueryTest with TableOrderSession {

  test("Delta tables have their own", LongTest) {
    withTable("own") {
      spark.range(100).selectExpr("id", "id % 7 AS a").write.format("delta").saveAsTable("own")
      refused("DESCRIBE REWRITES own", "ZORDER_NOT_RESTORABLE", "0A000", "statement" -> "DESCRIBE REWRITES")
      refused("RESTORE TABLE own TO BEFORE REWRITE 1", "ZORDER_NOT_RESTORABLE", "0A000")
      refused("VACUUM own REPLACED FILES", "ZORDER_NOT_RESTORABLE", "0A000")
      refused("FSCK REPAIR TABLE own DRY RUN", "ZORDER_NOT_REPAIRABLE", "0A000", "statement" -> "FSCK REPAIR TABLE")
      refused(
        "OPTIMIZE own ZORDER BY (a) OPTIONS (keep_old = '1d')",
        "ZORDER_KEEPS_OLD_FILES",
        "0A000",
        "table" -> "default.own")
      // Delta's statements go to Delta.
      spark.sql("DELETE FROM own WHERE id < 50").collect()
      spark.sql("RESTORE TABLE own TO VERSION AS OF 0").collect()
      assert(spark.table("own").count() === 100)
      assert(spark.sql("DESCRIBE HISTORY own").count() >= 1)
    }
  }
}
