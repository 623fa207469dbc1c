// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import scala.collection.mutable
import scala.util.{Random, Try}

import io.sparkzorder.{TestRing, ZOrderSharedSession}

import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.catalyst.expressions._

/** No file with a row that satisfies a predicate is ever left out, and many of the others are. */
class RandomPredicatesSuite extends QueryTest with ZOrderSharedSession {

  private val tables = TestRing.cases(short = 500, long = 2000)
  private val predicatesEach = 15
  // Fewer say nothing of a share.
  private val filesOfKind = TestRing.cases(short = 20, long = 100)

  test("random predicates over random tables, 30,000 in the long ring") {
    val random = new Random(20260101)
    // By kind: files without a row that satisfies the predicate, and those of them that were left out.
    val figures = mutable.TreeMap.empty[String, (Int, Int)].withDefaultValue((0, 0))
    // Numbers that do not fit fail, or become others.
    for (i <- 1 to tables) withSQLConf("spark.sql.ansi.enabled" -> (i % 2 == 0).toString) {
      val table = new RandomTable(random)
      val predicates = new RandomPredicates(table, random)
      for (_ <- 1 to predicatesEach) {
        val (kind, predicate) = predicates.next()
        val test = FilePredicate(Seq(predicate), table.index)
        val bound = BindReferences.bindReference(predicate, table.attributes)
        for ((rows, file) <- table.files.zipWithIndex) {
          val kept = test.forall(_.mayMatch(file))
          // A row on which the query would fail is as good as none.
          if (rows.exists(row => Try(bound.eval(row)).toOption.contains(true)))
            assert(kept, s"$predicate lost rows of ${rows.mkString("; ")}")
          else {
            val (without, filesToExclude) = figures(kind)
            figures(kind) = (without + 1, filesToExclude + (if (kept) 0 else 1))
          }
        }
      }
    }
    info(figures.map { case (kind, (without, filesToExclude)) => s"$kind $filesToExclude/$without" }.mkString(", "))
    for ((kind, share) <- RandomPredicatesSuite.expected) {
      val (without, filesToExclude) = figures(kind)
      assert(without > filesOfKind && filesToExclude > without * share, s"$kind: $filesToExclude of $without")
    }
  }
}

object RandomPredicatesSuite {

  /** The least share of files without such rows that each kind of predicate leaves out. */
  private val expected: Map[String, Double] = Map(
    "comparison" -> 0.5,
    "cast kept" -> 0.5,
    "in" -> 0.5,
    "in set" -> 0.3,
    "is null" -> 0.5,
    "is nan" -> 0.5,
    "boolean" -> 0.5,
    "columns" -> 0.3,
    "starts with" -> 0.5,
    "like" -> 0.5,
    "literal" -> 0.9,
    "time" -> 0.3,
    "date" -> 0.3,
    "substring" -> 0.3,
    "linear" -> 0.2,
    "floor" -> 0.3,
    "coalesce" -> 0.3,
    "combined" -> 0.3
  )
}
