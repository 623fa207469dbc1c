// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{QueryTest, Row}

/** Rewrites of a branch by its name, which leave the main branch, other branches and tags as they are. */
class IcebergBranchSuite extends QueryTest with IcebergSession {

  private val branch = s"$t.branch_audit"

  /** The snapshots of all branches and tags. */
  private def refs: Map[String, Long] = table.refs.asScala.map { case (name, ref) => name -> ref.snapshotId }.toMap

  private def optimized(options: String = "", where: String = ""): Row = {
    val before = (refs - "audit", rows(sql(s"SELECT * FROM $branch")), rows(sql(s"SELECT * FROM $t")))
    val result = sql(s"OPTIMIZE $branch $where ZORDER BY (a, b) OPTIONS (target_file_size = '6000'$options)").head()
    sql(s"REFRESH TABLE $t")
    assert((refs - "audit", rows(sql(s"SELECT * FROM $branch")), rows(sql(s"SELECT * FROM $t"))) === before)
    result
  }

  private def branched(version: Int = 2): Unit = {
    create(samples(1000), version, properties = "'write.delete.mode' = 'merge-on-read'")
    sql(s"ALTER TABLE $t CREATE TAG old")
    sql(s"ALTER TABLE $t CREATE BRANCH audit")
    sql(s"INSERT INTO $branch SELECT id + 1000, a, b, c, at FROM $t")
  }

  private def snapshotFiles: Long = table.snapshot("audit").summary.get("total-data-files").toLong

  for (version <- Seq(2, 3)) test(s"a branch is rewritten, and nothing else: version $version") {
    withIceberg {
      branched(version)
      sql(s"DELETE FROM $branch WHERE id % 10 = 0")
      sql(s"DELETE FROM $t WHERE id % 7 = 0")
      val ids = s"SELECT id, _row_id FROM $branch"
      val lineage = if (version == 3) Some(rows(sql(ids))) else None
      val read = snapshotFiles
      val metrics = optimized().getAs[Row]("metrics")
      assert(metrics.getAs[Long]("numFilesRemoved") === read && metrics.getAs[Long]("numFilesAdded") > 2)
      lineage.foreach(before => assert(rows(sql(ids)) === before))
      val written = table.snapshot("audit")
      assert(written.operation === "replace" && written.summary.get("spark-zorder.columns") === "a, b")
      assert(sql(s"SELECT * FROM $branch").count() === 1800)
      // The main branch, of which the rewritten file is still a part.
      keepingAll(cluster("a, b", 4))
      optimized(", mode = 'incremental'")
      assert(table.snapshot("audit").snapshotId === written.snapshotId)
      sql(s"INSERT INTO $branch SELECT id + 9000, a, b, c, at FROM $t LIMIT 20")
      optimized(", mode = 'incremental'")
      assert(sql(s"DESCRIBE LAYOUT $branch ON (a)").head().getAs[Any]("files").toString.toLong === snapshotFiles)
    }
  }

  test("a branch that is set to be the main one keeps its record of what is clustered") {
    withIceberg {
      branched()
      optimized()
      sql("CALL ice.system.fast_forward('db.t', 'main', 'audit')").collect()
      val now = current.snapshotId
      assert(keepingAll(cluster("a, b", 4, options = ", mode = 'incremental'")).getString(3).contains("Nothing to do"))
      assert(current.snapshotId === now)
    }
  }

  test("columns and partitions that were changed since the branch was made") {
    withIceberg {
      branched()
      sql(s"ALTER TABLE $t ADD COLUMN z INT")
      sql(s"ALTER TABLE $t RENAME COLUMN c TO cc")
      sql(s"ALTER TABLE $t ADD PARTITION FIELD days(at)")
      sql(s"INSERT INTO $t SELECT id + 5000, a, b, cc, at, 7 FROM $t")
      val main = files.map(_.location)
      optimized(where = "WHERE at < TIMESTAMP'2024-01-02 00:00:00Z'")
      optimized()
      assert(files.map(_.location) === main)
    }
  }

  test("a column of the partitions that was widened since the branch was made") {
    withIceberg {
      for ((narrow, wide) <- Seq("INT" -> "BIGINT", "FLOAT" -> "DOUBLE")) {
        sql(s"CREATE TABLE $t (id BIGINT, p $narrow) USING iceberg PARTITIONED BY (p)")
        sql(s"INSERT INTO $t SELECT id, id % 2 FROM range(20)")
        sql(s"ALTER TABLE $t CREATE BRANCH audit")
        sql(s"ALTER TABLE $t ALTER COLUMN p TYPE $wide")
        sql(s"INSERT INTO $t VALUES (30, 3)")
        // Iceberg's own reader does not read the column there.
        assert(sql(s"DESCRIBE LAYOUT $branch ON (id)").head().getAs[Any]("files").toString.toInt >= 2)
        sql(s"DROP TABLE $t")
      }
    }
  }

  test("a column that partitions are cut from was widened since the branch was made: a row is written first") {
    withIceberg {
      sql(s"CREATE TABLE $t (id BIGINT, a INT) USING iceberg PARTITIONED BY (truncate(10, a))")
      sql(s"INSERT INTO $t SELECT id, id % 100 FROM range(1000)")
      sql(s"ALTER TABLE $t CREATE BRANCH audit")
      sql(s"ALTER TABLE $t ALTER COLUMN a TYPE BIGINT")
      sql(s"INSERT INTO $t VALUES (1, 1)")
      sql(s"DESCRIBE LAYOUT $branch ON (id) WHERE a >= 10").collect()
      for (where <- Seq("", "WHERE a >= 10"))
        failure("ZORDER_ICEBERG_NOT_REWRITABLE", "Write a row")(
          sql(s"OPTIMIZE $branch $where ZORDER BY (id)").collect())
      sql(s"INSERT INTO $branch VALUES (2, 2)")
      val before = sql(s"SELECT * FROM $branch").collect().toSeq
      sql(s"OPTIMIZE $branch WHERE a >= 10 ZORDER BY (id)").collect()
      sql(s"OPTIMIZE $branch ZORDER BY (id)").collect()
      checkAnswer(sql(s"SELECT * FROM $branch"), before)
      assert(before.size === 1001)
    }
  }

  private def isNoBranch(statement: String, words: String*): Unit = {
    val before = refs
    assert(refused(statement, "ZORDER_ICEBERG_NO_BRANCH", words: _*).getSqlState === "42704")
    assert(refs === before)
  }

  test("a branch that is not there") {
    withIceberg {
      branched()
      isNoBranch(s"OPTIMIZE $t.branch_nothing ZORDER BY (a)", s"$t has no branch nothing", "it has audit")
      isNoBranch(s"OPTIMIZE $t.branch_nothing ZORDER BY (a) DRY RUN")
      isNoBranch(s"DESCRIBE LAYOUT $t.branch_old ON (a)", "no branch old")
      isNoBranch(s"ADVISE LAYOUT $t.branch_nothing")
      withCurrent(isNoBranch("OPTIMIZE db.t.branch_nothing ZORDER BY (a)", "ice.db.t has no branch"))
      // Neither a branch nor a table: as Spark says it.
      val e = intercept[Throwable with SparkThrowable](sql("OPTIMIZE ice.db.other.branch_audit ZORDER BY (a)"))
      assert(e.getCondition.startsWith("TABLE_OR_VIEW_NOT_FOUND"), e)
    }
  }

  private def withCurrent(body: => Unit): Unit = {
    sql("USE ice")
    try body
    finally sql("USE spark_catalog")
  }

  test("a branch that is dropped while it is rewritten does not come back") {
    withIceberg {
      branched()
      failure("ZORDER_ICEBERG_NO_BRANCH") {
        withRewrite(table, branch, Some("audit")) { rewrite =>
          rewrite.write(rewrite.input.sortWithinPartitions("a"), (_, _) => None)
          sql(s"ALTER TABLE $t DROP BRANCH audit")
          rewrite.commit(Seq(path("a")))
        }
      }
      assert(!refs.contains("audit") && !dataOnDisk.exists(_.contains("zorder-")))
    }
  }

  test("rows that are added to or deleted from the branch concurrently") {
    withIceberg {
      branched()
      val outcomes =
        Seq(s"INSERT INTO $branch SELECT id + 7000, a, b, c, at FROM $t", s"DELETE FROM $branch WHERE id < 50").map {
          theirs =>
            withRewrite(table, branch, Some("audit")) { rewrite =>
              rewrite.write(rewrite.input.sortWithinPartitions("a"), (_, _) => None)
              sql(theirs)
              rewrite.commit(Seq(path("a")))
            }
        }
      assert(outcomes.map(_.conflict.isDefined) === Seq(false, true))
      assert(sql(s"SELECT DISTINCT id FROM $branch").count() === 2950 && sql(s"SELECT * FROM $t").count() === 1000)
    }
  }
}
