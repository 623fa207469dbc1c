package io.sparkzorder

import java.io.File

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkConf
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.StaticSQLConf
import org.apache.spark.sql.test.SharedSparkSession

/** Spark's shared test session with this project's extension in it. */
trait ZOrderSharedSession extends SharedSparkSession {

  /** The value of `spark.sql.extensions`. */
  protected def sessionExtensions: Seq[String] = Seq(classOf[ZOrderSparkSessionExtension].getName)

  override protected def sparkConf: SparkConf =
    super.sparkConf.set("spark.sql.extensions", sessionExtensions.mkString(","))

  override protected def beforeAll(): Unit = {
    // What a killed run left would be in the way of tables of the same name.
    // The setting is a URI.
    JavaUtils.deleteRecursively(new File(new Path(sparkConf.get(StaticSQLConf.WAREHOUSE_PATH.key)).toUri.getPath))
    super.beforeAll()
  }
}
