// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import scala.util.{Random, Try}

import io.sparkzorder.LongTest
import io.sparkzorder.{TestRing, ZOrderSharedSession}
import io.sparkzorder.skipping.predicate.{BoundsResolver, FirstRows, RandomColumn, RandomPredicates, RandomTable}

import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.catalyst.expressions._

/** The first rows of random tables are the same in the files that are read, and many others are not read. */
class RandomFirstRowsSuite extends QueryTest with ZOrderSharedSession {

  private val tables = TestRing.cases(short = 500, long = 1500)

  test("random orders, limits and conditions over random tables", LongTest) {
    val random = new Random(20261126)
    var (files, read) = (0, 0)
    for (_ <- 1 to tables; _ <- 1 to 5) {
      val table = new RandomTable(random)
      val columns = table.columns.filter(c => BoundsResolver.hasOrder(c.dataType))
      if (columns.nonEmpty) {
        val first = drawn(random, table, columns(random.nextInt(columns.size)))
        val changed = table.files.indices.filter(_ => random.nextInt(20) == 0).toSet
        val kept = readBy(table, Seq(first), changed)
        requireSame(table, first, kept)
        if (random.nextInt(3) == 0) {
          val second = drawn(random, table, columns(random.nextInt(columns.size)))
          val both = readBy(table, Seq(first, second), changed)
          Seq(first, second).foreach(requireSame(table, _, both))
        }
        if (first.conditions.isEmpty) {
          files += kept.size
          read += kept.count(identity)
        }
      }
    }
    info(s"$read of $files files")
    assert(read < files * 0.85)
  }

  private def drawn(random: Random, table: RandomTable, column: RandomColumn): FirstRows = {
    val nulls = Seq(FirstRows.First, FirstRows.Last, FirstRows.Ignored)(random.nextInt(3))
    val conditions = Seq.fill((random.nextInt(4) - 1).max(0))(new RandomPredicates(table, random).next()._2)
    val limit = if (nulls == FirstRows.Ignored) 1L else 1L + random.nextInt(8)
    FirstRows(column.expression, random.nextBoolean(), nulls, limit, conditions)
  }

  private def readBy(table: RandomTable, needed: Seq[FirstRows], changed: Set[Int]): Seq[Boolean] = {
    val listed = table.files.indices.map { number =>
      val isUnknown = changed(number) && number % 2 == 0
      Option.when(!isUnknown)(KnownFile(table.index, number, () => !changed(number)))
    }
    new NeededFiles(needed, Set.empty).of(listed)
  }

  private def requireSame(table: RandomTable, first: FirstRows, kept: Seq[Boolean]): Unit = {
    val key = BindReferences.bindReference(first.key, table.attributes)
    val conditions = first.conditions.map(BindReferences.bindReference(_, table.attributes))
    def keys(files: Seq[Int]): Seq[Any] = {
      val rows = files.flatMap(table.files(_)).filter(row => conditions.forall(_.eval(row) == true))
      rows.map(
        key.eval).filter(k => first.nulls != FirstRows.Ignored || k != null).sorted(first.order).take(first.limit.toInt)
    }
    // A condition that fails on a row ends the query, whichever files it reads.
    for (all <- Try(keys(table.files.indices))) {
      val some = keys(table.files.indices.filter(kept))
      assert(
        all.size == some.size && all.zip(some).forall { case (a, b) => first.order.equiv(a, b) },
        s"$first: ${all.mkString(", ")} but ${some.mkString(", ")}")
    }
  }
}
