// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.config

import java.util.Properties

import scala.util.Using

/** The versions that this jar was built for and with: `project/versions.properties`, as the jar contains it. */
private[sparkzorder] object Versions {

  private lazy val properties: Properties = {
    val loaded = new Properties()
    Using.resource(getClass.getResourceAsStream("/io/sparkzorder/versions.properties"))(loaded.load)
    loaded
  }

  /** @param key such as `spark.minor` */
  def apply(key: String): String =
    Option(properties.getProperty(key)).getOrElse(throw new IllegalArgumentException(s"No version of $key"))

  /** Whether two versions are of different minors, between which projects change what they have inside. */
  def isOtherMinor(version: String, builtFor: String): Boolean =
    version.split('.').take(2).toSeq != builtFor.split('.').take(2).toSeq
}
