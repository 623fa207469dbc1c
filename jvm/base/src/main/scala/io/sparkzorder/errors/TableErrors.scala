// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import org.apache.spark.sql.types.DataType

/** Refusals of tables that a statement cannot work on. */
private[errors] trait TableErrors extends ErrorBuilder {

  def pathNotFound(path: String, statement: String): ZOrderAnalysisException =
    error("ZORDER_PATH_NOT_FOUND", "path" -> path, "statement" -> statement)

  /** `otherPath`: the folder by the name of the format of the table in it. */
  def otherFormatAtPath(path: String, format: String, otherPath: String, statement: String): ZOrderAnalysisException =
    error(
      "ZORDER_OTHER_FORMAT_AT_PATH",
      "path" -> path,
      "format" -> format,
      "otherPath" -> otherPath,
      "statement" -> statement)

  def pathIsAFile(path: String, folder: String, statement: String): ZOrderAnalysisException =
    error("ZORDER_PATH_IS_A_FILE", "path" -> path, "folder" -> folder, "statement" -> statement)

  /** `folder`: the path up to the wildcard. */
  def pathWithWildcard(path: String, folder: String, statement: String): ZOrderAnalysisException =
    error("ZORDER_PATH_WITH_WILDCARD", "path" -> path, "folder" -> folder, "statement" -> statement)

  /** `formats`: those that the statement takes, as they are written. */
  def unsupportedFormat(
      table: String,
      format: String,
      statement: String,
      formats: Seq[String]): ZOrderAnalysisException =
    error(
      "ZORDER_UNSUPPORTED_FORMAT",
      "table" -> table,
      "format" -> format,
      "statement" -> statement,
      "formats" -> (formats.dropRight(2) :+ formats.takeRight(2).mkString(" and ")).mkString(", ")
    )

  def deltaNotOnClassPath(table: String, deltaPackage: String): ZOrderAnalysisException =
    error("ZORDER_DELTA_NOT_ON_CLASS_PATH", "table" -> table, "package" -> deltaPackage)

  def otherDelta(table: String, running: String, deltaPackage: String): ZOrderAnalysisException =
    error("ZORDER_OTHER_DELTA", "table" -> table, "running" -> running, "package" -> deltaPackage)

  def structsWithoutFields(table: String, running: String): ZOrderAnalysisException =
    error("ZORDER_STRUCTS_WITHOUT_FIELDS", "table" -> table, "running" -> running)

  def liquidClusteredTable(table: String, columns: Seq[String]): ZOrderAnalysisException =
    error("ZORDER_LIQUID_CLUSTERED_TABLE", "table" -> table, "columns" -> list(columns))

  def catalogManagedTable(table: String): ZOrderAnalysisException =
    error("ZORDER_CATALOG_MANAGED_TABLE", "table" -> table)

  def withoutDeltaExtension(table: String): ZOrderAnalysisException =
    error("ZORDER_WITHOUT_DELTA_EXTENSION", "table" -> table)

  def timeTravel(table: String): ZOrderAnalysisException = error("ZORDER_TIME_TRAVEL", "table" -> table)

  /** `incremental` run on a table that does not record how its files were laid out. */
  def withoutClusteringRecord(table: String): ZOrderAnalysisException =
    error("ZORDER_NO_CLUSTERING_RECORD", "table" -> table)

  def tableChanged(table: String, cause: Option[Throwable] = None): ZOrderRuntimeException = {
    val named = "table" -> table
    cause.fold(failure("ZORDER_TABLE_CHANGED", named))(failure("ZORDER_TABLE_CHANGED", _, named))
  }

  // Parquet tables

  def bucketedTable(table: String, statement: String): ZOrderAnalysisException =
    error("ZORDER_BUCKETED_TABLE", "table" -> table, "statement" -> statement)

  /** `owner`: what keeps `log` in `folder`. */
  def notPlainParquet(table: String, folder: String, log: String, owner: String): ZOrderAnalysisException =
    error("ZORDER_NOT_PLAIN_PARQUET", "table" -> table, "folder" -> folder, "log" -> log, "owner" -> owner)

  /** `mount`: the folder at which something is mounted. */
  def otherMount(table: String, folder: String, mount: String): ZOrderAnalysisException =
    error("ZORDER_OTHER_MOUNT", "table" -> table, "folder" -> folder, "mount" -> mount)

  def fileOfIceberg(table: String, file: String): ZOrderAnalysisException =
    error("ZORDER_FILE_OF_ICEBERG", "table" -> table, "file" -> file)

  /** `whole`: the folder of the table. */
  def partitionOfTable(table: String, whole: String): ZOrderAnalysisException =
    error("ZORDER_PARTITION_OF_TABLE", "table" -> table, "whole" -> whole)

  /** `owner`: what keeps `log` in `folder`, which is relative to the table. */
  def tableBelow(table: String, folder: String, log: String, owner: String): ZOrderAnalysisException =
    error("ZORDER_TABLE_BELOW", "table" -> table, "folder" -> folder, "log" -> log, "owner" -> owner)

  def choosingOption(table: String, option: String): ZOrderAnalysisException =
    error("ZORDER_CHOOSING_OPTION", "table" -> table, "option" -> option)

  /** `dataType` is the table's, and `otherType` that of `file`. */
  def narrowType(
      column: String,
      table: String,
      dataType: String,
      otherType: String,
      file: String): ZOrderAnalysisException =
    error(
      "ZORDER_NARROW_TYPE",
      "column" -> column,
      "table" -> table,
      "type" -> dataType,
      "otherType" -> otherType,
      "file" -> file)

  def reservedColumn(table: String, column: String): ZOrderAnalysisException =
    error("ZORDER_RESERVED_COLUMN", "table" -> table, "column" -> column)

  /** `file` and `otherFile` have the column as `dataType` and `otherType`. */
  def clashingTypes(
      column: String,
      table: String,
      dataType: String,
      file: String,
      otherType: String,
      otherFile: String): ZOrderAnalysisException =
    error(
      "ZORDER_CLASHING_TYPES",
      "column" -> column,
      "table" -> table,
      "type" -> dataType,
      "file" -> file,
      "otherType" -> otherType,
      "otherFile" -> otherFile)

  /** `format`: what the file seems to be. */
  def notParquet(file: String, format: String): ZOrderAnalysisException =
    error("ZORDER_NOT_PARQUET", "file" -> file, "format" -> format)

  def namesDifferByCase(column: String, other: String, table: String): ZOrderAnalysisException =
    error("ZORDER_NAMES_DIFFER_BY_CASE", "column" -> column, "otherColumn" -> other, "table" -> table)

  def partitionColumnInFile(column: String, table: String, file: String): ZOrderAnalysisException =
    error("ZORDER_PARTITION_COLUMN_IN_FILE", "column" -> column, "table" -> table, "file" -> file)

  def untrueFileSchema(
      column: String,
      table: String,
      file: String,
      dataType: String,
      noted: String): ZOrderAnalysisException =
    error(
      "ZORDER_UNTRUE_FILE_SCHEMA",
      "column" -> column,
      "table" -> table,
      "file" -> file,
      "type" -> dataType,
      "noted" -> noted)

  def unreadableColumn(column: String, table: String, file: String, dataType: String): ZOrderAnalysisException =
    error("ZORDER_UNREADABLE_COLUMN", "column" -> column, "table" -> table, "file" -> file, "type" -> dataType)

  def contradictingIds(
      table: String,
      file: String,
      column: String,
      id: String,
      other: String,
      otherId: String): ZOrderAnalysisException =
    error(
      "ZORDER_CONTRADICTING_FIELD_IDS",
      "table" -> table,
      "file" -> file,
      "column" -> column,
      "id" -> id,
      "other" -> other,
      "otherId" -> otherId)

  def geoMetadataDiffers(table: String, file: String, otherFile: String): ZOrderAnalysisException =
    error("ZORDER_GEOPARQUET_METADATA", "table" -> table, "file" -> file, "otherFile" -> otherFile)

  def nanoseconds(column: String, table: String, file: String): ZOrderAnalysisException =
    error("ZORDER_NANOSECONDS", "column" -> column, "table" -> table, "file" -> file)

  def encryptedFile(table: String, file: String): ZOrderAnalysisException =
    error("ZORDER_ENCRYPTED_FILE", "table" -> table, "file" -> file)

  def noStatisticsFor(column: String, table: String, dataType: DataType): ZOrderAnalysisException =
    error("ZORDER_NO_STATISTICS_FOR_TYPE", "column" -> column, "table" -> table, "type" -> dataType.sql)

  /** OPTIMIZE without ZORDER on a table whose format has that statement itself. */
  def ownCompaction(table: String): ZOrderAnalysisException = error("ZORDER_OWN_COMPACTION", "table" -> table)

  def ownStatistics(table: String, statement: String): ZOrderAnalysisException =
    error("ZORDER_OWN_STATISTICS", "table" -> table, "statement" -> statement)
}
