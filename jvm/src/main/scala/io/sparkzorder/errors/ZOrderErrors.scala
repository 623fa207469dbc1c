package io.sparkzorder.errors

import io.sparkzorder.config.Versions

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.DataType

/** Every error that this project raises, one function each. Names and SQLSTATEs stand in the JSON of conditions. */
object ZOrderErrors {

  private def error(condition: String, parameters: (String, String)*): ZOrderAnalysisException =
    new ZOrderAnalysisException(condition, parameters.toMap)

  private def locatedError(condition: String, origin: Origin, parameters: (String, String)*): ZOrderAnalysisException =
    new ZOrderAnalysisException(condition, parameters.toMap, origin = origin)

  private def failure(condition: String, parameters: (String, String)*): ZOrderRuntimeException =
    new ZOrderRuntimeException(condition, parameters.toMap)

  private def failure(condition: String, cause: Throwable, parameters: (String, String)*): ZOrderRuntimeException =
    new ZOrderRuntimeException(condition, parameters.toMap, Some(cause))

  private def list(items: Seq[String]): String = if (items.isEmpty) "none" else items.mkString(", ")

  // Versions

  /**
   * `what`: who cannot work. `running`: the version of Spark, `minor` that of its artifacts.
   *
   * A runtime error, though it comes from the parser: an outer parser may rewrap other errors and lose their condition.
   */
  def otherSpark(what: String, running: String, minor: String): ZOrderRuntimeException =
    failure(
      "ZORDER_OTHER_SPARK",
      "what" -> what,
      "running" -> running,
      "builtFor" -> Versions("spark.minor"),
      "artifact" -> s"spark-zorder_${minor}_${Versions("scala.binary")}"
    )

  // Functions

  /** `position` counts from 1. */
  def invalidArgumentType(
      function: String,
      position: Int,
      argument: Expression,
      expected: String,
      hint: String): ZOrderAnalysisException =
    locatedError(
      "ZORDER_INVALID_ARGUMENT_TYPE",
      argument.origin,
      "function" -> function,
      "position" -> position.toString,
      "argument" -> argument.sql,
      "actual" -> argument.dataType.sql,
      "expected" -> expected,
      "hint" -> hint
    )

  /** `value` is what `argument` evaluates to. */
  def nonPositiveRangeCount(argument: Expression, value: String, column: Expression): ZOrderAnalysisException =
    locatedError(
      "ZORDER_NON_POSITIVE_RANGE_COUNT",
      argument.origin,
      "argument" -> argument.sql,
      "value" -> value,
      "column" -> column.sql)

  def nonConstantRangeCount(argument: Expression, column: Expression): ZOrderAnalysisException =
    locatedError("ZORDER_NON_CONSTANT_RANGE_COUNT", argument.origin, "argument" -> argument.sql, "column" -> column.sql)

  /** `reference`: the outer column or lambda variable in the call's argument. */
  def rangeArgumentNotFromInput(call: Expression, reference: Expression): ZOrderAnalysisException =
    locatedError("ZORDER_RANGE_INPUT.FOREIGN_REFERENCE", call.origin, "call" -> call.sql, "reference" -> reference.sql)

  def rangeInputCorrelated(call: Expression, reference: Expression): ZOrderAnalysisException =
    locatedError("ZORDER_RANGE_INPUT.CORRELATED", call.origin, "call" -> call.sql, "reference" -> reference.sql)

  def rangeInputSpansJoin(call: Expression): ZOrderAnalysisException =
    locatedError("ZORDER_RANGE_INPUT.SPANS_JOIN", call.origin, "call" -> call.sql)

  def rangeInputStreaming(call: Expression): ZOrderAnalysisException =
    locatedError("ZORDER_RANGE_INPUT.STREAMING", call.origin, "call" -> call.sql)

  def rangeInputUnsupported(call: Expression, operator: String): ZOrderAnalysisException =
    locatedError("ZORDER_RANGE_INPUT.UNSUPPORTED_STATEMENT", call.origin, "call" -> call.sql, "operator" -> operator)

  def noAxis(call: Expression): ZOrderAnalysisException =
    locatedError("ZORDER_NO_AXIS", call.origin, "call" -> call.sql)

  /** `limit`: the most bits that so many axes can have. */
  def invalidBits(argument: Expression, axes: Int, limit: Int): ZOrderAnalysisException =
    locatedError(
      "ZORDER_INVALID_BITS",
      argument.origin,
      "argument" -> argument.sql,
      "axes" -> axes.toString,
      "limit" -> limit.toString)

  // Columns

  def noColumn(statement: String, table: String, limit: Int, example: String): ZOrderAnalysisException =
    error(
      "ZORDER_NO_COLUMN",
      "statement" -> statement,
      "table" -> table,
      "limit" -> limit.toString,
      "example" -> example)

  def tooManyColumns(count: Int, limit: Int): ZOrderAnalysisException =
    error("ZORDER_TOO_MANY_COLUMNS", "count" -> count.toString, "limit" -> limit.toString)

  def duplicateColumn(column: String): ZOrderAnalysisException = error("ZORDER_DUPLICATE_COLUMN", "column" -> column)

  def partitionColumn(column: String, table: String, allowed: Seq[String]): ZOrderAnalysisException =
    error("ZORDER_PARTITION_COLUMN", "column" -> column, "table" -> table, "allowed" -> list(allowed))

  def unorderableColumn(column: String, table: String, dataType: DataType): ZOrderAnalysisException =
    error("ZORDER_UNORDERABLE_COLUMN", "column" -> column, "table" -> table, "type" -> dataType.sql)

  def notAColumn(expression: String, table: String): ZOrderAnalysisException =
    error("ZORDER_NOT_A_COLUMN", "expression" -> expression, "table" -> table)

  def columnsWithoutStatistics(columns: Seq[String], table: String, conf: String): ZOrderAnalysisException =
    error("ZORDER_COLUMN_WITHOUT_STATISTICS", "columns" -> list(columns), "table" -> table, "conf" -> conf)

  // Predicates

  def predicateOnDataColumn(
      statement: String,
      table: String,
      columns: Seq[String],
      allowed: Seq[String]): ZOrderAnalysisException =
    error(
      "ZORDER_PREDICATE_ON_DATA_COLUMN",
      "statement" -> statement,
      "table" -> table,
      "columns" -> list(columns),
      "allowed" -> list(allowed))

  def predicateWithSubquery(statement: String, table: String): ZOrderAnalysisException =
    error("ZORDER_PREDICATE_WITH_SUBQUERY", "statement" -> statement, "table" -> table)

  def predicateNotDeterministic(statement: String, table: String, predicate: String): ZOrderAnalysisException =
    error("ZORDER_PREDICATE_NOT_DETERMINISTIC", "statement" -> statement, "table" -> table, "predicate" -> predicate)

  def predicateNotBoolean(
      statement: String,
      table: String,
      predicate: String,
      dataType: DataType): ZOrderAnalysisException =
    error(
      "ZORDER_PREDICATE_NOT_BOOLEAN",
      "statement" -> statement,
      "table" -> table,
      "predicate" -> predicate,
      "type" -> dataType.sql)

  // Queries

  /** `firstWord`: what the text begins with that should be a query. */
  def notAQuery(statement: String, firstWord: String): ZOrderAnalysisException =
    error("ZORDER_NOT_A_QUERY", "statement" -> statement, "firstWord" -> firstWord)

  // Tables

  def pathNotFound(path: String, statement: String): ZOrderAnalysisException =
    error("ZORDER_PATH_NOT_FOUND", "path" -> path, "statement" -> statement)

  def unsupportedFormat(table: String, format: String, statement: String): ZOrderAnalysisException =
    error("ZORDER_UNSUPPORTED_FORMAT", "table" -> table, "format" -> format, "statement" -> statement)

  def deltaNotOnClassPath(table: String, deltaPackage: String): ZOrderAnalysisException =
    error("ZORDER_DELTA_NOT_ON_CLASS_PATH", "table" -> table, "package" -> deltaPackage)

  def liquidClusteredTable(table: String, columns: Seq[String]): ZOrderAnalysisException =
    error("ZORDER_LIQUID_CLUSTERED_TABLE", "table" -> table, "columns" -> list(columns))

  def catalogManagedTable(table: String): ZOrderAnalysisException =
    error("ZORDER_CATALOG_MANAGED_TABLE", "table" -> table)

  def timeTravel(table: String): ZOrderAnalysisException = error("ZORDER_TIME_TRAVEL", "table" -> table)

  def tableChanged(table: String): ZOrderRuntimeException = failure("ZORDER_TABLE_CHANGED", "table" -> table)

  // Parquet tables

  def bucketedTable(table: String, statement: String): ZOrderAnalysisException =
    error("ZORDER_BUCKETED_TABLE", "table" -> table, "statement" -> statement)

  /** `owner`: what keeps `log` in `folder`. */
  def notPlainParquet(table: String, folder: String, log: String, owner: String): ZOrderAnalysisException =
    error("ZORDER_NOT_PLAIN_PARQUET", "table" -> table, "folder" -> folder, "log" -> log, "owner" -> owner)

  /** `whole`: the folder of the table. */
  def partitionOfTable(table: String, whole: String): ZOrderAnalysisException =
    error("ZORDER_PARTITION_OF_TABLE", "table" -> table, "whole" -> whole)

  def choosingOption(table: String, option: String): ZOrderAnalysisException =
    error("ZORDER_CHOOSING_OPTION", "table" -> table, "option" -> option)

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

  def ownStatistics(table: String, statement: String): ZOrderAnalysisException =
    error("ZORDER_OWN_STATISTICS", "table" -> table, "statement" -> statement)

  def noWritePermission(table: String, folder: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_NO_WRITE_PERMISSION", cause, "table" -> table, "folder" -> folder)

  def pathOutsideTable(path: String, folder: String): ZOrderRuntimeException =
    failure("ZORDER_PATH_OUTSIDE_TABLE", "path" -> path, "folder" -> folder)

  def cannotMove(from: String, to: String): ZOrderRuntimeException =
    failure("ZORDER_CANNOT_MOVE", "from" -> from, "to" -> to)

  /** `holder`: who has the lock. */
  def tableLocked(folder: String, holder: String): ZOrderRuntimeException =
    failure("ZORDER_TABLE_LOCKED", "folder" -> folder, "holder" -> holder)

  def lockLost(folder: String): ZOrderRuntimeException = failure("ZORDER_LOCK_LOST", "folder" -> folder)

  /** `file`: relative to the table. */
  def namedFilesReplaced(table: String, file: String): ZOrderRuntimeException =
    failure("ZORDER_NAMED_FILES_REPLACED", "table" -> table, "file" -> file)

  /** `folders`: relative to the table. */
  def filesChanged(table: String, folders: Seq[String]): ZOrderRuntimeException =
    failure(
      "ZORDER_FILES_CHANGED",
      "table" -> table,
      "folders" -> list(folders.map(f => if (f.isEmpty) "the table's own folder" else f)))

  def newerLog(folder: String, version: Int): ZOrderRuntimeException =
    failure("ZORDER_NEWER_LOG", "folder" -> folder, "version" -> version.toString)

  /** `reason`: what the file system or the reader says. */
  def unreadableLog(file: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_UNREADABLE_LOG", cause, "file" -> file, "reason" -> reason)

  def rewriteOvertaken(folder: String): ZOrderRuntimeException =
    failure("ZORDER_REWRITE_OVERTAKEN", "folder" -> folder)

  def listingOvertaken(folder: String): ZOrderRuntimeException =
    failure("ZORDER_LISTING_OVERTAKEN", "folder" -> folder)

  /** `files`: those that had to go, relative to the table. */
  def cannotDelete(folder: String, files: Seq[String]): ZOrderRuntimeException =
    failure("ZORDER_CANNOT_DELETE", "folder" -> folder, "files" -> list(files))

  def cannotCreate(file: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_CANNOT_CREATE", cause, "file" -> file)

  /** `ways`: values of `setting`. */
  def noExclusiveCreation(folder: String, scheme: String, setting: String, ways: Seq[String]): ZOrderRuntimeException =
    failure(
      "ZORDER_NO_EXCLUSIVE_CREATION",
      "folder" -> folder,
      "scheme" -> scheme,
      "setting" -> setting,
      "ways" -> list(ways))

  /** `location`: relative to the table's folder. */
  def sharedLocation(folder: String, location: String): ZOrderRuntimeException =
    failure("ZORDER_SHARED_LOCATION", "folder" -> folder, "location" -> location)

  // Options

  def unknownOption(statement: String, option: String, allowed: Seq[String]): ZOrderAnalysisException =
    error("ZORDER_UNKNOWN_OPTION", "statement" -> statement, "option" -> option, "allowed" -> list(allowed))

  def invalidOption(statement: String, option: String, value: String, allowed: String): ZOrderAnalysisException =
    error("ZORDER_INVALID_OPTION", "statement" -> statement, "option" -> option, "value" -> value, "allowed" -> allowed)

  // While running

  /** `reason`: what the error says that nobody expected. */
  def internalError(statement: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_INTERNAL_ERROR", cause, "statement" -> statement, "reason" -> reason)

  def rowCountMismatch(table: String, expected: Long, written: Long): ZOrderRuntimeException =
    failure(
      "ZORDER_ROW_COUNT_MISMATCH",
      "table" -> table,
      "expected" -> expected.toString,
      "written" -> written.toString)

  /** `reason`: what the file system or the reader says. */
  def unreadableFile(file: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_UNREADABLE_FILE", cause, "file" -> file, "reason" -> reason)

  def unplannedPartition(partition: String): ZOrderRuntimeException =
    failure("ZORDER_UNPLANNED_PARTITION", "partition" -> partition)
}
