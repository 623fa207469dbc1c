// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

/** Every error that this project raises, one function each. Names and SQLSTATEs stand in the JSON of conditions. */
object ZOrderErrors
    extends FunctionErrors
    with StatementErrors
    with TableErrors
    with IcebergErrors
    with OrderErrors
    with RewriteErrors {

  /**
   * `what`: who cannot work. `running`: the version of Spark. `artifact`: what to take for it.
   *
   * A runtime error, though it comes from the parser: an outer parser may rewrap other errors and lose their condition.
   */
  def otherSpark(what: String, running: String, builtFor: String, artifact: String): ZOrderRuntimeException =
    failure(
      "ZORDER_OTHER_SPARK",
      "what" -> what,
      "running" -> running,
      "builtFor" -> builtFor,
      "artifact" -> artifact)

  // While running

  /** `reason`: what the file system says. */
  def noSpace(statement: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_NO_SPACE", cause, "statement" -> statement, "reason" -> reason)

  /** `reason`: which folder or file, as the file system says it. */
  def accessDenied(statement: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_ACCESS_DENIED", cause, "statement" -> statement, "reason" -> reason)

  /** `reason`: what the error says that nobody expected. */
  def internalError(statement: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_INTERNAL_ERROR", cause, "statement" -> statement, "reason" -> reason)

  def rowCountMismatch(table: String, expected: Long, written: Long): ZOrderRuntimeException =
    failure(
      "ZORDER_ROW_COUNT_MISMATCH",
      "table" -> table,
      "expected" -> expected.toString,
      "written" -> written.toString)

  def partitionMismatch(table: String, partition: String, read: Long, written: Long): ZOrderRuntimeException =
    failure(
      "ZORDER_PARTITION_MISMATCH",
      "table" -> table,
      "partition" -> partition,
      "read" -> read.toString,
      "written" -> written.toString)

  /** `reason`: what the file system or the reader says. */
  def unreadableFile(file: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    if (UnreadableFile.isDenied(cause)) closedFile(file, reason, cause)
    else failure("ZORDER_UNREADABLE_FILE", cause, "file" -> file, "reason" -> reason)

  /** A file that the user may not read. */
  def closedFile(file: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_CLOSED_FILE", cause, "file" -> file, "reason" -> reason)

  def unplannedPartition(partition: String): ZOrderRuntimeException =
    failure("ZORDER_UNPLANNED_PARTITION", "partition" -> partition)
}
