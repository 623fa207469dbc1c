package io.sparkzorder.skipping

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.execution.datasources.PartitionDirectory

/**
 * The folders of the tables that a relation reads, and the place of its files in them.
 *
 * @param folders
 *   qualified
 */
final private[skipping] class TableFolders(folders: Seq[Path]) {
  import TableFolders.relative

  private val known = folders.toSet

  // A listing has many files of a folder one behind the other: one climb does for them.
  private var lastDirectory: (String, String, String) = ("", "", "")
  private var lastFound = Option.empty[Path]

  /** The table folder that a file lies in, directly or deeper; the innermost one. */
  def of(file: Path): Option[Path] = {
    val uri = file.toUri
    val (scheme, authority, directory) = lastDirectory
    val path = uri.getPath
    if (path.lastIndexOf('/') != directory.length || !path.startsWith(directory) || uri.getScheme != scheme ||
      uri.getAuthority != authority || directory.isEmpty) {
      lastDirectory = (uri.getScheme, uri.getAuthority, path.substring(0, path.lastIndexOf('/').max(0)))
      lastFound = climb(file.getParent)
    }
    lastFound
  }

  /**
   * Files of a listing that are to be left out.
   *
   * @param ofTable
   *   those of one table, relative to its folder; None where the listing is old
   */
  def leftOut(
      directories: Seq[PartitionDirectory],
      ofTable: (Path, Iterable[ListedFile]) => Option[Set[String]]): Option[Set[Path]] = {
    val files = directories.flatMap(_.files)
    val byTable = files.groupBy(f => of(f.getPath))
    // Also those that seem to be empty: their files may have been replaced while they were listed.
    val parts =
      folders.distinct.map(folder => folder -> byTable.getOrElse(Some(folder), Nil)).map { case (folder, its) =>
        val listed = its.map(f => f -> ListedFile(relative(f.getPath, folder), f.getLen, f.getModificationTime))
        ofTable(folder, listed.map(_._2)).map(out => listed.collect { case (f, l) if out(l.path) => f.getPath })
      }
    if (parts.exists(_.isEmpty)) None else Some(parts.flatten.flatten.toSet)
  }

  private def climb(folder: Path): Option[Path] =
    Iterator.iterate(folder)(_.getParent).takeWhile(_ != null).find(known)
}

private[skipping] object TableFolders {

  /**
   * @param table
   *   the table in the catalog, if the relation is one
   * @param roots
   *   what the relation lists
   * @return
   *   not qualified
   */
  def of(table: Option[CatalogTable], roots: Seq[Path]): Seq[Path] =
    table.flatMap(_.storage.locationUri) match {
      // By way of a string, which loses a slash at the end.
      case Some(location) => Seq(new Path(new Path(location).toString))
      case None => roots.map(abovePartitions).distinct
    }

  /** `folders` with the scheme and authority that listed files have. */
  def qualified(folders: Seq[Path], conf: Configuration): TableFolders =
    new TableFolders(folders.map(f => f.getFileSystem(conf).makeQualified(f)))

  /**
   * The place of a file in its table: names as the file system has them, `day=2024-01-01/part-0.parquet`. What Spark
   * itself escapes in a partition's folder stays escaped, as that is the folder's name; a URI's escapes do not.
   */
  def relative(file: Path, folder: Path): String = {
    val above = folder.toUri.getPath
    file.toUri.getPath.substring(if (above.endsWith("/")) above.length else above.length + 1)
  }

  private def abovePartitions(path: Path): Path =
    if (path.getParent != null && path.getName.indexOf('=') > 0) abovePartitions(path.getParent) else path
}
