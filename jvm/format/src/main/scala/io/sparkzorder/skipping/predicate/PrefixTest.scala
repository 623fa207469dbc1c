// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import org.apache.spark.unsafe.types.UTF8String

/** `term LIKE 'prefix%'` of strings that are compared as bytes. */
final private[skipping] class PrefixTest(term: ExpressionBounds, prefix: UTF8String) {

  /** Exact for the prefix alone. */
  def outcomes: TruthBounds = TruthBounds(begins, beginsOtherwise)

  /** Strings that begin with the prefix lie together, the prefix itself first. */
  private def begins: FileTest = file =>
    term.mayHaveValue(file) && {
      val (low, high) = (string(term.min(file)), string(term.max(file)))
      (low == null || low.startsWith(prefix) || low.binaryCompare(prefix) <= 0) &&
      (high == null || high.binaryCompare(prefix) >= 0)
    }

  private def beginsOtherwise: FileTest = file =>
    term.mayHaveValue(file) && {
      val (low, high) = (string(term.min(file)), string(term.max(file)))
      low == null || high == null || !low.startsWith(prefix) || !high.startsWith(prefix)
    }

  private def string(bound: Any): UTF8String = bound.asInstanceOf[UTF8String]
}
