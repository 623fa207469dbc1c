// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.io.IOException
import java.util.Locale

import scala.collection.mutable

import io.sparkzorder.errors.{ZOrderAnalysisException, ZOrderErrors}
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.listing.TableDefinition

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging

/**
 * Refuses folders of which something else keeps a record: files there may not be replaced. What lies in a folder below the
 * table is looked at once by each check, so that whoever has to look again makes another one.
 */
private[parquet] class PlainParquetCheck(table: TableDefinition) {
  import table.{folder, name, options}

  private val logs =
    Seq("_delta_log" -> "Delta Lake", ".hoodie" -> "Apache Hudi", "_spark_metadata" -> "a streaming sink")
  private val Metadata = "metadata"
  private val Snapshots = "snapshot"
  private val ownLog = TableFolder.Name -> "OPTIMIZE or ANALYZE of that folder"

  private val above = new FoldersAbove(folder)

  // Readers that pass over files by their names or times would not find the new ones.
  private val choosing = Seq("pathglobfilter", "modifiedbefore", "modifiedafter")

  // Kept rewrites are mostly of the same folders.
  private val looked = mutable.HashMap.empty[String, Option[(String, String)]]

  /** @throws ZOrderAnalysisException */
  def check(): Unit = {
    options.keys.find(k => choosing.contains(k.toLowerCase(Locale.ROOT))).foreach { option =>
      throw ZOrderErrors.choosingOption(name, option)
    }
    // A folder of a table is no table of its own: all parent folders count.
    above.ownFolderOf.foreach { whole =>
      throw ZOrderErrors.notPlainParquet(name, whole.toString, ownLog._1, ownLog._2)
    }
    above.all.foreach(requireNoRecordIn)
    above.wholeTable.orElse(above.rewritten).foreach(refusePart)
  }

  private def refusePart(whole: Path): Unit = throw ZOrderErrors.partitionOfTable(name, whole.toString)

  /**
   * As [[check]], of the table's folder alone: of those above it has been asked just now. A link may lead elsewhere since.
   */
  def checkAgain(): Unit = (folder.root +: above.byLinks).foreach(requireNoRecordIn)

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
    requireNotRewritten()
  }

  /** @throws ZOrderAnalysisException where files in the folder are those of an open rewrite of a table above */
  def requireNotRewritten(): Unit = above.rewritten.foreach(refusePart)

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

  private def recordIn(path: Path): Option[(String, String)] = {
    // One request, too; the folders above may have more in them than the table.
    lazy val names = folder.list(path).map(_.getPath.getName).toSet
    def has(name: String) = if (folder.isStore && path == folder.root) names(name) else hasFolder(path, name)
    logs.find(log => has(log._1))
      .orElse(if (has(Metadata) && isIceberg(path)) Some(Metadata -> "Apache Iceberg") else None)
      .orElse(if (isAsked(path) && has(Snapshots) && isPaimon(path)) Some(Snapshots -> "Apache Paimon") else None)
  }

  /** A store, which takes a request for each folder above, is asked above what Paimon gives such names. */
  private def isAsked(path: Path): Boolean =
    !folder.isStore || path == folder.root || PlainParquetCheck.FolderOfPaimon.matches(folder.root.getName)

  /** Others may call a folder so: the record is in two that are beside each other. */
  private def isPaimon(path: Path): Boolean =
    above.visible(new Path(path, Snapshots)).exists(s =>
      PlainParquetCheck.SnapshotOfPaimon.matches(s.getPath.getName)) &&
      hasFolder(path, "manifest")

  /** Parent folders may be unreadable, as where rights end at a prefix. */
  private def hasFolder(path: Path, name: String): Boolean =
    try folder.isFolderAnywhere(new Path(path, name))
    catch { case _: IOException if path != folder.root => false }

  /** Also compressed ones, whose names go on: `v1.metadata.json.gz`. */
  private def isIceberg(path: Path): Boolean =
    above.visible(new Path(path, Metadata)).exists(_.getPath.getName.contains(".metadata.json"))
}

private[parquet] object PlainParquetCheck extends Logging {

  /** Whether [[PlainParquetCheck.checkAgain]] refuses files, with a warning. */
  def refuses(table: TableDefinition)(files: Seq[String]): Boolean =
    try {
      new PlainParquetCheck(table).checkAgain(files)
      false
    } catch {
      case e: ZOrderAnalysisException =>
        logWarning(s"${table.name}: files stay as they are", e)
        true
    }

  private val SnapshotOfPaimon = raw"snapshot-\d+".r

  /** Of a bucket, in the table's folder or in a partition's. */
  private val FolderOfPaimon = "bucket-.*|[^=]+=.*".r
}
