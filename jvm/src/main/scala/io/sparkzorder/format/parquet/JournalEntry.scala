package io.sparkzorder.format.parquet

import io.sparkzorder.skipping.ListedFile

/**
 * A rewrite of a table, written down before any of its files is moved.
 *
 * @param id
 *   of the rewrite; its files are staged under this name
 * @param folders
 *   what it does in each folder that has files
 */
private[parquet] final case class JournalEntry(id: String, folders: Seq[JournalEntry.Folder])

private[parquet] object JournalEntry {

  /**
   * @param path
   *   relative to the table; empty for the table's own folder
   * @param replaced
   *   files that go, as they were when they were read
   * @param added
   *   files that come
   */
  final case class Folder(path: String, replaced: Seq[ListedFile], added: Seq[Added])

  /**
   * @param staged
   *   relative to the table
   * @param path
   *   its place in the table, likewise
   */
  final case class Added(staged: String, path: String, bytes: Long)
}
