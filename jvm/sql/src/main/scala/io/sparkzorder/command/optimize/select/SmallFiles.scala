// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.select

import io.sparkzorder.format.DataFile
import io.sparkzorder.layout.incremental.Sections

import org.apache.spark.sql.catalyst.InternalRow

/**
 * Packs the small files of each partition into bins, of each of which one file is made.
 *
 * A file that a z-order has laid out is none of them, whatever its size: with other rows in it, it would be clustered no
 * more.
 *
 * @param targetFileBytes
 *   the size of the files of a partition to aim at: smaller files are small, and no bin is larger
 */
private[command] class SmallFiles(targetFileBytes: InternalRow => Long) extends FileSelection {

  override def select(partitions: IndexedSeq[IndexedSeq[DataFile]]): IndexedSeq[RewriteGroup] =
    partitions.flatMap { files =>
      val bins = SmallFiles.bins(files.filter(_.clustering.isEmpty), targetFileBytes(files.head.partition))
        // A bin without rows would make no file.
        .filterNot(FileSelection.recordedRows(_).contains(0L))
      if (bins.isEmpty) None
      else {
        val rewritten = bins.flatten
        Some(RewriteGroup(rewritten, files.filterNot(rewritten.toSet), Sections.whole, None, bins))
      }
    }
}

private[command] object SmallFiles {

  /**
   * Packs as Delta's compaction does, the smallest files first, so that the same files make the same bins.
   *
   * @return
   *   the files of each bin, two or more, by their paths
   */
  def bins(files: IndexedSeq[DataFile], targetBytes: Long): IndexedSeq[IndexedSeq[DataFile]] = {
    val small = files.filter(_.bytes < targetBytes).sortBy(f => (f.bytes, f.path))
    val packed = small.foldLeft(List.empty[(Long, List[DataFile])]) { (bins, file) =>
      bins match {
        case (sum, of) :: before if sum + file.bytes <= targetBytes => (sum + file.bytes, file :: of) :: before
        case _ => (file.bytes, List(file)) :: bins
      }
    }
    packed.reverse.map(_._2.sortBy(_.path).toIndexedSeq).filter(_.size > 1).toIndexedSeq
  }
}
