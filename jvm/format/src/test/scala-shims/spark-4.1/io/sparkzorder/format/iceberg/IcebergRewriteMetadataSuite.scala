// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import java.nio.ByteBuffer

import org.apache.iceberg.spark.CommitMetadata
import org.apache.iceberg.types.{Conversions, Types}
import org.apache.spark.sql.{QueryTest, Row}

/** What Iceberg's tests of a rewrite promise of snapshots, sort orders, branches and options that are wrong. */
class IcebergRewriteMetadataSuite extends QueryTest with IcebergPromises {

  test("the snapshot says who made it, and Iceberg's own figures of it are there") {
    withIceberg {
      create(promised(400).repartition(4))
      withSQLConf("spark.sql.iceberg.snapshot-property.key" -> "value") {
        val alsoByCaller = java.util.Map.of("snapshot-property.job", "nightly", "spark-zorder.columns", "id")
        val run: java.util.concurrent.Callable[Row] = () => optimize("ZORDER BY (a, c)")
        CommitMetadata.withCommitProperties(alsoByCaller, run, classOf[RuntimeException])
      }
      assert(summary("engine-name") === "spark" && summary("engine-version").startsWith("4.1"))
      assert(summary("app-id") === spark.sparkContext.applicationId && summary.contains("app-name"))
      assert(summary("added-data-files") === "1" && summary("deleted-data-files") === "4")
      assert(summary("total-data-files") === "1" && summary("changed-partition-count") === "1")
      // What users add of their own, under names that are not the statement's.
      assert(summary.get("key") === Some("value") && summary.get("job") === Some("nightly"))
      assert(summary("spark-zorder.columns") === "a, c")
    }
  }

  private def string(bound: ByteBuffer): String =
    Conversions.fromByteBuffer[CharSequence](Types.StringType.get, bound).toString

  test("files claim no sort order of the table, now or in the past, also where they are sorted by its column") {
    withIceberg {
      create(promised(2000).repartition(20))
      sql(s"ALTER TABLE $t WRITE ORDERED BY b")
      sql(s"ALTER TABLE $t WRITE ORDERED BY c")
      append(promised(200, 2000))
      assert(files.map(_.sortOrderId.toInt).toSet === Set(0, table.sortOrder.orderId))
      for ((by, isSorted) <- Seq("c" -> true, "a, b" -> false)) {
        optimize(s"ZORDER BY ($by) OPTIONS (target_file_size = '${files.map(_.fileSizeInBytes).sum / 8}')")
        assert(files.size > 4 && files.forall(_.sortOrderId == 0))
        if (isSorted) assertApart("c", string)
      }
      // The table keeps its order, and Iceberg's writes go on with it.
      append(promised(200, 3000))
      assert(files.exists(_.sortOrderId == table.sortOrder.orderId))
    }
  }

  private val branch = s"$t.branch_side"

  for (where <- Seq("", "WHERE p = 1"))
    test(s"a rewrite of a branch is a child of its latest version, whatever the main branch did since: $where") {
      withIceberg {
        create(promised(400).repartition(5), partitionedBy = "p", properties = scattered)
        sql(s"ALTER TABLE $t CREATE BRANCH side")
        append(promised(100, 400))
        val (main, side) = (current.snapshotId, table.refs.get("side").snapshotId)
        val before = rows(sql(s"SELECT * FROM $branch"))
        val result = keepingAll(sql(s"OPTIMIZE $branch $where ZORDER BY (a, c)").head())
        assert(swapped(result) === (if (where.isEmpty) (20, 4) else (5, 1)))
        assert(current.snapshotId === main && table.snapshot("side").parentId === side)
        assert(rows(sql(s"SELECT * FROM $branch")) === before)
      }
    }

  test("options, columns and clauses that are wrong change nothing") {
    withIceberg {
      create(promised(400).repartition(4))
      def wrong(clauses: String, condition: String) = refused(s"OPTIMIZE $t $clauses", condition)
      for ((option, condition) <- Seq(
          "batch_size = '-5'" -> "ZORDER_INVALID_OPTION",
          "target_file_size = '0'" -> "ZORDER_INVALID_OPTION",
          "mode = 'sort'" -> "ZORDER_INVALID_OPTION",
          "curve = 'foo'" -> "ZORDER_INVALID_OPTION",
          "foobarity = '-5'" -> "ZORDER_UNKNOWN_OPTION",
          "min-input-files = '2'" -> "ZORDER_SYNTAX_ERROR.UNEXPECTED"
        ))
        wrong(s"ZORDER BY (a) OPTIONS ($option)", condition)
      wrong("ZORDER BY (col1)", "UNRESOLVED_COLUMN.WITH_SUGGESTION")
      wrong("WHERE col1 = 3 ZORDER BY (a)", "UNRESOLVED_COLUMN.WITH_SUGGESTION")
      wrong("ZORDER BY ()", "ZORDER_NO_COLUMN")
      for (clauses <- Seq("ZORDER BY (a) ZORDER BY (b)", "ZORDER BY (a none)"))
        wrong(clauses, "ZORDER_SYNTAX_ERROR.UNEXPECTED")
      // A direction, and a function beside a column.
      for (columns <- Seq("(a DESC)", "a, zorder(b, c)"))
        wrong(s"ZORDER BY $columns", "ZORDER_SYNTAX_ERROR.COLUMN_NAME")
    }
  }
}
