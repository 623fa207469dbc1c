// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.util.Random

import io.sparkzorder.format.iceberg.scan.PrunedQueries
import io.sparkzorder.skipping.scan.IndexedScanExec

import org.apache.spark.sql.{QueryTest, Row}

/** Queries by chance, answered once more from the rows of the whole table. */
trait RandomQuestions extends PrunedQueries { self: QueryTest =>

  /** Numbers of a question's rows, and files that its scan has left out. */
  protected final case class Answer(values: Seq[Any], expected: Seq[Any], filesLeftOut: Long)

  /** Rows by a filter, or the first ones. @param all of the table, with their number */
  protected def answer(random: Random, all: Map[Row, Int]): Answer = {
    val (condition, holds) = filter(random)
    val rows = all.toSeq.flatMap { case (row, count) => Seq.fill(count)(row) }.filter(holds)
    if (random.nextBoolean()) asked(s"SELECT id FROM $t WHERE $condition ORDER BY id", rows.map(id).sorted)
    else {
      val count = 1 + random.nextInt(20)
      val (descending, nulls) = (random.nextBoolean(), random.nextBoolean())
      val order = s"a ${if (descending) "DESC" else "ASC"} NULLS ${if (nulls) "FIRST" else "LAST"}"
      val (filled, without) = rows.map(_.getAs[Any]("a")).partition(_ != null)
      val sorted = filled.map(_.asInstanceOf[Int]).sorted
      val ordered: Seq[Any] = if (descending) sorted.reverse else sorted
      val expected = if (nulls) without ++ ordered else ordered ++ without
      asked(s"SELECT a FROM $t WHERE $condition ORDER BY $order LIMIT $count", expected.take(count))
    }
  }

  private def id(row: Row): Long = row.getAs[Long]("id")

  private def filter(random: Random): (String, Row => Boolean) = {
    val from = random.nextInt(1000)
    val to = from + random.nextInt(300)
    def between(value: Any) = value match {
      case null => false
      case n: Number => n.doubleValue >= from && n.doubleValue <= to
    }
    random.nextInt(5) match {
      case 0 => (s"a BETWEEN $from AND $to", row => between(row.getAs[Any]("a")))
      case 1 => (s"b BETWEEN $from AND $to", row => between(row.getAs[Any]("b")))
      case 2 => (s"id BETWEEN $from AND $to", row => between(row.getAs[Any]("id")))
      case 3 => (s"c = 'user-${from % 50}'", _.getAs[String]("c") == s"user-${from % 50}")
      case 4 => ("true", _ => true)
    }
  }

  private def asked(query: String, expected: Seq[Any]): Answer = {
    val data = sql(query)
    val found = data.collect().toSeq.map(_.get(0))
    val plan = data.queryExecution.executedPlan
    Answer(found, expected, Seq(IndexedScanExec.FilesPruned, "skippedDataFiles").map(prunedBy(_, plan)).sum)
  }
}
