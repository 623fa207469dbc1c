// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import org.apache.hadoop.conf.Configuration
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.{FileFormat, FileFormatWriter}

/** Spark's own writer of Parquet files, on every patch of the minor: 4.2.1 gave it a parameter more than 4.2.0 has. */
private[parquet] object SparkFileWriter {

  private lazy val writer = new CompatibleMethod(
    FileFormatWriter,
    "write",
    classOf[ClassicSession],
    classOf[SparkPlan],
    classOf[FileFormat],
    classOf[FileCommitProtocol],
    classOf[FileFormatWriter.OutputSpec],
    classOf[Configuration],
    classOf[Seq[_]],
    classOf[Option[_]],
    classOf[Seq[_]],
    classOf[Map[_, _]]
  )

  /**
   * Runs the plan and writes its rows.
   *
   * @param target
   *   the folder in which files and folders of partitions are made
   * @param settings
   *   further settings of Hadoop
   */
  def write(
      session: SparkSession,
      plan: SparkPlan,
      format: FileFormat,
      committer: FileCommitProtocol,
      target: String,
      partitionColumns: Seq[Attribute],
      options: Map[String, String],
      settings: Map[String, String] = Map.empty): Unit = {
    val conf = session.sessionState.newHadoopConfWithOptions(options)
    settings.foreach { case (key, value) => conf.set(key, value) }
    writer(
      session,
      plan,
      format,
      committer,
      FileFormatWriter.OutputSpec(target, Map.empty, plan.output),
      conf,
      partitionColumns,
      // No buckets, and nobody who keeps count of what is written.
      None,
      Nil,
      options
    )
  }
}
