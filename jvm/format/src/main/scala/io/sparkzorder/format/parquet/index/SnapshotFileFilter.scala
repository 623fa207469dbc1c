// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.format.parquet.listing.ParquetFile
import io.sparkzorder.skipping.predicate.{FilePredicate, FilesWithStatistics}

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{DataType, StructType}

/** Files of a snapshot, to be chosen as a query would choose them. */
private[parquet] class SnapshotFileFilter(files: IndexedSeq[ParquetFile], dataSchema: StructType)
    extends FilesWithStatistics {

  override def size: Int = files.size

  override def rows(file: Int): Long = files(file).rows.get

  override def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles] = {
    val column = ColumnPath(path)
    if (!column.isIn(dataSchema) || column.dataType(dataSchema) != dataType) None
    else Some(ColumnStatistics.ofFiles(files.map(_.statistics(column))))
  }

  /** Those in which rows may satisfy all of the filters. */
  def matching(filters: Seq[Expression]): IndexedSeq[ParquetFile] =
    FilePredicate(filters, this) match {
      case Some(predicate) => files.zipWithIndex.collect { case (file, i) if predicate.mayMatch(i) => file }
      case None => files
    }
}
