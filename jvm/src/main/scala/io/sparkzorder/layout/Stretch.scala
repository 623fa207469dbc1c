package io.sparkzorder.layout

/**
 * A stretch of the curve, from `start` to the next stretch's start, and the number of files that hold its rows.
 *
 * More than one file only where `start` is one place that holds more rows than a file: they are spread by a hash of
 * the row.
 */
final case class Stretch(start: Long, files: Int) {
  require(files >= 1)
}
