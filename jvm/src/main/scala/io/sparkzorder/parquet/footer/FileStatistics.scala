package io.sparkzorder.parquet.footer

import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.types.DataType

/**
 * What the footer of a Parquet file says of the file.
 *
 * @param columns
 *   those that were asked for
 * @param schema
 *   its columns
 * @param isEncrypted
 *   whether any of it is
 * @param isExact
 *   whether the columns that were asked for are the same to all readers, as no name differs by its case
 */
private[sparkzorder] final case class FileStatistics(
    rows: Long,
    columns: Map[FileStatistics.Wanted, FileStatistics.Column],
    schema: FileSchema,
    isEncrypted: Boolean,
    isExact: Boolean) {

  def of(column: FileStatistics.Wanted): FileStatistics.Column = columns.getOrElse(column, FileStatistics.unknown)
}

private[sparkzorder] object FileStatistics {

  /**
   * A column of one file; see [[io.sparkzorder.skipping.index.IndexedColumn]].
   *
   * @param nulls
   *   -1 where not known
   */
  final case class Column(min: Any, max: Any, nulls: Long)

  val unknown: Column = Column(null, null, -1L)

  /** A column to look for: its names on the way, and its type in the table. */
  final case class Wanted(path: Seq[String], dataType: DataType) {

    /** Whether it stands at `other`, by the names that are the same to a reader. */
    def isAt(other: Seq[String], same: Resolver): Boolean = path.corresponds(other)(same)
  }
}
