// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import org.apache.hadoop.fs.FileStatus

/** One version of a table's statistics index. */
trait IndexedFiles extends FilesWithStatistics {

  /** Stays the same as long as the contents do. */
  def version: String

  /**
   * @param path
   *   path relative to the table's folder, not escaped: `day=2024-01-01/part-0.parquet`
   * @param bytes
   *   the file's size as it now is
   * @param modificationTime
   *   the file's time as it now is, in milliseconds since 1970
   * @return
   *   the number of the file, or -1 where the index knows none of this path, size and time
   */
  def find(path: String, bytes: Long, modificationTime: Long): Int

  /**
   * Whether a file that was found is still the one that the index knows, as far as its file system knows; asked of
   * files that are about to be skipped.
   */
  def isUnchanged(file: Int, status: FileStatus): Boolean = true
}
