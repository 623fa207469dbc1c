// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import scala.collection.mutable

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder

/**
 * Finds files that are in a table's folder now and that a listing of it has missed.
 *
 * @param isCovered
 *   whether the listing is of a file's folder
 */
private[parquet] class UnlistedFiles(folder: TableFolder, isCovered: String => Boolean) extends (String => Boolean) {

  private val there = mutable.Map.empty[String, Set[String]]

  override def apply(file: String): Boolean = isCovered(file) && {
    val (parent, name) = (ListedFile.folderOf(file), file.substring(file.lastIndexOf('/') + 1))
    val names = there.getOrElseUpdate(
      parent, {
        val path = if (parent.isEmpty) folder.root else folder.resolve(parent)
        folder.list(path).map(_.getPath.getName).toSet
      })
    names(name)
  }
}
