// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import scala.collection.mutable

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder

/** Tells whether a file of a table is there now, by its path in the table. Each folder is listed once, when first asked. */
private[parquet] class PresentFiles(folder: TableFolder) extends (String => Boolean) {

  private val there = mutable.Map.empty[String, Set[String]]

  /** Whether anything was looked for. */
  def wereAsked: Boolean = there.nonEmpty

  override def apply(file: String): Boolean = {
    val (parent, name) = (ListedFile.folderOf(file), file.substring(file.lastIndexOf('/') + 1))
    val names = there.getOrElseUpdate(
      parent, {
        val path = if (parent.isEmpty) folder.root else folder.resolve(parent)
        folder.list(path).map(_.getPath.getName).toSet
      })
    names(name)
  }
}
