// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

/** The task that wrote a file, by the name that Spark gives to files. */
private[format] object WriterTask {

  private val InName = """part-(\d{5,})-[^/]*""".r.unanchored

  /** @return None for a file that is named otherwise */
  def of(path: String): Option[Int] = path.split('/').last match {
    case InName(number) => number.toIntOption
    case _ => None
  }
}
