// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

/** A stream of rows in memory, where Spark 4.1 and 4.2 have it. */
object StreamsOfTests {
  val MemoryStream: org.apache.spark.sql.execution.streaming.runtime.MemoryStream.type =
    org.apache.spark.sql.execution.streaming.runtime.MemoryStream
}
