// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.{FileNotFoundException, IOException}
import java.nio.file.NoSuchFileException
import java.util.stream.IntStream

import scala.util.Try

import io.sparkzorder.errors.UnexpectedError

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging

/**
 * Brings new files of a table to the disk before old ones go: what is closed may be in memory only, and is gone when the
 * machine loses its power. HDFS and stores have taken over what is closed.
 */
private[folder] trait DurableFiles extends Logging { folder: TableFolder =>

  /**
   * Waits until files are on the disk as they were written, and answers which are.
   *
   * @throws IOException where the disk is full, which may be found out now only
   */
  def synced(paths: Seq[Path]): Set[Path] = {
    val isOnDisk = new Array[Boolean](paths.size)
    IntStream.range(0, paths.size).parallel.forEach { i =>
      try {
        files.sync(paths(i))
        isOnDisk(i) = true
      } catch {
        case _: FileNotFoundException | _: NoSuchFileException => ()
        case e: IOException if !UnexpectedError.saysFull(s"${e.getMessage}") =>
          logWarning(s"${paths(i)} cannot be brought to the disk", e)
      }
    }
    paths.zip(isOnDisk).collect { case (path, true) => path }.toSet
  }

  /** As above the names in folders, as far as the system can. */
  def syncNames(folders: Set[Path]): Unit = folders.foreach(folder => Try(files.sync(folder)))
}
