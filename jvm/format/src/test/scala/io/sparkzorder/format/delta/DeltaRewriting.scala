// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.DeltaSession
import io.sparkzorder.column.ColumnPath
import io.sparkzorder.format.CommitOutcome

import org.apache.spark.sql.QueryTest

/** Rewrites of Delta tables that pause before they commit. */
trait DeltaRewriting extends DeltaSession { self: QueryTest =>

  protected val columns = Seq(ColumnPath(Seq("a")))

  /** Rewrites the files that `where` chooses, while `concurrently` runs between the write and the commit. */
  protected def rewriting(table: String, where: Option[String] = None)(concurrently: => Unit): CommitOutcome = {
    val current = new DeltaSnapshot(table, spark, snapshot(table), None, isOld = false)
    val predicate = where.map { text =>
      val resolved = spark.table(table).where(text).queryExecution.analyzed
      resolved.expressions.head
    }
    val files = current.files(predicate)
    val rewrite = current.rewrite(files, predicate, columns)
    rewrite.write(rewrite.input.sortWithinPartitions("a"), (_, _) => None)
    concurrently
    rewrite.commit(columns)
  }
}
