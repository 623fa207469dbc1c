// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import io.sparkzorder.format.ListedFile

/**
 * The names that replaced files have where they are kept. They do not end as data files: readers such as DuckDB take all
 * files below a folder that do.
 */
private[parquet] object KeptName {

  private val Ending = ".replaced"

  /** What file systems allow of a name, in bytes of UTF-8, with room for the name of a checksum. */
  private[log] val Longest = 255 - ".".length - ".crc".length

  /** The path of a file with the name that it gets; one that would be too long gets another name. */
  def nameFor(path: String): String = {
    val (folder, name) = path.splitAt(path.lastIndexOf('/') + 1)
    val short = if (bytes(name + Ending).length <= Longest) name else UUID.nameUUIDFromBytes(bytes(path)).toString
    folder + short + Ending
  }

  /** Whether a file may have been moved back with the name under which it was kept. */
  def is(path: String): Boolean = path.endsWith(Ending)

  /** A file as it was in the table, and as it is kept, also by builds that left it its name. */
  def both(file: ListedFile): Seq[ListedFile] = Seq(file, file.copy(path = nameFor(file.path)))

  private def bytes(text: String): Array[Byte] = text.getBytes(UTF_8)
}
