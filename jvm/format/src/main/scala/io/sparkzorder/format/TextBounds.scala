// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import org.apache.spark.unsafe.types.UTF8String

/** Bounds of strings in the metadata of a format that keeps them as text. */
private[sparkzorder] object TextBounds {

  private val NoText = UTF8String.fromString("\ufffd")

  /**
   * Whether a bound holds for any bytes. U+FFFD stands for those that are no text, and what a writer puts where it cuts
   * a text is greater than the characters there, but not than any byte.
   *
   * @param afterCut
   *   what the writer puts there
   */
  def isSure(bound: Any, afterCut: UTF8String): Boolean = bound match {
    case null => false
    case text: UTF8String => !text.contains(NoText) && !text.endsWith(afterCut)
    case _ => true
  }
}
