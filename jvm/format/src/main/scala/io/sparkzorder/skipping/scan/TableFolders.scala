// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import java.io.IOException

import io.sparkzorder.errors.UnreadableFile
import io.sparkzorder.format.ListedFile

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{FileIndex, InMemoryFileIndex, PartitionDirectory}

/**
 * The folders of the tables that a relation reads, and the paths of its files in them.
 *
 * @param folders
 *   the qualified folders
 */
final private[skipping] class TableFolders(val folders: Seq[Path]) {
  import TableFolders.relative

  private val known = folders.toSet

  // A listing has many files of a folder one after the other: one climb does for them.
  private var lastDirectory: (String, String, String) = ("", "", "")
  private var lastFound = Option.empty[Path]

  /** The table folder that a file lies in, directly or deeper; the innermost one. */
  def tableOf(file: Path): Option[Path] = {
    val uri = file.toUri
    val (scheme, authority, directory) = lastDirectory
    val path = uri.getPath
    val isThere = path.startsWith(directory) && path.indexOf('/', directory.length) == directory.length &&
      path.indexOf('/', directory.length + 1) < 0
    if (!isThere || uri.getScheme != scheme || uri.getAuthority != authority || directory.isEmpty) {
      lastDirectory = (uri.getScheme, uri.getAuthority, path.substring(0, path.lastIndexOf('/').max(0)))
      lastFound = climb(file.getParent)
    }
    lastFound
  }

  /**
   * Files of a listing that are to be left out.
   *
   * @param haveOneFolder
   *   whether all files of a directory lie in one folder
   * @param ofTable
   *   which of the files of one table, by their paths in it; None where the listing is old
   */
  def filesToExclude(
      directories: Seq[PartitionDirectory],
      haveOneFolder: Boolean,
      ofTable: (Path, ListedFiles) => Option[Set[String]]): Option[Set[Path]] = {
    // Also tables that seem to be empty: their files may have been replaced while they were listed.
    val parts = folders.distinct.map { folder =>
      def in(isWanted: String => Boolean) = filesIn(directories, haveOneFolder, folder, isWanted)
      ofTable(folder, isWanted => in(isWanted).map(_._2)).map { out =>
        val its = out.map(ListedFile.folderOf)
        if (out.isEmpty) Nil else in(its).collect { case (path, l) if out(l.path) => path }.toSeq
      }
    }
    if (parts.exists(_.isEmpty)) None else Some(parts.flatten.flatten.toSet)
  }

  /** The files that lie right in some folders of a table. */
  private def filesIn(
      directories: Seq[PartitionDirectory],
      haveOneFolder: Boolean,
      table: Path,
      isWanted: String => Boolean): Iterator[(Path, ListedFile)] = {
    // As `tableOf`, which gives another object for another directory.
    var (directory, isIn) = (lastDirectory, false)
    var isFirst = true
    def isWantedThere(file: Path) = {
      val found = tableOf(file)
      if (isFirst || (lastDirectory ne directory)) {
        directory = lastDirectory
        isFirst = false
        isIn = found.contains(table) && isWanted(ListedFile.folderOf(relative(file, table)))
      }
      isIn
    }
    val found = directories.iterator.flatMap { d =>
      // To touch each of very many names is most of what such a listing takes.
      if (haveOneFolder) if (d.files.headOption.exists(f => isWantedThere(f.getPath))) d.files else Nil
      else d.files.filter(f => isWantedThere(f.getPath))
    }
    found.map { f =>
      f.getPath -> ListedFile(relative(f.getPath, table), f.getLen, f.getModificationTime)
    }
  }

  private def climb(folder: Path): Option[Path] = ListedFile.upwards(folder).find(known)
}

private[skipping] object TableFolders {

  /**
   * The tables to which what a relation lists belongs.
   *
   * @param roots
   *   what the relation lists: tables, their partitions, or files
   * @param arePartitions
   *   whether many roots are partitions of one table, if they lie in one folder
   * @param source
   *   says whether a folder is one; asked of the parent folders of partitions, and of roots themselves where they are
   *   not too many, as `t=1` may be the name of a table. The catalog may have given folders of any names to partitions:
   *   where it is cheap, all folders not too far above are asked. A folder that one may not look into is none.
   */
  def of(roots: Seq[Path], conf: Configuration, arePartitions: Boolean, source: IndexSource): TableFolders = {
    def isCheap = roots.headOption.exists(r => CheapToAsk(r.getFileSystem(conf).getUri.getScheme))
    val tops = roots.map(abovePartitions)
    // Where they lie apart each may be a table of its own.
    def areOfOne = arePartitions && tops.distinct.sizeIs == 1
    val asksRoots = roots.size <= FewRoots || (roots.size <= ManyRoots && isCheap && !areOfOne)
    // Those above many partitions are few.
    val below = roots.map(belowTop).flatMap(path => if (asksRoots) path else path.drop(1))
    def qualified(folders: Seq[Path]) = folders.map(f => f.getFileSystem(conf).makeQualified(f)).distinct
    val candidates = qualified(tops.flatten ++ below)
    val above = if (isCheap) qualified(foldersAbove(roots)).diff(candidates) else Nil
    new TableFolders(
      candidates.filter(isReadable(source.isTable(conf, _))) ++ above.filter(isReadable(source.isTableAbove(conf, _))))
  }

  private def isReadable(isTable: Path => Boolean)(folder: Path): Boolean =
    // Any other failure must not pass for "no table": a rewrite may be under way.
    try isTable(folder)
    catch { case e: IOException if UnreadableFile.isDenied(e) => false }

  private val FewRoots = 4
  private val ManyRoots = 100

  // File systems that answer at once, where a store takes a request that lists.
  private val CheapToAsk = Set("file", "hdfs")

  private val FarAbove = 16

  /** The folders above roots, each once: level by level, as many have few parents. */
  private def foldersAbove(roots: Seq[Path]): Seq[Path] = Iterator
    .iterate(roots)(_.map(_.getParent).filter(_ != null).distinct)
    .slice(1, 1 + FarAbove).takeWhile(_.nonEmpty).flatten.toSeq

  private def belowTop(root: Path): Seq[Path] =
    if (root.getParent != null && isPartition(root)) root +: belowTop(root.getParent) else Nil

  /** Whether a folder has the name of a partition. */
  def isPartition(path: Path): Boolean = ListedFile.isPartition(path.getName)

  /**
   * The path of a file in its table: names as the file system has them, `day=2024-01-01/part-0.parquet`. What Spark
   * itself escapes in a partition's folder stays escaped, as that is the folder's name; a URI's escapes do not.
   */
  def relative(file: Path, folder: Path): String = {
    val above = folder.toUri.getPath
    file.toUri.getPath.substring(if (above.endsWith("/")) above.length else above.length + 1)
  }

  /** The first folder that is no partition, from `path` on upwards, and those above partitions in which it lies deeper. */
  private def abovePartitions(path: Path): Seq[Path] = {
    val above = ListedFile.upwards(path).toSeq
    val tops = above.zip(path +: above).collect {
      case (folder, below) if !isPartition(folder) && (folder == path || isPartition(below)) => folder
    }
    if (tops.isEmpty) above.lastOption.toSeq else tops
  }
}

/**
 * Whether a relation's listing would have a file if it were there.
 *
 * @param filters
 *   the partition filters with which it was listed
 * @param elsewhere
 *   qualified folders outside of the relation's that it lists, too
 */
private[skipping] class ListedFolders(
    index: FileIndex,
    filters: Seq[Expression],
    elsewhere: Seq[Path],
    hadoop: Configuration)
    extends (Path => Boolean) {

  private lazy val roots = elsewhere.toSet ++ index.rootPaths.map(r => r.getFileSystem(hadoop).makeQualified(r))

  // Spark has the files of all partitions in memory, and then chooses.
  private lazy val ofOthers: Set[Path] = index match {
    case _ if filters.isEmpty => Set.empty
    case all: InMemoryFileIndex => all.listFiles(Nil, Nil).flatMap(_.files).map(_.getPath).toSet
    case _ => Set.empty
  }

  override def apply(file: Path): Boolean = ListedFile.upwards(file).exists(roots) && !ofOthers(file)
}
