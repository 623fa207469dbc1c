// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.io.IOException
import java.util.Locale

import scala.collection.mutable

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.listing.TableDefinition
import io.sparkzorder.format.parquet.log.RewriteLog

import org.apache.hadoop.fs.{FileStatus, Path}

/**
 * Refuses folders of which something else keeps a record: files there may not be replaced. What lies in a folder below the
 * table is looked at once by each check, so that whoever has to look again makes another one.
 */
private[parquet] class PlainParquetCheck(table: TableDefinition) {
  import table.{folder, name, options}

  private val logs =
    Seq("_delta_log" -> "Delta Lake", ".hoodie" -> "Apache Hudi", "_spark_metadata" -> "a streaming sink")
  private val Metadata = "metadata"
  private val ownLog = TableFolder.Name -> "OPTIMIZE or ANALYZE of that folder"

  // Readers that pass over files by their names or times would not find the new ones.
  private val choosing = Seq("pathglobfilter", "modifiedbefore", "modifiedafter")

  // Written beside the partitions of a table by what writes all of it, not by who writes one of them.
  private val summaries = Seq("_SUCCESS", "_metadata", "_common_metadata")

  // Kept rewrites are mostly of the same folders.
  private val looked = mutable.HashMap.empty[String, Option[(String, String)]]

  /** @throws ZOrderAnalysisException */
  def check(): Unit = {
    options.keys.find(k => choosing.contains(k.toLowerCase(Locale.ROOT))).foreach { option =>
      throw ZOrderErrors.choosingOption(name, option)
    }
    // A folder of a table is no table of its own: all parent folders count.
    ancestors.foreach(requireNoRecordIn)
    wholeTable.orElse(rewrittenAbove).foreach(whole => throw ZOrderErrors.partitionOfTable(name, whole.toString))
  }

  /** As [[check]], of the table's folder alone: of those above it has been asked just now. */
  def checkAgain(): Unit = requireNoRecordIn(folder.root)

  /**
   * To be called last before files are replaced: while a statement ran, the folder or one below it may have become a table
   * of something else, as by CONVERT TO DELTA, whose record has these files.
   *
   * @param files
   *   paths in the table
   * @throws ZOrderAnalysisException
   */
  def checkAgain(files: Seq[String]): Unit = {
    checkAgain()
    requireNoTableBelow(files)
    rewrittenAbove.foreach(whole => throw ZOrderErrors.partitionOfTable(name, whole.toString))
  }

  private def requireNoRecordIn(path: Path): Unit =
    recordIn(path).foreach { case (log, owner) =>
      throw ZOrderErrors.notPlainParquet(name, path.toString, log, owner)
    }

  /**
   * Refuses files that are those of another table, too: readers find files however deep below a partition they lie.
   *
   * @param files
   *   paths in the table
   * @throws ZOrderAnalysisException
   */
  def requireNoTableBelow(files: Seq[String]): Unit = recordBelow(files).foreach { case (below, log, owner) =>
    throw ZOrderErrors.tableBelow(name, below, log, owner)
  }

  /** Whether [[requireNoTableBelow]] refuses files. */
  def hasTableBelow(files: Seq[String]): Boolean = recordBelow(files).isDefined

  private def recordBelow(files: Seq[String]): Option[(String, String, String)] = {
    val parents = files.map(ListedFile.folderOf).distinct
    val folders = parents.flatMap(Iterator.iterate(_)(ListedFile.folderOf).takeWhile(_.nonEmpty)).distinct
    // Files behind a link are refused as such.
    folders.sorted.iterator.filterNot(folder.hasLink).flatMap { below =>
      looked.getOrElseUpdate(below, recordAt(below)).map { case (log, owner) => (below, log, owner) }
    }.nextOption()
  }

  private def recordAt(below: String): Option[(String, String)] = {
    // One request, where to ask for each record would be several. What Iceberg keeps is no file that could be read.
    val names = folder.list(folder.resolve(below)).map(_.getPath.getName).toSet
    (logs :+ ownLog).find(log => names(log._1))
  }

  private def ancestors: Seq[Path] = Iterator.iterate(folder.root)(_.getParent).takeWhile(_ != null).toSeq

  private def recordIn(path: Path): Option[(String, String)] = {
    // One request, too; the folders above may have more in them than the table.
    lazy val names = folder.list(path).map(_.getPath.getName).toSet
    def has(name: String) = if (folder.isStore && path == folder.root) names(name) else hasFolder(path, name)
    logs.find(log => has(log._1))
      .orElse(if (has(Metadata) && isIceberg(path)) Some(Metadata -> "Apache Iceberg") else None)
  }

  /** Parent folders may be unreadable, as where rights end at a prefix. */
  private def hasFolder(path: Path, name: String): Boolean =
    try folder.isFolderAnywhere(new Path(path, name))
    catch { case _: IOException if path != folder.root => false }

  /** Also compressed ones, whose names go on: `v1.metadata.json.gz`. */
  private def isIceberg(path: Path): Boolean =
    visible(new Path(path, Metadata)).exists(_.getPath.getName.contains(".metadata.json"))

  /**
   * The folder of the table of which this one is a partition, as far as can be seen: names show columns, and the
   * folder above of a table, by what is kept of it, by what its writer left, or by other partitions. A folder of such a
   * name with nothing of the kind around it is a table of its own.
   */
  private def wholeTable: Option[Path] = {
    val partitions = ancestors.takeWhile(_.getName.indexOf('=') > 0)
    partitions.map(p => p.getParent -> p.getName).filter(_._1 != null).reverse.collectFirst {
      case (above, partition) if isTableOf(above, partition) => above
    }
  }

  /**
   * The folder of a table above, below one of whose partitions this folder lies, and of which an open rewrite names files
   * that are in this folder: old and new ones may both be there, which the log of that table alone tells apart.
   */
  private def rewrittenAbove: Option[Path] = {
    val tables = ancestors.filter(_.getName.indexOf('=') > 0).map(_.getParent).filter(_ != null).distinct
    tables.find { above =>
      val whole = folder.at(above)
      def isHere(path: String) = whole.relative(folder.root).exists(here => path.startsWith(s"$here/"))
      isKept(whole) && new RewriteLog(whole).read().open.exists { rewrite =>
        rewrite.entry.folders.exists(f => f.replaced.exists(r => isHere(r.path)) || f.added.exists(a => isHere(a.path)))
      }
    }
  }

  /** One may not be allowed to look into folders far above. */
  private def isKept(table: TableFolder): Boolean =
    try table.isKept
    catch { case _: IOException => false }

  private def isTableOf(above: Path, partition: String): Boolean = {
    val column = partition.takeWhile(_ != '=').toLowerCase(Locale.ROOT) + "="
    visible(above).exists { s =>
      val name = s.getPath.getName
      name == TableFolder.Name || summaries.contains(name) ||
      (s.isDirectory && name != partition && name.toLowerCase(Locale.ROOT).startsWith(column))
    }
  }

  /** What lies in a folder; nothing where one may not look into it, as into folders far above a table. */
  private def visible(path: Path): Seq[FileStatus] =
    try folder.listAnywhere(path)
    catch { case _: IOException => Nil }
}
