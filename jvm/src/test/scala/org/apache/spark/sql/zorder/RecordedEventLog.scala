// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.zorder

import java.io.{File, FileOutputStream, OutputStreamWriter}
import java.nio.charset.StandardCharsets

import org.apache.spark.io.CompressionCodec
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart
import org.apache.spark.util.JsonProtocol

/** An event log of some queries, as Spark's own listener writes it, without a context that has it on. */
object RecordedEventLog {

  /** Writes the events of executions that start during `body`, compressed as the name tells. */
  def during(spark: SparkSession, file: File)(body: => Unit): Unit = {
    file.getParentFile.mkdirs()
    val plain = new FileOutputStream(file)
    val codec = file.getName.split('.').tail.lastOption
    val stream = codec.fold[java.io.OutputStream](plain) { name =>
      CompressionCodec.createCodec(spark.sparkContext.getConf, name).compressedContinuousOutputStream(plain)
    }
    val writer = new OutputStreamWriter(stream, StandardCharsets.UTF_8)
    val listener = new SparkListener {
      override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
        case start: SparkListenerSQLExecutionStart => writer.write(JsonProtocol.sparkEventToJsonString(start) + "\n")
        case _ =>
      }
    }
    spark.sparkContext.addSparkListener(listener)
    try {
      body
      spark.sparkContext.listenerBus.waitUntilEmpty()
    } finally {
      spark.sparkContext.removeSparkListener(listener)
      writer.close()
    }
  }
}
