package io.sparkzorder.format.parquet

import java.util.UUID

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.skipping.ListedFile

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.zorder.SparkInternals

/** Writes the files of a rewrite into a folder of their own, with Spark's writer. */
private[parquet] class StagedFiles(session: SparkSession, table: ParquetTable, target: Path) {

  /**
   * @param rows
   *   sorted by the partition columns in each task
   * @param partitions
   *   those that rows can have
   */
  def write(rows: DataFrame, partitions: Seq[InternalRow]): IndexedSeq[TableListing.File] = {
    val byName = names(partitions)
    SparkInternals.execute(rows, "OPTIMIZE") { plan =>
      val committer =
        FileCommitProtocol.instantiate(
          session.sessionState.conf.fileCommitProtocolClass,
          UUID.randomUUID.toString,
          target.toString)
      val partitionColumns = table.partitionColumns.map(c => plan.output.find(_.name == c).get)
      SparkFileWriter.write(session, plan, committer, target.toString, partitionColumns, table.options)
    }
    val files = dataFiles(target)
    files.map { status =>
      val path = table.folder.relative(status.getPath).get
      val name = ParquetFile.folderOf(path).stripPrefix(table.folder.relative(target).get).stripPrefix("/")
      val partition = byName.getOrElse(name, throw ZOrderErrors.unplannedPartition(name))
      TableListing.File(ListedFile(path, status.getLen, status.getModificationTime), partition, status)
    }
  }

  private def dataFiles(below: Path): IndexedSeq[FileStatus] =
    table.folder.list(below).toIndexedSeq.sortBy(_.getPath.getName).flatMap { s =>
      if (TableFolder.isHidden(s.getPath.getName)) Nil else if (s.isDirectory) dataFiles(s.getPath) else Seq(s)
    }

  /** The partitions by the folders that the writer makes for them. */
  private def names(partitions: Seq[InternalRow]): Map[String, InternalRow] = {
    val zone = Some(session.sessionState.conf.sessionLocalTimeZone)
    val named = partitions.map { partition =>
      val parts = table.partitionSchema.fields.zipWithIndex.map { case (field, i) =>
        val value = Literal(partition.get(i, field.dataType), field.dataType)
        val text = Option(Cast(value, StringType, zone, ansiEnabled = false).eval()).map(_.toString).orNull
        ExternalCatalogUtils.getPartitionPathString(field.name, text)
      }
      parts.mkString("/") -> partition
    }
    // Such as two instants that are the same time of day when clocks are put back.
    named.groupBy(_._1).find(_._2.size > 1).foreach { case (name, _) =>
      throw ZOrderErrors.ambiguousPartition(table.name, name)
    }
    named.toMap
  }
}
