// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

/** Refusals of Iceberg tables, and what becomes of their commits. */
private[errors] trait IcebergErrors extends ErrorBuilder {

  /** `running`: the Spark that runs. `needed`: the Sparks and the Iceberg that it works with. */
  def icebergOnOtherSpark(table: String, running: String, needed: String): ZOrderAnalysisException =
    error("ZORDER_ICEBERG_ON_OTHER_SPARK", "table" -> table, "running" -> running, "needed" -> needed)

  def icebergNotOnClassPath(table: String, icebergPackage: String): ZOrderAnalysisException =
    error("ZORDER_ICEBERG_NOT_ON_CLASS_PATH", "table" -> table, "package" -> icebergPackage)

  def otherIceberg(table: String, running: String, icebergPackage: String): ZOrderAnalysisException =
    error("ZORDER_OTHER_ICEBERG", "table" -> table, "running" -> running, "package" -> icebergPackage)

  def icebergByPath(path: String, statement: String): ZOrderAnalysisException =
    error("ZORDER_ICEBERG_BY_PATH", "path" -> path, "statement" -> statement)

  /** `predicate` on a column from which partitions are derived. */
  def icebergPredicate(table: String, predicate: String): ZOrderAnalysisException =
    error("ZORDER_ICEBERG_PREDICATE", "table" -> table, "predicate" -> predicate)

  /** `reason`: why such a table cannot be rewritten, and what to do. */
  def icebergNotRewritable(table: String, reason: String): ZOrderAnalysisException =
    error("ZORDER_ICEBERG_NOT_REWRITABLE", "table" -> table, "reason" -> reason)

  /** `branches`: those that there are, but for the main one. */
  def icebergNoBranch(table: String, branch: String, branches: Seq[String]): ZOrderAnalysisException =
    error(
      "ZORDER_ICEBERG_NO_BRANCH",
      "table" -> table,
      "branch" -> branch,
      "branches" -> (if (branches.isEmpty) "none but main" else branches.mkString(", ")))

  /** `what`: a statement or an option. */
  def icebergKeepsItself(what: String, table: String): ZOrderAnalysisException =
    error("ZORDER_ICEBERG_KEEPS_ITSELF", "what" -> what, "table" -> table)

  /** `properties`: how the table comes to keep bounds of the columns. */
  def icebergWithoutBounds(table: String, columns: Seq[String], properties: Seq[String]): ZOrderAnalysisException =
    error(
      "ZORDER_ICEBERG_WITHOUT_BOUNDS",
      "table" -> table,
      "columns" -> list(columns),
      "properties" -> properties.mkString(", "))

  /** `reason`: what Iceberg says of the conflict. */
  def icebergConflict(table: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_ICEBERG_CONFLICT", cause, "table" -> table, "reason" -> reason)

  /** `reason`: what the catalog says. */
  def icebergCommitRefused(table: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_ICEBERG_COMMIT_REFUSED", cause, "table" -> table, "reason" -> reason)

  /** `reason`: what Iceberg says. */
  def icebergCommitFailed(table: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_ICEBERG_COMMIT_FAILED", cause, "table" -> table, "reason" -> reason)

  /** Likewise. */
  def icebergCommitUnknown(table: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_ICEBERG_COMMIT_UNKNOWN", cause, "table" -> table, "reason" -> reason)

  def icebergFilesGone(table: String, files: Seq[String]): ZOrderRuntimeException =
    failure("ZORDER_ICEBERG_FILES_GONE", "table" -> table, "count" -> files.size.toString, "file" -> files.head)

  def icebergMetadataGone(statement: String, file: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_ICEBERG_METADATA_GONE", cause, "statement" -> statement, "file" -> file, "reason" -> reason)
}
