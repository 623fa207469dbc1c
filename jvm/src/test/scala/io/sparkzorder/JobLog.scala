// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import java.util.UUID
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.jdk.CollectionConverters._

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}
import org.apache.spark.sql.test.SharedSparkSession

/** The Spark jobs that a piece of code starts. */
trait JobLog { self: SharedSparkSession =>

  /** The descriptions of the jobs that `body` starts, "null" for one without. */
  protected def jobsOf(body: => Unit): Seq[String] = {
    val marker = UUID.randomUUID.toString
    val started = new ConcurrentLinkedQueue[String]
    val end = new CountDownLatch(1)
    val listener = new SparkListener {
      override def onJobStart(job: SparkListenerJobStart): Unit = {
        val description = String.valueOf(job.properties.getProperty("spark.job.description"))
        if (description == marker) end.countDown() else if (end.getCount > 0) started.add(description)
      }
    }
    // Events arrive in order: once a last job is seen, so are all before it.
    def lastJob(): Unit = {
      sparkContext.setJobDescription(marker)
      try sparkContext.parallelize(Seq(1), 1).count()
      finally sparkContext.setJobDescription(null)
    }
    sparkContext.addSparkListener(listener)
    try {
      body
      lastJob()
      assert(end.await(60, TimeUnit.SECONDS))
      started.asScala.toSeq
    } finally sparkContext.removeSparkListener(listener)
  }
}
