// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.bench

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import io.sparkzorder.parquet.encoder.EncodedWriterFactory

import org.apache.hadoop.mapreduce.{Job, TaskAttemptContext, TaskAttemptID}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.OutputWriterFactory
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.StructType
import org.openjdk.jmh.annotations._

/**
 * Writes one file of 156,250 rows and 11 columns, by Spark's writer or by the encoder. OPTIMIZE of ten million events writes 64
 * of them.
 */
@OutputTimeUnit(TimeUnit.MILLISECONDS)
class EncoderBenchmark extends KernelBenchmark {

  @Param(Array("spark", "encoder"))
  var writer: String = _

  @Param(Array("snappy", "zstd"))
  var codec: String = _

  private var rows: Array[InternalRow] = _
  private var schema: StructType = _
  private var factory: OutputWriterFactory = _
  private var context: TaskAttemptContext = _
  private var file: Path = _

  @Setup
  def prepare(): Unit = {
    val session = SparkSession.builder()
      .master("local[1]")
      .config("spark.ui.enabled", "false")
      // As OPTIMIZE and Delta write them.
      .config("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
      .getOrCreate()
    val events = session.range(0, 156250, 1, 1).selectExpr(
      "id",
      "pmod(xxhash64(id), 100000) AS user",
      "timestamp_micros(1700000000000000 + id * 1000003) AS ts",
      "concat('country-', pmod(hash(id), 200)) AS country",
      "round(pmod(hash(id, 1), 100000) / 100.0, 2) AS price",
      "cast(pmod(hash(id, 2), 50) AS INT) AS quantity",
      "if(id % 10 = 0, NULL, concat('https://example.com/', sha1(cast(id AS STRING)))) AS url",
      "cast(rand(7) AS FLOAT) AS score",
      "cast(pmod(hash(id, 3), 1000000) / 100 AS DECIMAL(12, 2)) AS paid",
      "date_add(DATE'2024-01-01', cast(id % 300 AS INT)) AS day",
      "id % 3 = 0 AS mobile"
    )
    schema = events.schema
    rows = events.queryExecution.executedPlan.executeCollect()
    val options = Map("compression" -> codec)
    val job = Job.getInstance(session.sessionState.newHadoopConfWithOptions(options))
    val spark = new ParquetFileFormat().prepareWrite(session, job, options, schema)
    factory = if (writer == "spark") spark else new EncodedWriterFactory(spark, shreds = false)
    context = new TaskAttemptContextImpl(job.getConfiguration, new TaskAttemptID)
    file = Files.createTempDirectory("encoder").resolve("file.parquet")
  }

  @Benchmark
  def write(): Long = {
    Files.deleteIfExists(file)
    val out = factory.newInstance(file.toString, schema, context)
    rows.foreach(out.write)
    out.close()
    Files.size(file)
  }
}
