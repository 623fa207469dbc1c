// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

/**
 * A data file as a listing shows it: size and time tell it from another file with the same path.
 *
 * @param path
 *   path relative to the table's folder, not escaped: `day=2024-01-01/part-0.parquet`
 * @param bytes
 *   size of the file
 * @param modificationTime
 *   time in milliseconds since 1970
 */
final case class ListedFile(path: String, bytes: Long, modificationTime: Long)

object ListedFile {

  /** The folder of a file, relative to the table's; empty for a file in that itself. */
  def folderOf(path: String): String = path.substring(0, math.max(0, path.lastIndexOf('/')))
}
