// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.io.FileNotFoundException
import java.nio.file.{AccessDeniedException, NoSuchFileException}

import scala.collection.mutable

import org.apache.hadoop.security.AccessControlException

/**
 * The access that what is kept of each data file may have: who may read and list the file may read it, who may delete the
 * file may write it. Catalogs have partitions in folders of any name, so also those of hidden names are looked into.
 */
private[folder] object KeptAccess {

  /** What a folder has, as it is when it is asked for: it may have gone. */
  abstract class Entry(val name: String) {

    /** Whether readers pass over it. */
    def isHidden: Boolean

    def isFile: Boolean

    def access: Access

    /** The folder's access and what is in it; None of what is no folder. */
    def inFolder[T](body: (Access, Iterable[Entry]) => T): Option[T]
  }

  /** Those of the files in a folder of this access that differ. */
  def of(access: Access, entries: Iterable[Entry]): Seq[Access] = of(access, entries, isHidden = false)

  private def of(access: Access, entries: Iterable[Entry], isHidden: Boolean): Seq[Access] = {
    val (ofFiles, ofFolders) = (mutable.Set.empty[Access], mutable.Set.empty[Access])
    entries.foreach { entry =>
      try
        if (entry.isFile) { if (!entry.isHidden) ofFiles += entry.access }
        else if (!hasNoData(entry.name))
          entry.inFolder((inner, its) => of(inner, its, isHidden || entry.isHidden).map(_.namedIn(inner)))
            .foreach(ofFolders ++= _)
      catch {
        case _: FileNotFoundException | _: NoSuchFileException => ()
        // Somebody's folder that is no data of this user's, as far as they can see.
        case _: AccessControlException | _: AccessDeniedException if isHidden || entry.isHidden => ()
      }
    }
    (ofFiles.map(_.deletedIn(access)) ++ ofFolders).toSeq
  }

  private val OfOthers =
    Set("_temporary", ".git", ".dvc", ".ssh", ".cache", ".config", ".local", ".snapshot", ".snapshots", ".zfs")

  /** Whether a folder of this name has what was thrown away, or files of a writer at work or of a tool. */
  private def hasNoData(name: String): Boolean = OfOthers(name) || Beginnings.exists(name.startsWith)

  private val Beginnings = Seq(".Trash", ".spark-staging-", ".hive-staging")
}
