// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try
import scala.util.control.NonFatal

import io.sparkzorder.format.BatchedRun
import io.sparkzorder.format.parquet.folder.TableFolder

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging

/**
 * Which run in batches is under way, as a small file that holds its number; no file means none.
 *
 * It is a hint: where it is lost or cannot be read, a statement begins again with its first batch.
 */
private[parquet] class RunRecord(folder: TableFolder) extends Logging {

  def open(statement: String): Option[BatchedRun] =
    for {
      content <- Try(folder.read(file(BatchedRun.slot(statement)))).toOption.flatten
      number <- new String(content, UTF_8).trim.toLongOption if number > 0
    } yield BatchedRun(statement, number)

  def write(mark: BatchedRun.Mark): Unit = {
    val record = file(mark.run.slot)
    try
      if (mark.finished) {
        folder.remove(record)
        folder.removeIfEmpty(runs)
      } else {
        folder.make(runs)
        folder.write(record, mark.recorded.toString.getBytes(UTF_8))
      }
    // The batch is committed.
    catch { case NonFatal(e) => logWarning(s"Could not record the run in $record", e) }
  }

  // Deeper than readers of all of the table's folders look for files.
  private val runs = new Path(folder.own, "runs")

  private def file(slot: Int): Path = new Path(runs, slot.toString)
}
