// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

/**
 * A struct of which a file has none of the fields that the table has now. Spark 4.0 always reads NULL, so
 * that a rewrite would make it NULL to all readers.
 */
private[delta] object StructsWithoutFields {
  val areNull: Boolean = true
}
