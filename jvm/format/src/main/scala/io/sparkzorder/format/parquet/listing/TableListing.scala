// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import scala.collection.mutable
import scala.util.{Failure, Success, Try}

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{DoubledRows, ListedFile}
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.log.LogState

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{CatalogFileIndex, FileIndex, InMemoryFileIndex}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals

/**
 * Lists the files of a table as Spark's readers find them: through the catalog's partitions where it keeps those, else
 * by the names of folders. Nothing is taken from a cache.
 *
 * @param groups
 *   numbers the folders of the table's partitions
 */
private[parquet] class TableListing(
    session: SparkSession,
    table: TableDefinition,
    groups: FolderGroups) {
  import table.{catalogTable, folder}

  /** The catalog's entry, where it keeps the partitions. */
  private val partitioned = catalogTable.filter(t => t.tracksPartitionsInCatalog && t.partitionColumnNames.nonEmpty)

  private def index(): FileIndex = partitioned.map(new CatalogFileIndex(session, _, 0L)).getOrElse {
    new InMemoryFileIndex(lister, Seq(folder.root), table.options, catalogTable.map(_.schema))
  }

  /** In local mode a job would list in threads of this same process, and take longer to bring their results together. */
  private lazy val lister: SparkSession =
    if (folder.scheme != "file" || !session.sparkContext.isLocal) session
    else {
      val withoutJobs = SparkInternals.copy(session)
      withoutJobs.conf.set(SQLConf.PARALLEL_PARTITION_DISCOVERY_THRESHOLD.key, Int.MaxValue.toString)
      withoutJobs
    }

  // To list takes seconds for very many files: the names of the first listing are looked at.
  private var partitionTypes = catalogTable.map(_.partitionSchema)

  /** The types of the partition columns, out of the catalog or the folders' names. */
  def partitionSchema: StructType = partitionSchema(index())

  private def partitionSchema(listed: => FileIndex): StructType = synchronized {
    val types = partitionTypes.getOrElse(listed.partitionSchema)
    partitionTypes = Some(types)
    types
  }

  private var doubled = Option.empty[DoubledRows]

  /** Files of the last listing that were restored beside those that had come in their place. */
  def doubledRows: Option[DoubledRows] = doubled

  /**
   * The files of partitions that satisfy `partitionFilters`, each row once, whatever a rewrite is doing.
   *
   * @param since
   *   what the log said before, where it was asked
   * @throws ZOrderRuntimeException
   *   where a partition lies outside of the table's folder or in what is kept of it, and where two partitions have one folder
   */
  def files(partitionFilters: Seq[Expression], since: Option[LogState] = None): IndexedSeq[TableListing.File] = {
    val (listed, state) = table.rewriteLog.whileStable(since)(list(partitionFilters))
    val present = new PresentFiles(folder)
    val out = ListingCheck.filesToExclude(state, listed.map(_.id), present, present.isAnother)
    val files = requireDistinct(listed).filterNot(f => out(f.id.path))
    lazy val ids = files.map(_.id)
    doubled = RestoredFiles.warn(folder, state, ids, ids, _.moved.nonEmpty)
    files
  }

  /** A file that belongs to two partitions has its rows twice: a rewrite of one would change the other. */
  private def requireDistinct(files: IndexedSeq[TableListing.File]): IndexedSeq[TableListing.File] = {
    val paths = new mutable.HashSet[String](files.size * 2, mutable.HashSet.defaultLoadFactor)
    files.find(f => !paths.add(f.id.path)).foreach { f =>
      throw ZOrderErrors.sharedLocation(folder.root.toString, ListedFile.folderOf(f.id.path))
    }
    files
  }

  private def requireNotOwn(path: String): Unit =
    if (TableFolder.isOwn(path)) throw ZOrderErrors.partitionInOwnFolder(folder.root.toString, path)

  /**
   * To be called before what is left of other statements is deleted; it asks the catalog for all partitions.
   *
   * @throws ZOrderRuntimeException where the catalog has a partition in what is kept of the table
   */
  def requireNoneInOwn(): Unit = partitioned.foreach { t =>
    val partitions = session.sessionState.catalog.externalCatalog.listPartitions(t.database, t.identifier.table)
    partitions.iterator.flatMap(_.storage.locationUri).flatMap(l => folder.relative(new Path(l))).foreach(requireNotOwn)
  }

  /** All files that are there, also those that a rewrite hides; the log is not asked. */
  def all(): IndexedSeq[TableListing.File] = list(Nil)

  private def list(partitionFilters: Seq[Expression]): IndexedSeq[TableListing.File] = {
    val files = index()
    val types = partitionSchema(files)
    files.listFiles(partitionFilters, Nil).toIndexedSeq.flatMap { directory =>
      directory.files.map { f =>
        val path = folder.relative(f.getPath).getOrElse {
          throw ZOrderErrors.pathOutsideTable(f.getPath.toString, folder.root.toString)
        }
        requireNotOwn(path)
        val id = ListedFile(path, f.getLen, f.getModificationTime)
        TableListing.File(id, groups.numbered(directory.values, types, path), f.fileStatus)
      }
    }
  }
}

private[parquet] object TableListing {

  // A writer that replaces files while they are read makes the list void.
  private val Attempts = 10

  /** What is read of files that are listed; where a writer has replaced one since, they are listed and read anew. */
  def readingAnew[L, T](folder: TableFolder, list: => L)(files: L => Seq[File])(read: L => T): T = {
    @scala.annotation.tailrec
    def attempt(left: Int): T = {
      val listed = list
      Try(read(listed)) match {
        case Success(result) => result
        case Failure(_) if left > 0 && files(listed).exists(f => !isAsListed(folder.status(f.status.getPath), f.id)) =>
          attempt(left - 1)
        case Failure(e) => throw e
      }
    }
    attempt(Attempts)
  }

  private def isAsListed(now: Option[FileStatus], file: ListedFile) =
    now.exists(s => s.getLen == file.bytes && ListedFile.isSameTime(s.getModificationTime, file.modificationTime))

  /**
   * @param partition the values of the partition columns, and after them the number of the group; see [[FolderGroups]]
   */
  final case class File(id: ListedFile, partition: InternalRow, status: FileStatus)
}
