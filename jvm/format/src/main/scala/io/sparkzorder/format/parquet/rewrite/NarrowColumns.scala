// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.listing.{ParquetFile, TableDefinition}
import io.sparkzorder.parquet.footer.{FileStatistics, StatisticsColumn}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types._

/**
 * Looks for numbers that do not fit the table's type for them. Of an INT32 that a table has as TINYINT or SMALLINT Spark's
 * reader takes the lower bytes without a look at the others, which would then be nowhere any more.
 *
 * Some writers store small numbers as INT32 without a note, so that the types alone do not show it; the footers' bounds do.
 */
private[parquet] object NarrowColumns {

  /** The columns whose bounds [[requireFit]] needs. */
  def of(table: TableDefinition): IndexedSeq[StatisticsColumn] =
    table.indexable.filter(c => c.dataType == ByteType || c.dataType == ShortType)

  /**
   * @param footers
   *   the footer of each file, with the statistics of these columns
   * @throws ZOrderAnalysisException
   *   which names a column whose values do not fit, or are not known to
   */
  def requireFit(
      session: SparkSession,
      table: TableDefinition,
      files: IndexedSeq[ParquetFile],
      footers: IndexedSeq[FileStatistics]): Unit = {
    val same = session.sessionState.conf.resolver
    def wider(known: DataType, stored: DataType, path: Seq[String]): Seq[(Seq[String], DataType, DataType)] =
      (known, stored) match {
        case (ByteType, ShortType | IntegerType) | (ShortType, IntegerType) => Seq((path, known, stored))
        // A UINT_32, of which Spark reads the larger half as negative numbers.
        case (IntegerType, LongType) => Seq((path, known, stored))
        case (k: StructType, s: StructType) =>
          k.flatMap(f =>
            s.find(g => same(f.name, g.name)).toSeq.flatMap(g => wider(f.dataType, g.dataType, path :+ f.name)))
        case (ArrayType(k, _), ArrayType(s, _)) => wider(k, s, path :+ "element")
        case (MapType(k, v, _), MapType(t, w, _)) => wider(k, t, path :+ "key") ++ wider(v, w, path :+ "value")
        case _ => Nil
      }
    for {
      (file, footer) <- files.zip(footers)
      (path, known, stored) <- wider(table.dataSchema, footer.schema.columns, Nil)
    } {
      val found = footer.of(StatisticsColumn(path, known))
      val fits = (found.min != null && found.max != null) || found.nullCount.contains(footer.rows)
      if (!fits)
        throw ZOrderErrors.narrowType(ColumnPath(path).toString, table.name, known.sql, stored.sql, file.path)
    }
  }
}

/**
 * Which numbers of files a table's type holds, where one of both types is a DECIMAL. Spark's reader of batches refuses the
 * others; its reader of rows rounds them, makes NULL of them, or takes the unscaled number for the value, and a rewrite would
 * store that.
 */
private[parquet] object DecimalsInFiles {

  /** Whether each value of the type `stored` stays itself in a column of the type `known`. */
  def areKept(known: DataType, stored: DataType): Boolean = (known, stored) match {
    case (k: DecimalType, s: DecimalType) => holds(k, s)
    case (k: DecimalType, ByteType) => holds(k, DecimalType(3, 0))
    case (k: DecimalType, ShortType) => holds(k, DecimalType(5, 0))
    case (k: DecimalType, IntegerType) => holds(k, DecimalType(10, 0))
    case (k: DecimalType, LongType) => holds(k, DecimalType(20, 0))
    case (_: DecimalType, _) | (_, _: DecimalType) => false
    case _ => true
  }

  private def holds(known: DecimalType, stored: DecimalType): Boolean =
    known.scale >= stored.scale && known.precision - known.scale >= stored.precision - stored.scale
}
