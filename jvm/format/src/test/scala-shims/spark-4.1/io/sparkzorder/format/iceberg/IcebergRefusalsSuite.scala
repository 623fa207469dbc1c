// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import java.io.File

import io.sparkzorder.config.Versions

import org.apache.spark.sql.QueryTest

/** What statements on Iceberg tables refuse, with what they say; nothing is changed by it. */
class IcebergRefusalsSuite extends QueryTest with IcebergSession {

  test("columns, predicates and options") {
    withIceberg {
      create(
        samples(100).selectExpr("*", "map('k', a) AS m"),
        partitionedBy = "c, days(at)",
        properties = "'write.metadata.metrics.column.b' = 'none'")
      refused(s"OPTIMIZE $t ZORDER BY (nothing)", "UNRESOLVED_COLUMN.WITH_SUGGESTION")
      refused(s"OPTIMIZE $t ZORDER BY (m)", "ZORDER_UNORDERABLE_COLUMN")
      refused(s"OPTIMIZE $t ZORDER BY (c)", "ZORDER_PARTITION_COLUMN")
      refused(s"OPTIMIZE $t ZORDER BY (b)", "ZORDER_ICEBERG_WITHOUT_BOUNDS", "write.metadata.metrics.column.b")
      refused(s"OPTIMIZE $t WHERE a = 1 ZORDER BY (a)", "ZORDER_PREDICATE_ON_DATA_COLUMN")
      refused(s"OPTIMIZE $t WHERE dayofyear(at) = 1 ZORDER BY (a)", "ZORDER_ICEBERG_PREDICATE")
      refused(s"OPTIMIZE $t ZORDER BY (a) OPTIONS (keep_old = '7 days')", "ZORDER_ICEBERG_KEEPS_ITSELF", "keep_old")
    }
  }

  test("a manifest, or a list of them, that is gone") {
    withIceberg {
      create(samples(100))
      val manifest = current.allManifests(table.io).get(0).path
      for (gone <- Seq(manifest, current.manifestListLocation)) {
        val file = new File(new java.net.URI(gone).getPath)
        val kept = new File(s"$file.kept")
        assert(file.renameTo(kept))
        for (statement <- Seq(s"OPTIMIZE $t ZORDER BY (a)", s"DESCRIBE LAYOUT $t", s"ADVISE LAYOUT $t")) {
          sql(s"REFRESH TABLE $t")
          failure("ZORDER_ICEBERG_METADATA_GONE", file.getName)(sql(statement).collect())
        }
        assert(kept.renameTo(file))
      }
      optimizeAgain()
    }
  }

  private def optimizeAgain(): Unit = keepingAll(sql(s"OPTIMIZE $t ZORDER BY (a)").collect()): Unit

  test("statements on what Iceberg keeps itself") {
    withIceberg {
      create(samples(100))
      for (statement <- Seq(
          s"OPTIMIZE $t",
          s"ANALYZE TABLE $t COMPUTE FILE STATISTICS",
          s"DESCRIBE REWRITES $t",
          s"RESTORE TABLE $t TO BEFORE REWRITE 1",
          s"VACUUM $t REPLACED FILES",
          s"FSCK REPAIR TABLE $t"
        ))
        refused(statement, "ZORDER_ICEBERG_KEEPS_ITSELF", "rewrite_data_files")
      refused(s"OPTIMIZE $t ZORDER", "ZORDER_NO_TABLE_ORDER")
    }
  }

  test("versions, branches, metadata tables and folders") {
    withIceberg {
      create(samples(100))
      sql(s"ALTER TABLE $t CREATE TAG old")
      refused(s"OPTIMIZE $t.snapshot_id_${current.snapshotId} ZORDER BY (a)", "ZORDER_TIME_TRAVEL")
      refused(s"OPTIMIZE $t.tag_old ZORDER BY (a)", "ZORDER_TIME_TRAVEL")
      refused(s"OPTIMIZE $t.files ZORDER BY (record_count)", "ZORDER_ICEBERG_NOT_REWRITABLE", "metadata")
      val folder = new java.net.URI(table.location).getPath
      refused(s"OPTIMIZE iceberg.`$folder` ZORDER BY (a)", "ZORDER_ICEBERG_BY_PATH")
      refused(s"OPTIMIZE parquet.`$folder/data` ZORDER BY (a)", "ZORDER_NOT_PLAIN_PARQUET")
    }
  }

  test("a table without rows, and one that was never written") {
    sql(s"CREATE TABLE $t (a INT, b INT) USING iceberg")
    withIceberg {
      assert(sql(s"OPTIMIZE $t ZORDER BY (a, b)").head().getString(3).contains("no files"))
      sql(s"INSERT INTO $t SELECT 1, 1")
      sql(s"DELETE FROM $t")
      assert(sql(s"OPTIMIZE $t ZORDER BY (a, b)").head().getString(3).contains("no files"))
      refused(s"OPTIMIZE $t ZORDER BY (a, a)", "ZORDER_DUPLICATE_COLUMN")
    }
  }

  test("releases of Iceberg of another minor") {
    assert(IcebergMissing.isPresent && IcebergMissing.running.contains("1.12.0"))
    def isOther(version: String) = Versions.isOtherMinor(version, Versions("iceberg"))
    assert(!isOther("1.12.7") && isOther("1.11.0") && isOther("2.12.0"))
  }
}
