// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

/** A stream of rows in memory, where Spark 4.0 has it. */
object StreamsOfTests {
  val MemoryStream: org.apache.spark.sql.execution.streaming.MemoryStream.type =
    org.apache.spark.sql.execution.streaming.MemoryStream
}
