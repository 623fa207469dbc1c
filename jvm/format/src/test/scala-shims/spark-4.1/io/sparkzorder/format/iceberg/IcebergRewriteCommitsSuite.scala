// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import io.sparkzorder.format.iceberg.FailingCatalog._

import org.apache.iceberg.spark.FileRewriteCoordinator
import org.apache.spark.SparkConf
import org.apache.spark.sql.QueryTest

/** What Iceberg's tests of a rewrite promise of commits that fail. */
class IcebergRewriteCommitsSuite extends QueryTest with IcebergPromises {

  override protected def sparkConf: SparkConf = super.sparkConf
    .set("spark.sql.catalog.failing", "org.apache.iceberg.spark.SparkCatalog")
    .set("spark.sql.catalog.failing.catalog-impl", classOf[FailingCatalog].getName)
    .set("spark.sql.catalog.failing.warehouse", warehouseUri)

  /** The statement through the catalog that answers so; `condition` empty where the statement is to succeed. */
  private def answered(clauses: String, condition: String, answers: Answer*): Unit = {
    FailingCatalog.answers.clear()
    FailingCatalog.answers ++= answers
    val statement = s"OPTIMIZE failing.db.t $clauses"
    keepingAll {
      sql("REFRESH TABLE failing.db.t")
      if (condition.isEmpty) sql(statement).collect()
      else failure(condition)(sql(statement).collect())
    }
    FailingCatalog.answers.clear()
    assert(FileRewriteCoordinator.get.fetchSetIds(table).isEmpty)
  }

  test("a commit that is refused is tried again on what is there, and at last leaves nothing") {
    withIceberg {
      inPartitions()
      val before = (snapshots, dataOnDisk)
      answered("ZORDER BY (a, c)", "ZORDER_ICEBERG_CONFLICT", Seq.fill(20)(Refuse): _*)
      assert((snapshots, dataOnDisk) === before && orphans.isEmpty)
      answered("ZORDER BY (a, c)", "", Refuse, Refuse)
      assert(snapshots === 2 && files.size === 4 && orphans.isEmpty)
    }
  }

  test("a commit that fails in a way that tells nothing leaves files, which Iceberg finds") {
    withIceberg {
      inPartitions()
      val before = (snapshots, dataOnDisk)
      answered("ZORDER BY (a, c)", "ZORDER_ICEBERG_COMMIT_UNKNOWN", Break)
      assert(snapshots === before._1 && (before._2 -- dataOnDisk).isEmpty)
      val left = orphans.filter(_.contains("/data/"))
      assert(left.size === 4 && left.forall(_.contains("zorder-")))
      optimize("ZORDER BY (a, c)")
    }
  }

  test("a commit that was taken, refused and expired keeps its files, though Iceberg deletes a manifest") {
    withIceberg {
      inPartitions()
      val before = dataOnDisk
      val others = TakeAndRefuse { () =>
        sql(s"REFRESH TABLE $t")
        append(sql(s"SELECT * FROM $t LIMIT 0"))
        val expired = "older_than => TIMESTAMP '2999-01-01', retain_last => 1, clean_expired_metadata => true"
        sql(s"CALL ice.system.expire_snapshots(table => 'db.t', $expired)").collect()
      }
      FailingCatalog.answers += others
      sql("REFRESH TABLE failing.db.t")
      failure("ZORDER_ICEBERG_COMMIT_UNKNOWN")(sql("OPTIMIZE failing.db.t ZORDER BY (a, c)").collect())
      assert((dataOnDisk -- before).size === 4 && snapshots === 1)
    }
  }

  test("what fails before the catalog is asked leaves nothing") {
    withIceberg {
      inPartitions()
      val before = (snapshots, dataOnDisk)
      FailingCatalog.isFull = true
      try {
        sql("REFRESH TABLE failing.db.t")
        failure("ZORDER_ICEBERG_COMMIT_FAILED", "no space left")(
          sql("OPTIMIZE failing.db.t ZORDER BY (a, c)").collect())
      } finally FailingCatalog.isFull = false
      assert((snapshots, dataOnDisk) === before && orphans.isEmpty)
      answered("ZORDER BY (a, c)", "")
    }
  }

  test("a commit that was taken and not answered is there, and the statement is done") {
    withIceberg {
      inPartitions()
      answered("ZORDER BY (a, c)", "", TakeWithoutAnswer)
      assert(snapshots === 2 && files.size === 4 && orphans.isEmpty)
    }
  }

  for (answer <- Seq(Forbid, Reject))
    test(s"a commit that the catalog does not want is not tried again, and leaves nothing: $answer") {
      withIceberg {
        inPartitions()
        val before = (snapshots, dataOnDisk)
        FailingCatalog.asked = 0
        answered("ZORDER BY (a, c)", "ZORDER_ICEBERG_COMMIT_REFUSED", answer)
        assert(FailingCatalog.asked === 1 && (snapshots, dataOnDisk) === before && orphans.isEmpty)
      }
    }

  test("a table that is dropped between two batches") {
    withIceberg {
      inPartitions()
      sql("REFRESH TABLE failing.db.t")
      FailingCatalog.answers ++= Seq(TakeBefore(() => sql(s"DROP TABLE $t"): Unit))
      failure("ZORDER_TABLE_CHANGED")(sql(s"OPTIMIZE failing.db.t ${inBatches(1)}").collect())
    }
  }

  test("a commit that the catalog has taken and then forbids leaves all files, and what it was before can be had") {
    withIceberg {
      inPartitions()
      sql("REFRESH TABLE failing.db.t")
      val (rows, before) = (sql("SELECT * FROM failing.db.t").collect().toSeq, dataOnDisk)
      FailingCatalog.answers ++= Seq(TakeAndForbid)
      failure("ZORDER_ICEBERG_COMMIT_UNKNOWN")(sql("OPTIMIZE failing.db.t ZORDER BY (a, c)").collect())
      FailingCatalog.answers.clear()
      // Iceberg has deleted the new snapshot's manifests, as of a commit that was not taken; none of the data.
      val left = dataOnDisk
      assert((before -- left).isEmpty && (left -- before).exists(_.contains("zorder-")))
      val first = sql("SELECT snapshot_id FROM failing.db.t.snapshots ORDER BY committed_at LIMIT 1").head().getLong(0)
      sql(s"CALL failing.system.rollback_to_snapshot('db.t', $first)")
      checkAnswer(sql("SELECT * FROM failing.db.t"), rows)
    }
  }

  test("a batch whose commit is refused is tried again, and batches before it stay where it is refused for good") {
    withIceberg {
      inPartitions()
      answered(inBatches(1), "", Take, Refuse, Take)
      assert(snapshots === 5 && files.size === 4 && orphans.isEmpty)
      answered(inBatches(1), "ZORDER_ICEBERG_CONFLICT", Take +: Seq.fill(20)(Refuse): _*)
      assert(snapshots === 6 && orphans.isEmpty)
      // The same statement goes on with the other three.
      answered(inBatches(1), "")
      assert(snapshots === 9 && orphans.isEmpty)
    }
  }
}
