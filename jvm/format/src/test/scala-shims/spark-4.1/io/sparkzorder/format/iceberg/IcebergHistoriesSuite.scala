// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.util.Random

import io.sparkzorder.TestRing

import org.apache.spark.sql.QueryTest

/** Random histories of a table: whatever writers did before, OPTIMIZE changes no row of it. */
class IcebergHistoriesSuite extends QueryTest with IcebergSession {

  // ZORDER_HISTORIES=1000-2000 runs others, as many as one has the hours for.
  private val histories = sys.env.get("ZORDER_HISTORIES").map(_.split('-').map(_.toInt)) match {
    case Some(Array(first, end)) => first until end
    case _ => if (TestRing.isLong) 0 until 60 else 0 until 4
  }

  private def step(random: Random, next: Int): Unit = {
    def one[T](of: T*): T = of(random.nextInt(of.size))
    random.nextInt(10) match {
      case 0 | 1 =>
        samples(
          50 + random.nextInt(100),
          next * 1000).selectExpr("id", "a", "b", "c", "at").createOrReplaceTempView("more")
        val columns = sql(s"SELECT * FROM $t LIMIT 0").columns
        val known = Set("id", "a", "b", "c", "at")
        val values = columns.map(c => if (known(c)) c else s"CAST(id AS INT) AS $c")
        sql(s"INSERT INTO $t SELECT ${values.mkString(", ")} FROM more")
      case 2 =>
        sql(s"ALTER TABLE $t SET TBLPROPERTIES ('write.delete.mode' = '${one("merge-on-read", "copy-on-write")}')")
      case 3 => sql(s"DELETE FROM $t WHERE id % ${3 + random.nextInt(20)} = 0")
      case 4 => sql(s"UPDATE $t SET a = a + 1 WHERE id % ${3 + random.nextInt(20)} = 1")
      case 5 => sql(s"ALTER TABLE $t ADD COLUMN z${next}_${random.nextInt(1000000)} INT")
      case 6 =>
        val (set, other) = one(("c", "days(at)"), ("days(at)", "c"), ("bucket(3, id)", "truncate(5, c)"))
        for (change <- Seq(s"ADD PARTITION FIELD $set", s"DROP PARTITION FIELD $other"))
          scala.util.Try(sql(s"ALTER TABLE $t $change"))
      case 7 =>
        val (first, every) = (random.nextInt(300), 2 + random.nextInt(9))
        sql(s"MERGE INTO $t t USING (SELECT id + $first AS k, id AS n FROM range(40)) s ON t.id = s.k " +
          s"WHEN MATCHED AND n % $every = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET a = -n, c = 'merged' " +
          s"WHEN NOT MATCHED AND n % $every <> 1 THEN INSERT (id, a) VALUES (k, n)")
      case 8 if table.spec.isUnpartitioned =>
        EqualityDeletes.of(table, "id", Seq.fill(6)(random.nextInt(400).toLong): _*)
        sql(s"REFRESH TABLE $t")
      case _ =>
        sql("CALL ice.system.rewrite_data_files(table => 'db.t', strategy => 'sort', sort_order => 'a', " +
          "options => map('min-input-files', '2'))").collect()
    }
  }

  /** In full, or incrementally: then files with few deleted rows stay, and there is nothing left to do. */
  private def optimize(random: Random): Unit = {
    val columns = if (random.nextInt(4) == 0) "b, id" else "a, b"
    val number = 1 + random.nextInt(6)
    if (random.nextInt(3) == 0) {
      keepingAll(cluster(columns, number))
      assert(tasks.forall(_.deletes.isEmpty))
    } else {
      def incrementally() = keepingAll(cluster(columns, number, options = ", mode = 'incremental'"))
      incrementally()
      val now = current.snapshotId
      assert(incrementally().getString(3).contains("Nothing to do") && current.snapshotId === now)
    }
  }

  /** The same of a branch, after steps on it. The main branch stays as it is. */
  private def optimizeBranch(random: Random, next: Int): Unit = {
    val branch = s"$t.branch_side"
    sql(s"ALTER TABLE $t CREATE BRANCH IF NOT EXISTS side")
    val before = (current.snapshotId, rows(sql(s"SELECT * FROM $t")))
    for (_ <- 0 to random.nextInt(3)) random.nextInt(3) match {
      case 0 => sql(s"INSERT INTO $branch SELECT * FROM $t WHERE id % 7 = ${random.nextInt(7)}")
      case 1 => sql(s"DELETE FROM $branch WHERE id % ${3 + random.nextInt(20)} = 0")
      case 2 => sql(s"UPDATE $branch SET a = a + $next WHERE id % ${3 + random.nextInt(20)} = 1")
    }
    val of = rows(sql(s"SELECT * FROM $branch"))
    val mode = if (random.nextBoolean()) "full" else "incremental"
    for (_ <- 0 to 1)
      sql(
        s"OPTIMIZE $branch ZORDER BY (a, b) OPTIONS (target_file_size = '${2000 + random.nextInt(20000)}', mode = '$mode')")
    sql(s"REFRESH TABLE $t")
    assert(rows(sql(s"SELECT * FROM $branch")) === of)
    assert((current.snapshotId, rows(sql(s"SELECT * FROM $t"))) === before)
  }

  for (number <- histories) test(s"history $number") {
    val random = new Random(number)
    withIceberg {
      create(
        samples(300),
        version = 2 + number % 2,
        properties =
          "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read', 'write.merge.mode' = 'merge-on-read'"
      )
      for (next <- 1 to 4) {
        (0 to random.nextInt(3)).foreach(_ => step(random, next))
        sql(s"REFRESH TABLE $t")
        val ids =
          if (number % 2 == 1) Some(rows(sql(s"SELECT id, _row_id, _last_updated_sequence_number FROM $t"))) else None
        optimize(random)
        if (random.nextInt(3) == 0) optimizeBranch(random, next)
        ids.foreach(before =>
          assert(rows(sql(s"SELECT id, _row_id, _last_updated_sequence_number FROM $t")) === before))
        assert(files.forall(_.specId == table.spec.specId))
      }
    }
  }
}
