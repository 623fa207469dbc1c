// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.zorder

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.test.{SharedSparkSession, TestSparkSession}

/** A test session that tries failed tasks again. Spark's own is private, and its local master tries them once. */
trait RetryingSession extends SharedSparkSession {

  /** How often a task is tried before its job fails. */
  protected def taskAttempts: Int

  override protected def createSparkSession: TestSparkSession = {
    SharedContext.end()
    SparkSession.cleanupAnyExistingSession()
    new TestSparkSession(sparkConf, taskAttempts, 2)
  }
}
