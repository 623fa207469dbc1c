package io.sparkzorder.format.parquet

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try

import io.sparkzorder.format.BatchedRun

import org.apache.hadoop.fs.Path

/**
 * Which run in batches is under way, as a small file that holds its number; no file means none.
 *
 * It is a hint: where it is lost or cannot be read, a statement begins again with its first batch.
 */
private[parquet] class RunRecord(folder: TableFolder) {

  def open(statement: String): Option[BatchedRun] =
    for {
      content <- Try(folder.read(file(BatchedRun.slot(statement)))).toOption.flatten
      number <- new String(content, UTF_8).trim.toLongOption if number > 0
    } yield BatchedRun(statement, number)

  def write(mark: BatchedRun.Mark): Unit = {
    val record = file(mark.run.slot)
    if (mark.finished) folder.fs.delete(record, false)
    else folder.overwrite(record, mark.recorded.toString.getBytes(UTF_8))
  }

  private def file(slot: Int): Path = new Path(folder.own, s"run-$slot")
}
