// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import java.io.File

import org.apache.spark.sql.DataFrame

/** What tests of tables of any format need: rows, the files on disk, and a comparison of rows. */
trait Tables extends ZOrderSharedSession {

  /** Rows of several kinds of columns, and of those that a format adds, in no order; every run gives the same. */
  protected def mixedRows(rows: Int, from: Int = 0)(more: String*): DataFrame = {
    val columns = Seq(
      "id",
      "cast(pmod(xxhash64(id), 1000) as int) AS a",
      "if(id % 11 = 0, NULL, pmod(xxhash64(id, 1), 100000) / 100.0D) AS b")
    spark.range(from, from + rows, 1, 2).selectExpr(columns ++ more: _*)
  }

  /** The files in a folder and in those below it, but for what `isIn` leaves out; none where there is no folder. */
  protected def filesBelow(folder: File, isIn: File => Boolean = _ => true): Seq[File] =
    Option(folder.listFiles).toSeq.flatten.filter(isIn).flatMap { file =>
      if (file.isDirectory) filesBelow(file, isIn) else Seq(file)
    }

  /** The messages that are logged while `body` runs, warnings among them. */
  protected def warningsOf(body: => Any): Seq[String] = {
    val appender = new LogAppender("warnings")
    withLogAppender(appender)(body)
    appender.loggingEvents.map(_.getMessage.getFormattedMessage).toSeq
  }

  /** Runs `body`, which must leave each row as often as it is there; a message has the rows as `shown` has them. */
  protected def keepingCounts[A, T](counts: => Map[A, Int], shown: A => Any)(body: => T): T = {
    val before = counts
    val result = body
    val after = counts
    val differing = (before.keySet ++ after.keySet).filter(row => before.get(row) != after.get(row))
    assert(
      differing.isEmpty,
      differing.take(10).map(row => (shown(row), before.get(row), after.get(row))).mkString("\n"))
    result
  }
}
