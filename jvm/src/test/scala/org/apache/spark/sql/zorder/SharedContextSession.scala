// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.zorder

import org.apache.spark.SparkConf
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.test.{SharedSparkSession, TestSparkSession}

/** A test session on the one Spark context of the JVM. */
trait SharedContextSession extends SharedSparkSession {
  override protected def createSparkSession: TestSparkSession = SharedContext.session(sparkConf)

  /** Runs `body` with another session on the same context, with settings as if it had been started with them. */
  protected def withSession[T](conf: SparkConf)(body: SparkSession => T): T = {
    val own = spark
    val other = SharedContext.session(conf)
    try other.withActive(body(other))
    finally {
      // Takes the settings back.
      SharedContext.session(sparkConf)
      SparkSession.setDefaultSession(own)
      SparkSession.setActiveSession(own)
    }
  }
}
