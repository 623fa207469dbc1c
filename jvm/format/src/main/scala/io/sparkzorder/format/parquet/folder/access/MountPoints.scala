// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.file.{Files, Path}

import scala.util.Try
import scala.util.matching.Regex

/** Where file systems are mounted, as Linux lists it (proc(5), `mountinfo`); a file is not renamed from one to another. */
private[folder] object MountPoints {

  private val Table = Path.of("/proc/self/mountinfo")
  private val Place = 4
  private val Octal = 8
  private val Escaped = raw"\\(\d{3})".r

  /** Those below a folder; none where the system does not list them. */
  def below(folder: Path): Seq[Path] =
    Try(in(Files.readString(Table))).getOrElse(Nil).filter(place => place.startsWith(folder) && place != folder)

  /** Blanks and the like are written as octal numbers. */
  def in(table: String): Seq[Path] = table.linesIterator.map(_.split(' ')).filter(_.length > Place).map { fields =>
    Path.of(Escaped.replaceAllIn(
      fields(Place),
      m => Regex.quoteReplacement(Integer.parseInt(m.group(1), Octal).toChar.toString)))
  }.toSeq
}
