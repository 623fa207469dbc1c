// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import java.io.File
import java.nio.file.{Files, Paths}
import java.util.Base64

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.{NanoTime, SimpleGroupFactory}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.parquet.hadoop.util.{HadoopInputFile, HadoopOutputFile}
import org.apache.parquet.schema.{MessageType, MessageTypeParser}
import org.apache.spark.sql.types.StructType

/** Files as programs other than Spark write them. */
object FilesOfOtherWriters {

  /** The key of Spark's metadata, which other writers copy. */
  val SparkSchema = "org.apache.spark.sql.parquet.row.metadata"

  /**
   * @param columns
   *   of the schema, as `optional int32 a = 1; optional binary b (STRING);`, where 1 is a field id
   * @param rows
   *   sets the values of one row each
   */
  def write(path: String, columns: String, keyValues: Map[String, String] = Map.empty)(rows: (Group => Unit)*): Unit = {
    val schema: MessageType = MessageTypeParser.parseMessageType(s"message m { $columns }")
    val writer = ExampleParquetWriter
      .builder(HadoopOutputFile.fromPath(new Path(path), new Configuration()))
      .withType(schema)
      .withExtraMetaData(keyValues.asJava)
      .build()
    val groups = new SimpleGroupFactory(schema)
    try rows.foreach { fill =>
        val row = groups.newGroup()
        fill(row)
        writer.write(row)
      }
    finally writer.close()
  }

  /** A file of an empty frame, by pyarrow 26: columns `a` of INT32 and `t` of INT96, and one row group of no rows. */
  def writeEmptyFrame(path: String): Unit =
    Files.write(Paths.get(path), Base64.getDecoder.decode(EmptyFrame)): Unit

  private val EmptyFrame =
    "UEFSMRUEGTw1ABgGc2NoZW1hFQQAFQIlAhgBYQAVBiUCGAF0ABYAGRwZLCYAHBUCGRUGGRgBYRUAFgAWABYAJgBJDAAAJgAcFQYZ" +
      "FQYZGAF0FQAWABYAFgAmAEkMAAAWABYAJgAWAAAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGSwcAAAcAAAAjwAA" +
      "AFBBUjE="

  /** Rows with a value in one INT column. */
  def ints(column: String, values: Range): Seq[Group => Unit] =
    values.map { v => (row: Group) => row.add(column, v); () }

  def noted(schema: StructType): Map[String, String] = Map(SparkSchema -> schema.json)

  /** An INT96 timestamp of 2020-01-01, so many nanoseconds after midnight. */
  def nanos(ofDay: Long): NanoTime = new NanoTime(2458850, ofDay)

  def meta(file: File): FileMetaData = {
    val conf = new Configuration()
    val path = new Path(file.getPath)
    val input = HadoopInputFile.fromPath(path, conf)
    val reader = ParquetFileReader.open(input, HadoopReadOptions.builder(conf, path).build())
    try reader.getFooter.getFileMetaData
    finally reader.close()
  }
}
