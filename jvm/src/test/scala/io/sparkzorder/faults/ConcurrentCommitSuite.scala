// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.faults

import io.sparkzorder.LongSuite

import org.apache.spark.sql.QueryTest

/** Versions of a table that appear while it is z-ordered: rows and files. */
class ConcurrentCommitSuite extends QueryTest with ConcurrentWritersSession with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "rows appended before reading stay")

  private val vectors = Map("delta.enableDeletionVectors" -> "true")

  private def withEvents(properties: Map[String, String] = Map.empty, partitionBy: Seq[String] = Nil)(
      body: => Unit): Unit =
    withTable("t") {
      createTable("t", events(600), properties = properties, partitionBy = partitionBy)
      body
    }

  private def append(first: Int): Unit =
    events(100).selectExpr(s"id + $first AS id", "a", "b", "c", "day").writeTo("t").append()

  for ((point, pause) <- Seq("reading" -> (() => beforeReading), "writing" -> (() => beforeWriting))) {

    test(s"rows appended before $point stay") {
      withEvents() {
        requireSuccess(optimizingKeepsRows(pause()) {
          append(1000)
          append(2000)
        })
        assert(removed("t").size === 3)
      }
    }

    test(s"rows appended before $point to a partition that is rewritten stay") {
      withEvents(partitionBy = Seq("day")) {
        requireSuccess(optimizingKeepsRows(pause(), where = "day <= '2024-01-02'")(append(1000)))
      }
    }

    test(s"rows of other partitions deleted before $point stay deleted") {
      withEvents(partitionBy = Seq("day")) {
        requireSuccess(optimizingKeepsRows(pause(), where = "day <= '2024-01-02'") {
          sql("DELETE FROM t WHERE day = '2024-01-03'")
        })
      }
    }

    for ((kind, properties) <- Seq("files" -> Map.empty[String, String], "deletion vectors" -> vectors)) {

      test(s"rows deleted before $point stay deleted ($kind)") {
        withEvents(properties) {
          requireSuccess(optimizingKeepsRows(pause())(sql("DELETE FROM t WHERE id % 7 = 0")))
        }
      }

      test(s"rows deleted before $point in one of the partitions rewritten stay deleted ($kind)") {
        withEvents(properties, partitionBy = Seq("day")) {
          requireSuccess(
            optimizingKeepsRows(pause())(sql("DELETE FROM t WHERE id % 7 = 0 AND day = '2024-01-02'")))
          // One commit for the partitions that were left alone, and one for the other.
          assert(removed("t").map(_.partitionValues("day")).distinct === Seq("2024-01-02"))
        }
      }
    }
  }

  private val statements = Seq(
    "UPDATE t SET a = a + 1 WHERE id % 5 = 0",
    """MERGE INTO t USING (SELECT id AS key FROM range(300, 900)) ON t.id = key
      WHEN MATCHED AND key % 2 = 0 THEN UPDATE SET c = 'merged' WHEN MATCHED AND key % 3 = 0 THEN DELETE
      WHEN NOT MATCHED THEN INSERT (id, a) VALUES (key, 1)""",
    "INSERT OVERWRITE t SELECT id + 1, a, b, c, day FROM t WHERE id < 500",
    "TRUNCATE TABLE t",
    "OPTIMIZE t",
    "OPTIMIZE t ZORDER BY (c)",
    "OPTIMIZE t ZORDER BY (a, b) OPTIONS (target_file_size = '4k')"
  )

  for (statement <- statements;
    (kind, properties) <- Seq("files" -> Map.empty[String, String], "deletion vectors" -> vectors))
    test(s"concurrently ${statement.takeWhile(_ != '\n')} ($kind)") {
      withEvents(properties) {
        requireSuccess(optimizingKeepsRows(beforeWriting)(sql(statement)))
      }
    }

  test("concurrently RESTORE to an older version, and to a version that has all of the files") {
    for (version <- Seq(0, 1)) withEvents() {
      append(1000)
      requireSuccess(optimizingKeepsRows(beforeWriting)(sql(s"RESTORE t TO VERSION AS OF $version")))
    }
  }

  test("concurrently rows deleted, and restored: the files are what they were") {
    withEvents(vectors) {
      requireSuccess(optimizingKeepsRows(beforeWriting) {
        sql("DELETE FROM t WHERE id % 7 = 0")
        sql("RESTORE t TO VERSION AS OF 0")
      })
      checkAnswer(spark.table("t"), events(600))
    }
  }

  test("concurrently VACUUM: files that are not yet committed stay") {
    withEvents() {
      optimizingKeepsRows(beforeWriting)(sql("VACUUM t RETAIN 168 HOURS")).get
      requireCleanAfterVacuum("t")
    }
  }
}
