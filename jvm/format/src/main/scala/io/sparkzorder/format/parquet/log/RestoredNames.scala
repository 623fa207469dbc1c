// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.nio.charset.StandardCharsets.UTF_8

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder

/**
 * Names for files that come back. None was ever used before: a process that slept since it was about to take an old file
 * away goes by its name.
 */
private[parquet] object RestoredNames {

  private val Mark = "-restored-"
  private val Marked = s"$Mark[0-9A-Za-z-]{36}(-\\d+)?"

  private val Owner = s"$Mark([0-9A-Za-z-]{36})".r

  private val LongestEnding = 40

  /**
   * `trips.parquet` becomes `trips-restored-<id>.parquet`, also when it is restored a second time. Of a name that would
   * be too long the beginning stays; where two would be the same, the second gets a number. A file that readers see keeps
   * a name that they see.
   *
   * @param id
   *   36 letters, digits and hyphens
   */
  def of(paths: Seq[String], id: String): Seq[String] = {
    val used = scala.collection.mutable.Set.empty[String]
    paths.map { path =>
      val name = Iterator.from(0).map(n => renamed(path, if (n == 0) id else s"$id-$n")).find(!used(_)).get
      used += name
      name
    }
  }

  /** The id under which a file has come back, by its path; None for any other file. */
  def idOf(path: String): Option[String] =
    Owner.findAllMatchIn(ListedFile.nameOf(path)).toSeq.lastOption.map(_.group(1))

  private def renamed(path: String, id: String): String = {
    val (folder, name) = path.splitAt(path.lastIndexOf('/') + 1)
    val (stem, whole) = name.replaceFirst(Marked, "").span(_ != '.')
    def bytesWith(ending: String) = bytes(s"$Mark$id$ending")
    val ending = if (bytes(stem) + bytesWith(whole) <= KeptName.Longest) whole else whole.takeRight(LongestEnding)
    val now = s"${beginning(stem, KeptName.Longest - bytesWith(ending))}$Mark$id$ending"
    // Without a `=` that was cut off, one that begins with `_` would be passed over.
    val isLost = TableFolder.isHidden(now) && !TableFolder.isHidden(name)
    folder + (if (isLost) now.dropWhile(c => c == '_' || c == '.') else now)
  }

  private def beginning(text: String, most: Int): String = {
    val points = text.codePoints.toArray
    val lengths = points.indices.map(_ + 1).reverse
    lengths.map(new String(points, 0, _)).find(bytes(_) <= most).getOrElse("")
  }

  private def bytes(text: String): Int = text.getBytes(UTF_8).length
}
