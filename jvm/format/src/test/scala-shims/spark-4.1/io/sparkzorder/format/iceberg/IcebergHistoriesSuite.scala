// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.collection.mutable
import scala.util.Random

import io.sparkzorder.{QuickHadoop, TestRing}

import org.apache.spark.SparkConf
import org.apache.spark.sql.{QueryTest, Row}

/** Random histories of a table: whatever writers did before and concurrently, OPTIMIZE changes no row of it. */
class IcebergHistoriesSuite extends QueryTest with RandomChanges with RandomQuestions with QuickHadoop {

  // ZORDER_HISTORIES=1000-2000 runs others, as many as one has the hours for. For a few hundred the optimizing compiler takes
  // more than it gives back: -XX:TieredStopAtLevel=1.
  private val histories = sys.env.get("ZORDER_HISTORIES").map(_.split('-').map(_.toInt)) match {
    case Some(Array(first, end)) => first until end
    case _ => if (TestRing.isLong) 0 until 60 else 0 until 4
  }

  override protected def sparkConf: SparkConf = super.sparkConf
    .remove("spark.sql.catalog.ice.type")
    .set("spark.sql.catalog.ice.catalog-impl", classOf[FailingCatalog].getName)

  /** What has happened in a history, and in how many of all. */
  private val seen = mutable.Set.empty[String]
  private val counts = mutable.TreeMap.empty[String, Int].withDefaultValue(0)

  private var done = 0

  private def note(what: String, happened: Boolean): Unit = if (happened) seen += what

  /** All rows, with their numbers where the format has them. */
  private def all(of: String, lineage: Boolean): Map[Row, Int] = {
    val more = if (lineage) ", _row_id, _last_updated_sequence_number" else ""
    rows(sql(s"SELECT *$more FROM $of"))
  }

  private def assertSame(found: Map[Row, Int], expected: Map[Row, Int]): Unit =
    assert((found.keySet ++ expected.keySet).filter(r => found.get(r) != expected.get(r)).take(5) === Set.empty)

  /** In full, or incrementally: then files with few deleted rows stay, and there is nothing left to do. */
  private def optimize(random: Random, next: Int, lineage: Boolean): Unit = {
    val columns = if (random.nextInt(4) == 0) "b, id" else "a, b"
    val (number, isFull) = (1 + random.nextInt(6), random.nextInt(3) == 0)
    val mode = if (isFull) "full" else "incremental"
    val size = sizeOf(number)
    def cluster() =
      sql(s"OPTIMIZE $t ZORDER BY ($columns) OPTIONS (target_file_size = '$size', mode = '$mode')").head().getString(3)
    val before = all(t, lineage)
    val (filesBefore, from) = (tasks, current.snapshotId)
    note("deleted rows", filesBefore.exists(!_.deletes.isEmpty))
    note("files of several specs", filesBefore.map(_.file.specId).distinct.size > 1)

    var theirs = Option.empty[Long]
    if (random.nextInt(4) == 0) FailingCatalog.answers += FailingCatalog.Concurrently { () =>
      changeOfRows(random, next + 10)
      theirs = Some(current.snapshotId).filter(_ != from)
    }
    val said = cluster()
    FailingCatalog.answers.clear()
    sql(s"REFRESH TABLE $t")
    val after = all(t, lineage)
    assertSame(after, theirs.fold(before)(id => all(s"$t VERSION AS OF $id", lineage)))
    // A file of an older spec that has no live row is in no partition, and stays.
    val withRows = tasks.filter(_.file.specId == table.spec.specId)
    if (isFull && theirs.isEmpty) assert(withRows.forall(_.deletes.isEmpty))

    val rewritten = current.snapshotId != theirs.getOrElse(from)
    val stayed = filesBefore.map(_.file.location).toSet.intersect(files.map(_.location).toSet)
    note("rewrite", rewritten)
    note("rewrite of some files", rewritten && stayed.nonEmpty)
    note("concurrent change", theirs.nonEmpty)
    if (!isFull && theirs.isEmpty) {
      val now = current.snapshotId
      val again = cluster()
      assert(again.contains("Nothing to do"), s"after $said")
      assert(current.snapshotId === now)
    }
    if (random.nextBoolean()) {
      val Answer(values, expected, filesLeftOut) = answer(random, after)
      assert(values === expected)
      note("files left out", filesLeftOut > 0)
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
    val size = 2000 + random.nextInt(20000)
    for (_ <- 0 to 1)
      sql(s"OPTIMIZE $branch ZORDER BY (a, b) OPTIONS (target_file_size = '$size', mode = '$mode')")
    sql(s"REFRESH TABLE $t")
    assertSame(rows(sql(s"SELECT * FROM $branch")), of)
    assert((current.snapshotId, rows(sql(s"SELECT * FROM $t"))) === before)
    note("branch", happened = true)
  }

  for (number <- histories) test(s"history $number") {
    val random = new Random(number)
    val lineage = number % 2 == 1
    seen.clear()
    withSQLConf(randomSettings(random): _*)(withIceberg {
      createAny(random, version = 2 + number % 2)
      for (next <- 1 to 4) {
        (0 to random.nextInt(3)).foreach(_ => change(random, next))
        sql(s"REFRESH TABLE $t")
        optimize(random, next, lineage)
        if (random.nextInt(3) == 0) optimizeBranch(random, next)
        assert(sql(s"SELECT * FROM $t WHERE _spec_id <> ${table.spec.specId}").count() === 0)
      }
      note("changed schema", table.schemas.size > 1)
      note("several specs", table.specs.size > 1)
    })
    seen.foreach(counts(_) += 1)
    done += 1
    if (done % 20 == 0 || number == histories.last) info(s"of $done histories: ${counts.mkString(", ")}")
  }
}
