// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import scala.collection.mutable

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

  /** Files of the largest listing that a query has gone through. */
  def listed: NumberedFiles = NumberedFiles.none

  /** Keeps them for the next query. */
  def keep(listed: NumberedFiles): Unit = ()

  /**
   * Whether a file that was found is still the one that the index knows, as far as its file system knows; asked of
   * files that are about to be skipped.
   */
  def isUnchanged(file: Int, status: FileStatus): Boolean = true
}

/**
 * Files of a listing with their numbers in an index, -1 for those that it does not know. Spark keeps a listing of a folder
 * that it has made, and gives each query the same objects: numbers of these are known without a look at their names.
 */
final private[sparkzorder] class NumberedFiles(
    private val files: Array[FileStatus],
    private val numbers: Array[Int]) {

  def size: Int = files.length

  /** A listing of the same index, whose files are then gone through in its order. */
  def next(): NumberedFiles.Cursor = new NumberedFiles.Cursor(this)
}

private[sparkzorder] object NumberedFiles {

  val none: NumberedFiles = new NumberedFiles(Array.empty, Array.empty)

  /** Not thread-safe. */
  final class Cursor(last: NumberedFiles) {

    private val files = mutable.ArrayBuilder.make[FileStatus]
    private val numbers = mutable.ArrayBuilder.make[Int]
    private var (size, found) = (0, 0)

    /** Whether a file is where it was in the last listing. */
    def isNext(file: FileStatus): Boolean = size < last.size && (last.files(size) eq file)

    /** @param find the number of a file that is not where it was in the last listing */
    def number(file: FileStatus)(find: => Int): Int = {
      val isSame = isNext(file)
      val number = if (isSame) last.numbers(size) else find
      if (isSame) found += 1
      files += file
      numbers += number
      size += 1
      number
    }

    /** The listing as far as it was gone through; None where the last one has more of what queries ask for. */
    def listing: Option[NumberedFiles] =
      Option.when(found < size && size >= last.size)(new NumberedFiles(files.result(), numbers.result()))
  }
}
