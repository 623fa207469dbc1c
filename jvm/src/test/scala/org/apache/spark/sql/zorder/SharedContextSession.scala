// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.zorder

import org.apache.spark.sql.test.{SharedSparkSession, TestSparkSession}

/** A test session on the one Spark context of the JVM. */
trait SharedContextSession extends SharedSparkSession {
  override protected def createSparkSession: TestSparkSession = SharedContext.session(sparkConf)
}
