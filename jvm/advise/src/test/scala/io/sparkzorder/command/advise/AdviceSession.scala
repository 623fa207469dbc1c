// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.DeltaSession

import org.apache.spark.sql.{QueryTest, Row}

/** A table to be advised on, and what its tests read of the advice. */
trait AdviceSession extends DeltaSession { self: QueryTest =>

  /** `a`, `b` and `c` as of [[events]], in files of about 1,000 rows. */
  protected def withEvents(body: => Unit): Unit = withTable("t") {
    createTable("t", events(8000), files = 8)
    body
  }

  /** The option by which the table has about so many files. */
  protected def targetSize(files: Int): String = s"target_file_size = '${bytesOf("t") / files}'"

  protected def advice(rest: String, table: String = "t"): Seq[Row] = sql(s"ADVISE LAYOUT $table $rest").collect().toSeq

  protected def columns(row: Row): Seq[String] = row.getAs[scala.collection.Seq[String]]("columns").toSeq

  protected def warnings(row: Row): Seq[String] = row.getAs[scala.collection.Seq[String]]("warnings").toSeq
}
