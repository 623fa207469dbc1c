// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.listing.TableListing
import io.sparkzorder.parquet.footer.{FileSchema, FileStatistics, FileStatisticsReader}

import org.apache.spark.sql.SparkSession

/**
 * The schemas of a folder's files: out of the statistics index where it knows a file as it now is, out of footers where
 * not.
 */
private[parquet] class KnownSchemas(session: SparkSession, folder: TableFolder, index: Option[StatisticsIndex]) {

  private val columns = index.flatMap(_.fileColumns).filter(_.settings == FileStatisticsReader.schemaSettings(session))

  /**
   * The different schemas, each with the path of a file that has it: of those that the index knows, with the first such
   * file only, of all others with each.
   *
   * @param files
   *   listed now, in the order of their paths, which the result keeps
   * @throws ZOrderRuntimeException
   *   for a file that is missing or damaged
   */
  def of(files: IndexedSeq[TableListing.File]): IndexedSeq[(FileSchema, String)] = {
    val numbers = columns.flatMap(c => index.map(i => numbersOf(i, c, files))).getOrElse(files.map(_ => None))
    val unread = files.zip(numbers).collect { case (file, None) => file }
    val footers = read(unread).iterator
    val seen = scala.collection.mutable.Set.empty[Int]
    files.zip(numbers).flatMap {
      case (file, None) => Some(footers.next().schema -> file.id.path)
      case (file, Some(number)) if seen.add(number) =>
        Some(FileSchema.none.copy(columns = columns.get.schemas(number)) -> file.id.path)
      case _ => None
    }
  }

  /** Where a link leads readers of the table follow it; to no other place. */
  private def read(files: IndexedSeq[TableListing.File]): IndexedSeq[FileStatistics] = {
    def by(settings: Map[String, String], some: IndexedSeq[TableListing.File]) =
      some.map(_.id).zip(new FileStatisticsReader(session, settings).readListed(some.map(_.status), IndexedSeq.empty))
    val (linked, others) = files.partition(f => folder.hasLink(f.id.path))
    val found = (by(folder.readSettings, others) ++ by(Map.empty, linked)).toMap
    files.map(f => found(f.id))
  }

  private def numbersOf(
      index: StatisticsIndex,
      columns: FileColumns,
      files: IndexedSeq[TableListing.File]): IndexedSeq[Option[Int]] = {
    val known = index.numbersOf(files, folder.state)
    files.map(f => known.get(f.id).flatMap(columns.schemaOf))
  }
}
