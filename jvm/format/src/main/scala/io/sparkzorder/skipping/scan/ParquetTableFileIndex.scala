// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import scala.collection.mutable
import scala.util.Try

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.ListedFile

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{CatalogFileIndex, FileIndex, FilePruningRunner}
import org.apache.spark.sql.execution.datasources.{PartitionDirectory, PartitioningAwareFileIndex}

/**
 * The files of a Parquet relation without those in which, by the table's statistics index, no row can satisfy the
 * query's filters.
 *
 * All reading happens in [[listFiles]].
 *
 * @param skipping
 *   whether files are left out at all
 * @param ofCatalog
 *   the name of the table, where it is one of the catalog
 * @param lateFilters
 *   filters over scalar subqueries, which have values only when the scan runs
 */
final class ParquetTableFileIndex(
    session: SparkSession,
    val delegate: FileIndex,
    source: IndexSource,
    skipping: Boolean,
    ofCatalog: Option[TableIdentifier] = None,
    lateFilters: Seq[Expression] = Nil)
    extends ScanFileIndex {

  override def statistics: String = IndexWarnings.OfIndex

  override protected def remedy: Option[String] = Some(IndexWarnings.RemedyOfIndex)

  override def skips: Boolean = skipping

  override def hasStatistics: Boolean =
    tablesOf(rootPaths).folders.exists(source.latest(session, _).isDefined)

  override def prunesByFilters: Boolean = true

  override def forScan(lateFilters: Seq[Expression]): ParquetTableFileIndex =
    new ParquetTableFileIndex(session, delegate, source, skipping, ofCatalog, lateFilters)

  override def listFiles(partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] = {
    val ofFiles = new FilePruningRunner(dataFilters)
    val all = delegate.listFiles(partitionFilters, Nil)
    val named = NamedFiles.of(delegate, all, session)
    // After the listing: a folder in which the first rewrite begins just now is one of a table.
    val elsewhere = foldersElsewhere(all, partitionFilters)
    val tables = if (named.areAll) tablesOf(named.folders) else tablesOf(rootPaths, elsewhere)
    val seen = if (named.areAll) all else current(tables, partitionFilters, elsewhere, all)
    val directories =
      (if (named.folders.isEmpty) seen
       else without(seen, new NamedFiles(session, source, named.folders).filesToExclude(seen))).map(ofFiles.prune)
    matching(tables, directories, dataFilters)
  }

  private def tablesOf(roots: Seq[Path], elsewhere: Seq[Path] = Nil): TableFolders = {
    def of(roots: Seq[Path], arePartitions: Boolean) =
      TableFolders.of(roots, session.sessionState.newHadoopConf(), arePartitions, source)
    val own = of(roots ++ locationInCatalog, ofCatalog.isDefined)
    // Apart: each may be a table of its own.
    if (elsewhere.isEmpty) own
    else new TableFolders((own.folders ++ of(elsewhere, arePartitions = false).folders).distinct)
  }

  /** The folder of a table some of whose partitions have been given folders, the names of which do not show it. */
  private def locationInCatalog: Option[Path] = delegate match {
    case _: CatalogFileIndex => None
    case chosen if chosen.partitionSchema.isEmpty || chosen.rootPaths.forall(TableFolders.isPartition) => None
    // It may have gone since the query was planned.
    case _ => ofCatalog.flatMap { table =>
        Try(session.sessionState.catalog.getTableMetadata(table)).toOption.flatMap(_.storage.locationUri)
      }.map(new Path(_))
  }

  /**
   * Folders that the catalog has given to partitions, and whose names do not show the table: outside of its own folder
   * they may lie in another table's, below it they may have been rewritten by themselves.
   */
  private def foldersElsewhere(listed: Seq[PartitionDirectory], filters: Seq[Expression]): Seq[Path] = delegate match {
    case all: CatalogFileIndex if partitionSchema.nonEmpty =>
      val hadoop = session.sessionState.newHadoopConf()
      def qualified(p: Path) = p.getFileSystem(hadoop).makeQualified(p)
      val roots = all.rootPaths.map(qualified).toSet
      def isUsual(folder: Path) =
        ListedFile.upwards(folder).find(f => roots(f) || !TableFolders.isPartition(f)).exists(roots)
      // A folder from which a rewrite takes the files while it is listed seems to be empty.
      val ofEmpty =
        if (listed.forall(_.files.nonEmpty)) Nil
        else session.sessionState.catalog.listPartitionsByFilter(all.table.identifier, filters).flatMap(
          _.storage.locationUri.map(l => qualified(new Path(l))))
      val ofFiles = listed.flatMap(_.files.headOption).map(_.getPath.getParent)
      (ofFiles ++ ofEmpty).distinct.filterNot(isUsual)
    case _ => Nil
  }

  /** So Spark makes partitions of the folders that have files. */
  private def haveOneFolder: Boolean = partitionSchema.nonEmpty && (delegate match {
    case _: PartitioningAwareFileIndex | _: CatalogFileIndex => true
    case _ => false
  })

  private def matching(
      tables: TableFolders,
      directories: Seq[PartitionDirectory],
      dataFilters: Seq[Expression]): Seq[PartitionDirectory] = {
    val filters = if (skipping) ScanFilters.of(dataFilters, lateFilters) else ScanFilters.none
    leftOf(directories)(Option.when(!filters.isEmpty) {
      new FilePruner(tables, filters, partitionSchema.fieldNames.toSet, source.latest(session, _)).prune(directories)
    })
  }

  /**
   * All files of the chosen partitions, such that each row is there once even while a rewrite moves files, or where one
   * was interrupted. A listing out of a cache that is older than a rewrite is repeated.
   */
  private def current(
      tables: TableFolders,
      partitionFilters: Seq[Expression],
      elsewhere: Seq[Path],
      listed: Seq[PartitionDirectory]): Seq[PartitionDirectory] = {
    val hadoop = session.sessionState.newHadoopConf()
    // Files that a listing missed once. What is missing again is not the relation's, as files of a partition that was
    // dropped.
    val seen = mutable.Set.empty[Path]
    def filesToExclude(directories: Seq[PartitionDirectory], isFresh: Boolean): Option[Set[Path]] = {
      val covered = new ListedFolders(delegate, partitionFilters, elsewhere, hadoop)
      def isNew(table: Path)(file: String) = {
        val path = new Path(table, new Path(null, null, file))
        covered(path) && seen.add(path)
      }
      tables.filesToExclude(
        directories,
        haveOneFolder,
        (table, files) => source.filesToExclude(session, table, files, isFresh, isNew(table)))
    }
    def fingerprint = tables.folders.map(source.fingerprint(session, _))
    @scala.annotation.tailrec
    def listAgain(left: Int): Seq[PartitionDirectory] = {
      val before = fingerprint
      delegate.refresh()
      val directories = delegate.listFiles(partitionFilters, Nil)
      val out = filesToExclude(directories, isFresh = true)
      if (before == fingerprint) without(directories, out.getOrElse(Set.empty))
      else if (left == 0) throw ZOrderErrors.listingOvertaken(rootPaths.take(1).mkString)
      else listAgain(left - 1)
    }
    filesToExclude(listed, isFresh = false).fold(listAgain(ParquetTableFileIndex.Attempts))(without(listed, _))
  }

  private def without(directories: Seq[PartitionDirectory], out: Set[Path]): Seq[PartitionDirectory] =
    if (out.isEmpty) directories else directories.map(d => d.copy(files = d.files.filterNot(f => out(f.getPath))))
}

object ParquetTableFileIndex {

  // A rewrite that ends while the table is listed makes the listing void.
  private val Attempts = 10
}
