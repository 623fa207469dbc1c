// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{FileIndex, InMemoryFileIndex}

/**
 * Tells which files a relation's listing would have if they were there.
 *
 * @param filters
 *   the partition filters with which it was listed
 */
private[skipping] class ListedFolders(index: FileIndex, filters: Seq[Expression], hadoop: Configuration)
    extends (Path => Boolean) {

  private lazy val roots = index.rootPaths.map(r => r.getFileSystem(hadoop).makeQualified(r)).toSet

  // Spark has the files of all partitions in memory, and then chooses.
  private lazy val ofOthers: Set[Path] = index match {
    case _ if filters.isEmpty => Set.empty
    case all: InMemoryFileIndex => all.listFiles(Nil, Nil).flatMap(_.files).map(_.getPath).toSet
    case _ => Set.empty
  }

  override def apply(file: Path): Boolean =
    Iterator.iterate(file)(_.getParent).takeWhile(_ != null).exists(roots) && !ofOthers(file)
}
