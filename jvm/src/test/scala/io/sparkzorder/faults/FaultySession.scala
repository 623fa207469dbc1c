// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.faults

import io.sparkzorder.DeltaSession

import org.apache.spark.{SparkConf, TaskContext}
import org.apache.spark.sql.QueryTest

/** A session on Delta tables whose files can be made to fail or to wait. */
trait FaultySession extends DeltaSession { self: QueryTest =>

  override protected def sparkConf: SparkConf = super.sparkConf
    .set("spark.hadoop.fs.file.impl", classOf[FaultyFileSystem].getName)
    // Other suites of this JVM may have left theirs in the cache, and would find ours.
    .set("spark.hadoop.fs.file.impl.disable.cache", "true")
    .set("spark.databricks.delta.retentionDurationCheck.enabled", "false")

  /** The phase of an OPTIMIZE whose job the current task belongs to. */
  protected def phase: Option[String] = for {
    task <- Option(TaskContext.get())
    description <- Option(task.getLocalProperty("spark.job.description"))
    if description.startsWith("z-order of ") || description.startsWith("compaction of ")
  } yield description.drop(description.lastIndexOf(": ") + 2)

  /** Removes what the log does not refer to; afterwards the folder must hold the log's files and nothing else. */
  protected def requireCleanAfterVacuum(table: String): Unit = {
    sql(s"VACUUM $table RETAIN 0 HOURS")
    assert(dataOnDisk(table) === filesOf(table).map(f =>
      new org.apache.hadoop.fs.Path(locationOf(table, f)).toUri.getPath).toSet)
  }
}
