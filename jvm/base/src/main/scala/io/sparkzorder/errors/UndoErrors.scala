// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

/** What goes wrong when files that a rewrite has replaced are to be kept or to come back. */
private[errors] trait UndoErrors extends ErrorBuilder {

  def keepsByItself(table: String): ZOrderAnalysisException = error("ZORDER_KEEPS_OLD_FILES", "table" -> table)

  /** `statement`: what asks for tables of which this project keeps replaced files. */
  def notRestorable(table: String, statement: String): ZOrderAnalysisException =
    error("ZORDER_NOT_RESTORABLE", "table" -> table, "statement" -> statement)

  /** `file`: what says which files of a rewrite are kept. `kept`: the folder of these. */
  def unreadableKept(file: String, reason: String, kept: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_UNREADABLE_KEPT_FILES", cause, "file" -> file, "reason" -> reason, "kept" -> kept)

  /** `known`: the rewrites of which files are kept. */
  def noSuchRewrite(table: String, rewrite: Long, known: Seq[String]): ZOrderRuntimeException =
    failure(
      "ZORDER_NO_SUCH_REWRITE",
      "table" -> table,
      "rewrite" -> rewrite.toString,
      "known" -> list(known))

  /** `gone`: files that the rewrite had written. `notKept`: files that it had replaced. */
  def cannotRestore(table: String, rewrite: Long, gone: Seq[String], notKept: Seq[String]): ZOrderRuntimeException =
    failure(
      "ZORDER_CANNOT_RESTORE",
      "table" -> table,
      "rewrite" -> rewrite.toString,
      "gone" -> list(gone),
      "notKept" -> list(notKept))
}
