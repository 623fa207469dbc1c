// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.io.IOException
import java.util.Locale

import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.log.RewriteLog

import org.apache.hadoop.fs.{FileStatus, Path}

/**
 * The folders above a table's, and whether it is a part of a table there. The folder may be named by a link, or below one:
 * then those above the place to which that leads count, too.
 */
private[rewrite] final class FoldersAbove(folder: TableFolder) {

  // Written beside the partitions of a table by what writes all of it, not by who writes one of them.
  private val summaries = Seq("_SUCCESS", "_metadata", "_common_metadata")

  /** The table's folder and those above it. */
  def all: Seq[Path] = (climb(folder.root) ++ byLinks).distinct

  /** As [[all]], where links lead; none where there are none. */
  def byLinks: Seq[Path] = folder.realRoot.toSeq.flatMap(climb)

  private def climbs: Seq[Seq[Path]] = Seq(climb(folder.root), byLinks).filter(_.nonEmpty)

  private def climb(from: Path): Seq[Path] = ListedFile.upwards(from).toSeq

  /** The table in whose own folder this one lies. Files there are of its log, its index, or kept to be taken back. */
  def ownFolderOf: Option[Path] = all.find(_.getName == TableFolder.Name).map(_.getParent)

  /**
   * The folder of the table of which this one is a partition, as far as can be seen: names show columns, and the
   * folder above of a table, by what is kept of it, by what its writer left, or by other partitions. A folder of such a
   * name with nothing of the kind around it is a table of its own.
   */
  def wholeTable: Option[Path] = climbs.iterator.flatMap { climb =>
    val partitions = climb.takeWhile(isPartition)
    partitions.map(p => p.getParent -> p.getName).filter(_._1 != null).reverse.collectFirst {
      case (above, partition) if isTableOf(above, partition) => above
    }
  }.nextOption()

  /**
   * The folder of a table above, of which an open rewrite names files that are in this folder: old and new ones may
   * both be there, which the log of that table alone can distinguish. Partitions may have folders of any names. A
   * store, which takes a request for each, is asked above those that have names of partitions.
   */
  def rewritten: Option[Path] = climbs.iterator.flatMap { climb =>
    val tables = climb.zip(climb.drop(1)).filter { case (below, _) => !folder.isStore || isPartition(below) }
    tables.collectFirst { case (below, above) if isRewriting(above, climb.head, isPartition(below)) => above }
  }.nextOption()

  /** Where no name shows a partition, what cannot be read above has mostly nothing to do with this table. */
  private def isRewriting(above: Path, here: Path, isCertain: Boolean): Boolean =
    try {
      val whole = folder.at(above)
      def isHere(path: String) = whole.relative(here).exists(in => path.startsWith(s"$in/"))
      isKept(whole, isCertain) && new RewriteLog(whole).written().open.exists(_.entry.paths.exists(isHere))
    } catch { case _: ZOrderRuntimeException if !isCertain => false }

  /** One may not be allowed to look into folders far above. */
  private def isKept(table: TableFolder, isCertain: Boolean): Boolean =
    try table.isKept && (isCertain || table.isOfOwner)
    catch { case _: IOException => false }

  private def isPartition(path: Path): Boolean = ListedFile.isPartition(path.getName)

  private def isTableOf(above: Path, partition: String): Boolean = {
    val column = partition.takeWhile(_ != '=').toLowerCase(Locale.ROOT) + "="
    visible(above).exists { s =>
      val name = s.getPath.getName
      name == TableFolder.Name || summaries.contains(name) ||
      (s.isDirectory && name != partition && name.toLowerCase(Locale.ROOT).startsWith(column))
    }
  }

  /** What lies in a folder; nothing where one may not look into it, as into folders far above a table. */
  def visible(path: Path): Seq[FileStatus] =
    try folder.listAnywhere(path)
    catch { case _: IOException => Nil }
}
