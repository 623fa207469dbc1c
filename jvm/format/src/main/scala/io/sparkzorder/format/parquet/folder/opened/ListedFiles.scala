// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import java.lang.ref.WeakReference
import java.util.UUID

import scala.collection.concurrent.TrieMap

/**
 * The files that statements of this process have listed, and what distinguishes them from others: a folder that is exchanged
 * for another one of the table has other files by the same names, and their rows would come into the wrong partition.
 */
private[opened] object ListedFiles {

  private val known = TrieMap.empty[String, WeakReference[Map[String, String]]]

  /**
   * Keeps the identities of files for as long as the caller does.
   *
   * @param identities
   *   by the files' paths in the table
   * @return
   *   a name for them, which other processes do not know
   */
  def keep(identities: Map[String, String]): String = {
    known.filterInPlace((_, of) => of.get != null)
    val name = KnownFiles.Process + UUID.randomUUID
    known.put(name, new WeakReference(identities)): Unit
    name
  }

  /** None for a name that another process has given; without files where the caller is gone. */
  def of(name: String): Option[Map[String, String]] =
    Option.when(name.startsWith(KnownFiles.Process))(known.get(name).flatMap(of => Option(of.get)).getOrElse(Map.empty))
}
