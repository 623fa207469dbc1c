// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta.order

/**
 * The table property that makes Delta shuffle rows after they were ordered. A session's setting does the same, and is
 * known when rows are written. Refers to no class of Delta's.
 */
private[delta] object OptimizedWrites {

  private val Property = "delta.autoOptimize.optimizeWrite"

  /** The property, where it is set; Delta takes it in any case. */
  def in(properties: Map[String, String]): Option[String] = properties.collectFirst {
    case (name, value) if name.equalsIgnoreCase(Property) && value.trim.equalsIgnoreCase("true") => Property
  }
}
