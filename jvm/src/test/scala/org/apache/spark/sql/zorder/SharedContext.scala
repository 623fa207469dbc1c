// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.zorder

import java.util.Properties

import io.sparkzorder.QuickDriver

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.test.TestSparkSession

/**
 * One Spark context for all suites of a JVM, which ends with the JVM.
 *
 * Each suite has a session of its own on it, with its own settings, extensions, catalog, functions and caches.
 */
private[zorder] object SharedContext {

  private val ofSessions = Seq("spark.sql.", "spark.databricks.", "spark.hadoop.")

  private var context = Option.empty[SparkContext]
  private var settings = Map.empty[String, String]

  /** A session with these settings. The one before it must have been closed. */
  def session(conf: SparkConf): TestSparkSession = synchronized {
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    val wanted = conf.getAll.toMap
    val shared = context.filter(c => !c.isStopped && core(settings) == core(wanted)).getOrElse(start(conf))
    adopt(shared, wanted)
    new SessionOfSuite(shared)
  }

  /** Ends the context, for a suite that needs one of its own: a JVM has but one. */
  def end(): Unit = synchronized {
    context.foreach(_.stop())
    context = None
  }

  /** Settings that a context is started with and keeps. */
  private def core(settings: Map[String, String]) = settings.filterNot { case (key, _) =>
    ofSessions.exists(key.startsWith)
  }

  private def start(conf: SparkConf): SparkContext = {
    end()
    settings = conf.getAll.toMap
    val started = new SparkContext("local[2]", "tests", conf.clone().set("spark.sql.testkey", "true"))
    QuickDriver.forgetSources(started.hadoopConfiguration)
    context = Some(started)
    started
  }

  /**
   * Gives the context a suite's settings of sessions, from which the session takes them, and takes back its
   * predecessor's.
   */
  private def adopt(context: SparkContext, wanted: Map[String, String]): Unit = {
    val hadoop = context.hadoopConfiguration
    for (key <- settings.keys if !wanted.contains(key)) {
      context.conf.remove(key)
      if (key.startsWith("spark.hadoop.")) hadoop.unset(key.stripPrefix("spark.hadoop."))
    }
    for ((key, value) <- wanted if ofSessions.exists(key.startsWith)) {
      context.conf.set(key, value)
      if (key.startsWith("spark.hadoop.")) hadoop.set(key.stripPrefix("spark.hadoop."), value)
    }
    settings = wanted
    // What the last suite has left on this thread: descriptions and pools of jobs.
    context.setLocalProperties(new Properties)
  }

  /** Leaves the context to the next suite when it is closed. */
  private class SessionOfSuite(context: SparkContext) extends TestSparkSession(context) {
    override def close(): Unit = {
      sharedState.cacheManager.clearCache()
      context.getPersistentRDDs.values.foreach(_.unpersist(blocking = false))
      sharedState.statusStore.listener.foreach(context.removeSparkListener)
    }
  }
}
