package io.sparkzorder.format

/**
 * A data file as a listing shows it: another with the same path is told from it by size or time.
 *
 * @param path
 *   relative to the table's folder, not escaped: `day=2024-01-01/part-0.parquet`
 * @param bytes
 *   its size
 * @param modificationTime
 *   milliseconds since 1970
 */
final case class ListedFile(path: String, bytes: Long, modificationTime: Long)

object ListedFile {

  /** The folder of a file, relative to the table's; empty for a file in that itself. */
  def folderOf(path: String): String = path.substring(0, math.max(0, path.lastIndexOf('/')))
}
