// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import org.apache.spark.unsafe.types.UTF8String

/** `term LIKE 'prefix%'` of strings that are compared as bytes. */
final private[skipping] class PrefixTest(term: ExpressionBounds, prefix: UTF8String) {

  /** Exact for the prefix alone. */
  def outcomes: TruthBounds = TruthBounds(begins, beginsOtherwise)

  /** Strings that begin with the prefix lie together, the prefix itself first. */
  private def begins: FileTest = ofStrings { (low, high) =>
    (low == null || low.startsWith(prefix) || low.binaryCompare(prefix) <= 0) &&
    (high == null || high.binaryCompare(prefix) >= 0)
  }

  private def beginsOtherwise: FileTest = ofStrings { (low, high) =>
    low == null || high == null || !low.startsWith(prefix) || !high.startsWith(prefix)
  }

  private def ofStrings(test: (UTF8String, UTF8String) => Boolean): FileTest =
    FileTest.ofValues(term)((low, high) => test(low.asInstanceOf[UTF8String], high.asInstanceOf[UTF8String]))
}

/**
 * The beginning of a LIKE pattern.
 *
 * @param prefix
 *   the text with which every matching string begins
 * @param rest
 *   the pattern of what may follow it
 */
final private[skipping] case class LikePattern(prefix: String, rest: LikePattern.Rest)

private[skipping] object LikePattern {

  sealed trait Rest
  case object Nothing extends Rest
  case object Anything extends Rest
  case object Other extends Rest

  // Spark decodes strings before it matches; bytes that are no UTF-8 become this character too.
  private val replacement = '\ufffd'

  /** None where Spark would refuse the pattern. */
  def parse(pattern: String, escape: Char): Option[LikePattern] = {
    val prefix = new StringBuilder
    var i = 0
    while (i < pattern.length) {
      pattern(i) match {
        case c if c == escape =>
          if (!isEscapable(pattern, i + 1, escape)) return None
          i += 1
          if (pattern(i) == replacement) return Some(LikePattern(prefix.toString, Other))
          prefix += pattern(i)
        case '%' if (i until pattern.length).forall(pattern(_) == '%') && escape != '%' =>
          return Some(LikePattern(prefix.toString, Anything))
        case '%' | '_' | `replacement` => return Some(LikePattern(prefix.toString, Other))
        case c => prefix += c
      }
      i += 1
    }
    Some(LikePattern(prefix.toString, Nothing))
  }

  private def isEscapable(pattern: String, at: Int, escape: Char): Boolean =
    at < pattern.length && (pattern(at) == '_' || pattern(at) == '%' || pattern(at) == escape)
}
