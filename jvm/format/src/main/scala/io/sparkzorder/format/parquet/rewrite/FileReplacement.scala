// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.io.IOException

import io.sparkzorder.errors.{RememberedWarnings, ZOrderErrors, ZOrderRuntimeException}
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.access.{Access, NewAccess}
import io.sparkzorder.format.parquet.listing.TableDefinition
import io.sparkzorder.format.parquet.log.{LogEntry, LogState, RewriteExecutor}
import io.sparkzorder.format.parquet.log.LogEntry.{Added, FolderChange}

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging

/**
 * Puts staged files into a table in the place of others that have the same rows, by an entry of the log.
 *
 * @param id
 *   id of the rewrite, under which its files are staged
 * @param since
 *   the state of the log before the files to replace were listed
 */
private[rewrite] final class FileReplacement(table: TableDefinition, held: RewriteLease, id: String, since: LogState)
    extends Logging {
  import table.folder

  /**
   * @param wanted
   *   the files to replace and to add, for each folder
   * @param keptUntil
   *   see [[io.sparkzorder.format.parquet.log.LogEntry]]
   * @param identities
   *   of the staged files; see [[io.sparkzorder.format.parquet.folder.TableFolder.identitiesOfStaged]]
   * @param sources
   *   access to the files that new ones are copies of, by the paths of the new ones in the table
   * @return
   *   the folders that have their new files, and old files that could not be deleted
   */
  def run(
      wanted: Seq[FolderChange],
      keptUntil: Long,
      identities: Map[Path, String],
      sources: Map[String, Access] = Map.empty): (Seq[FolderChange], Seq[String]) = {
    val paths = wanted.flatMap(_.paths).distinct
    // A store takes requests for each look, at each folder, and there is one when the entry is written.
    val looksTwice = !folder.isStore
    if (looksTwice) {
      held.requireLock()
      new PlainParquetCheck(table).checkAgain(paths)
    }
    // As readers and whoever has to finish the rewrite see it.
    folder.requireTrusted(paths, Seq(new Path(folder.staging, id)))
    val ready = wanted.filter(protect(_, identities, sources))
    if (keptUntil != LogEntry.NotKept) requireFolderOfKept()
    // Saves an entry that another statement would have to finish; safety is up to the log.
    held.requireLock()
    val intact = if (looksTwice) ready.filter(w => folder.areUnchanged(w.replacedWithIdentities)) else ready
    held.adds(id, intact)
    val entry = if (intact.isEmpty) None else table.rewriteLog.claim(id, intact, since, keptUntil)
    val outcome = entry.map { e =>
      new RewriteExecutor(folder, table.rewriteLog, isRefused = PlainParquetCheck.refuses(table))
        .execute(LogState.LoggedRewrite(e, None, isClosed = false))
        .getOrElse(throw ZOrderErrors.rewriteOvertaken(folder.root.toString))
    }
    // Says why, where nothing was moved or deleted because files are those of another table by now.
    if (outcome.exists(o => o.moved.isEmpty || o.remaining.nonEmpty)) new PlainParquetCheck(table).checkAgain(paths)
    val done = entry.toSeq.flatMap(_.folders).filter(f => outcome.exists(_.moved(f.path)))
    (done, outcome.toSeq.flatMap(_.remaining))
  }

  /** Before the entry is written, which any process may carry out from then on. */
  private def requireFolderOfKept(): Unit = {
    folder.make(folder.replaced)
    if (!folder.status(folder.replaced).exists(_.isDirectory)) {
      val cause = new IOException("it is no folder")
      throw ZOrderErrors.cannotCreate(folder.replaced.toString, cause)
    }
    folder.requireOwnWritable(Seq(folder.replaced))
    folder.requireOpen(folder.replaced)
  }

  /**
   * New files are no more open than any of the old ones that they replace, or are copies of.
   *
   * @return
   *   whether the old ones were there: of others it is not known who may read them, and new ones stay closed
   */
  private def protect(f: FolderChange, identities: Map[Path, String], sources: Map[String, Access]): Boolean =
    f.added.groupBy(a => ListedFile.folderOf(a.path)).forall { case (to, added) =>
      folder.requireOpenToOwner(table.name, to)
      val found = f.replaced.map(old => old -> folder.accessesFrom(to, old.path, f.identity(old)))
      for ((old, access) <- found; known <- access) folder.requireOpenToOwner(table.name, old, known)
      val areThere = found.forall(_._2.isDefined) || hasNoPermissions
      if (areThere) protectIn(to, added, f, found.map(_._2.getOrElse(NewAccess(Access.ofMe))), identities, sources)
      areThere
    }

  private def hasNoPermissions = folder.accessOf(folder.root).isEmpty

  /** @param old access to the old files, as they need it in the folder */
  private def protectIn(
      to: String,
      added: Seq[Added],
      f: FolderChange,
      old: Seq[NewAccess],
      identities: Map[Path, String],
      sources: Map[String, Access]): Unit = {
    val inFolder = folder.accessOfFolder(to)
    def preferring(access: Access) = inFolder.fold(access)(access.preferring)
    val ofOld = old.map(a => a.copy(opened = preferring(a.opened)))
    // A restored file may come into a folder in which it replaces none.
    val access = ofOld.reduceOption(_.and(_)).getOrElse(NewAccess(preferring(folder.accessNow()))).map(_.ofFile)
    // As their folders close the old files: those of a kept one have closed it.
    lazy val reached =
      Access.common(f.replaced.map(old => folder.accessFrom("", old.path, f.identity(old)).getOrElse(Access.ofMe)))
    def isAsOpen(source: Access) = reached.exists(r => source.isReadByAllOf(r.ofFile))
    added.foreach { file =>
      val source = sources.get(file.path).map(_.ofFile)
      val opened = source.filterNot(isAsOpen).map(preferring).fold(access.opened)(access.opened.and)
      val closed = source.fold(access.closed)(access.closed.and).and(opened)
      // The folder that has the name now may be another one than that of the old files.
      val ofNew = NewAccess(opened, closed, access.ways ++ source.map(List(_))).forReader
      folder.protectStaged(folder.resolve(file.staged), ofNew.map(folder.asCreatedIn(to, _)), identities)
    }
    val staged = added.map(a => folder.resolve(a.staged))
    ofOld.map(_.opened).groupBy(_.owner).foreach { case (owner, its) =>
      owner.foreach(requireReadable(staged, _, its.exists(_.acl.nonEmpty)))
    }
  }

  /**
   * Where this user could not give new files to an owner of old ones, that one must be able to read them as well.
   *
   * @param hasList
   *   whether files of that one have an access control list
   */
  private def requireReadable(staged: Seq[Path], owner: String, hasList: Boolean): Unit =
    if (staged.exists(!folder.mayBeReadBy(_, owner)) && !folder.isSuperuser(owner)) {
      val reason =
        s"new files would be closed to $owner, who owns some that they replace; let $owner run it, or open the files to them all"
      // Elsewhere policies, as Ranger's are, may open to them what modes close, and a superuser needs none.
      if (folder.scheme != "file" && !hasList) ofPolicy(s"${table.name}: by their modes $reason")
      else throw ZOrderErrors.accessDenied(s"A rewrite of ${table.name}", reason, null)
    }

  private val warnings = new RememberedWarnings[String]

  private def ofPolicy(warning: String): Unit = if (warnings.isNew(warning)) logWarning(warning)
}

private[rewrite] object FileReplacement {

  /**
   * That some folders were changed by others. Where a new file comes while Spark's INSERT OVERWRITE deletes a folder of a
   * local disk, what it has written ends up in a folder of the same name below that one, and it says that it succeeded. New
   * files that were moved into a folder that is renamed then stay there beside the old ones.
   */
  def changed(table: TableDefinition, folders: Seq[String]): ZOrderRuntimeException = {
    import table.folder.{hasLink, resolve, status}
    def isFolder(path: String) = !hasLink(path) && status(resolve(path)).exists(_.isDirectory)
    def below(folder: String) =
      Option.when(folder.nonEmpty)(s"$folder/${ListedFile.nameOf(folder)}").filter(isFolder)
    def isGone(folder: String) = folder.nonEmpty && status(resolve(folder)).isEmpty
    val named = folders.map { f =>
      if (isGone(f))
        s"$f (which is gone: if it was renamed, new files may double rows there; the next statement on the table names those)"
      else below(f).fold(f)(to => s"$f (what a writer has written for it lies in $to: move it up)")
    }
    ZOrderErrors.filesChanged(table.name, named)
  }
}
