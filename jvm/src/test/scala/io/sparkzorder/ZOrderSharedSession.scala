package io.sparkzorder

import org.apache.spark.SparkConf
import org.apache.spark.sql.test.SharedSparkSession

/** Spark's shared test session with this project's extension in it. */
trait ZOrderSharedSession extends SharedSparkSession {

  /** The value of `spark.sql.extensions`. */
  protected def sessionExtensions: Seq[String] = Seq(classOf[ZOrderSparkSessionExtension].getName)

  override protected def sparkConf: SparkConf =
    super.sparkConf.set("spark.sql.extensions", sessionExtensions.mkString(","))
}
