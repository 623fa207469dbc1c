// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import io.sparkzorder.errors.ZOrderErrors

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory, PartitioningAwareFileIndex}

/**
 * The listing of a relation that was given files and no folders, as Spark makes one of `/t/p=1/&#42;.parquet`.
 *
 * It has these files for good: those that a rewrite brings since are never among them, however often it is repeated.
 */
private[skipping] class NamedFiles(session: SparkSession, source: IndexSource, folders: Seq[Path]) {

  private val tables = TableFolders.of(folders, session.sessionState.newHadoopConf(), arePartitions = false, source)

  /**
   * @return
   *   the files to leave out, whose rows are in other files of the listing
   * @throws ZOrderRuntimeException
   *   where rows of files are in other files, which are not listed
   */
  def filesToExclude(directories: Seq[PartitionDirectory]): Set[Path] =
    tables.filesToExclude(directories, haveOneFolder = false, filesToExclude(_, _)).getOrElse(Set.empty)

  private def filesToExclude(table: Path, files: ListedFiles): Option[Set[String]] = {
    def ask(isFresh: Boolean) = source.filesToExclude(session, table, files, isFresh, _ => false)
    ask(isFresh = false).orElse {
      // Some are of before a rewrite, or it has new ones besides. Where all of these are new, nothing is read twice.
      val replaced = ask(isFresh = true).getOrElse(Set.empty)
      files.in(_ => true).find(f => replaced(f.path)).foreach(f =>
        throw ZOrderErrors.namedFilesReplaced(table.toString, f.path))
      Some(Set.empty)
    }
  }
}

private[skipping] object NamedFiles {

  /**
   * The folders of the files that a relation was given; none where it was given folders only.
   *
   * @param areAll
   *   whether it was given files only
   */
  final case class Found(folders: Seq[Path], areAll: Boolean)

  /** @param listed some of the relation's files */
  def of(index: FileIndex, listed: Seq[PartitionDirectory], session: SparkSession): Found = index match {
    case all: PartitioningAwareFileIndex =>
      val hadoop = session.sessionState.newHadoopConf()
      val roots = all.rootPaths.map(r => r.getFileSystem(hadoop).makeQualified(r)).toSet
      // One root is mostly a folder, of any number of files, none of which has to be looked at.
      if (roots.size == 1 && listed.iterator.flatMap(_.files).nextOption().exists(f => !roots(f.getPath)))
        Found(Nil, areAll = false)
      else {
        val named = all.allFiles().map(_.getPath).filter(roots)
        Found(named.map(_.getParent).distinct, areAll = named.nonEmpty && named.size == roots.size)
      }
    case _ => Found(Nil, areAll = false)
  }
}
