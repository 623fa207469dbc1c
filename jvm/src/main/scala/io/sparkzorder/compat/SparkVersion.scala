// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat

/**
 * A version of Spark as it calls itself: `4.2.1`, `4.2.0-SNAPSHOT`, a vendor's `4.2.1.7-x`.
 *
 * @param text
 *   the whole of it
 */
private[sparkzorder] final case class SparkVersion(text: String) {

  /** `4.2` of `4.2.1`; None of what is no version. */
  val minor: Option[String] = """^(\d+\.\d+)(\D.*)?$""".r.findFirstMatchIn(text.trim).map(_.group(1))

  /**
   * Whether this jar is for another Spark: minors differ in what they have inside, patches hardly. What calls itself
   * nothing like a version gets the benefit of the doubt.
   */
  def isOtherThan(builtFor: String): Boolean = minor.exists(_ != builtFor)
}

private[sparkzorder] object SparkVersion {

  /** The Spark that runs. */
  def running: SparkVersion = SparkVersion(org.apache.spark.SPARK_VERSION)
}
