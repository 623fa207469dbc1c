// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import scala.collection.mutable

import io.sparkzorder.skipping.predicate.IndexSource

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{PartitionDirectory, PartitionSpec, PartitioningAwareFileIndex}

/**
 * The files of a relation of Spark's V2 reader, each row once, as [[ZOrderFileIndex]] has them; none is skipped.
 *
 * That reader takes file indexes of this class only. It asks for [[listFiles]]; the rest is as `files` has it.
 */
private[skipping] final class CurrentFileIndex(
    session: SparkSession,
    val files: PartitioningAwareFileIndex,
    source: IndexSource)
    extends PartitioningAwareFileIndex(session, Map.empty, None) {

  private val current = new ZOrderFileIndex(session, files, source, skipping = false)

  override def listFiles(partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] =
    current.listFiles(partitionFilters, dataFilters)

  override def partitionSpec(): PartitionSpec = files.partitionSpec()

  override def rootPaths: Seq[Path] = files.rootPaths

  override def allFiles(): Seq[FileStatus] = files.allFiles()

  override def refresh(): Unit = files.refresh()

  override protected def leafFiles: mutable.LinkedHashMap[Path, FileStatus] =
    mutable.LinkedHashMap.from(files.allFiles().map(f => f.getPath -> f))

  override protected def leafDirToChildrenFiles: Map[Path, Array[FileStatus]] =
    files.allFiles().toArray.groupBy(_.getPath.getParent)

  // Scans of one relation share an exchange.
  override def equals(other: Any): Boolean = other match {
    case index: CurrentFileIndex => files == index.files
    case _ => false
  }

  override def hashCode: Int = files.hashCode
}
