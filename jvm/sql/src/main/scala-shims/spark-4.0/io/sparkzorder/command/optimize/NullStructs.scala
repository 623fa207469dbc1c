// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

/**
 * A struct none of whose fields a file has: Spark 4.0 always reads NULL, so that this is also what a rewrite writes.
 */
private[optimize] object NullStructs {
  val settings: Map[String, String] = Map.empty
}
