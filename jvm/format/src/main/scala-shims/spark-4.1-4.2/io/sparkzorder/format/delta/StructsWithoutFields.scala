// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

/**
 * A struct of which a file has none of the fields that the table has now. From Spark 4.1 on a setting
 * of rewrites makes readers look at another field of the file.
 */
private[delta] object StructsWithoutFields {
  val areNull: Boolean = false
}
