package io.sparkzorder.format.parquet

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.skipping.ListedFile

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{CatalogFileIndex, FileIndex, InMemoryFileIndex}
import org.apache.spark.sql.types.StructType

/**
 * Lists the files of a table as Spark's readers find them: through the catalog's partitions where it keeps those, else by
 * the names of folders. Nothing is taken from a cache.
 *
 * @param schema
 *   where the catalog knows it
 * @param options
 *   with which readers read the table
 */
private[parquet] class TableListing(
    session: SparkSession,
    folder: TableFolder,
    catalogTable: Option[CatalogTable],
    schema: Option[StructType],
    options: Map[String, String]) {

  private def index(): FileIndex = catalogTable match {
    case Some(t) if t.tracksPartitionsInCatalog && t.partitionColumnNames.nonEmpty =>
      new CatalogFileIndex(session, t, 0L)
    case _ => new InMemoryFileIndex(session, Seq(folder.root), options, schema)
  }

  /** The types of the partition columns, out of the catalog or the folders' names. */
  lazy val partitionSchema: StructType = catalogTable.fold(index().partitionSchema)(_.partitionSchema)

  /**
   * The files of partitions that satisfy `partitionFilters`.
   *
   * @throws ZOrderRuntimeException where a partition lies outside of the table's folder
   */
  def files(partitionFilters: Seq[Expression]): IndexedSeq[TableListing.File] = {
    val journal = new Journal(folder)
    @scala.annotation.tailrec
    def attempt(left: Int): IndexedSeq[TableListing.File] = {
      val listed = list(partitionFilters)
      // After the listing: see PendingRewrites.
      PendingRewrites.leftOut(journal.entries(), listed.map(_.id).toSet, isFresh = left == 0) match {
        case Some(out) => listed.filterNot(f => out(f.id.path))
        case None => attempt(left - 1)
      }
    }
    attempt(TableListing.Attempts)
  }

  private def list(partitionFilters: Seq[Expression]): IndexedSeq[TableListing.File] =
    index().listFiles(partitionFilters, Nil).toIndexedSeq.flatMap { directory =>
      directory.files.map { f =>
        val path = folder.relative(f.getPath).getOrElse {
          throw ZOrderErrors.pathOutsideTable(f.getPath.toString, folder.root.toString)
        }
        TableListing.File(ListedFile(path, f.getLen, f.getModificationTime), directory.values, f.fileStatus)
      }
    }
}

private[parquet] object TableListing {

  // Each is as old as a rewrite that ended since the one before.
  private val Attempts = 5

  /** @param partition the values of the partition columns */
  final case class File(id: ListedFile, partition: InternalRow, status: FileStatus)
}
