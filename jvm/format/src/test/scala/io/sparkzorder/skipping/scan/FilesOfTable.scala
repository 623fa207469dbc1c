// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import java.io.File
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import io.sparkzorder.column.ColumnStatistics
import io.sparkzorder.skipping.predicate.{IndexInMemory, IndexedFile}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._

/** An exact index of the Parquet files under a folder. */
object FilesOfTable {

  def index(session: SparkSession, folder: File): IndexInMemory = {
    val files = parquetFiles(folder)
    val status =
      files.map(f => new Path(f.toURI)).map(p => p.getFileSystem(session.sessionState.newHadoopConf()).getFileStatus(p))
    val rows = files.map(rowsOf(session, _))
    val known = files.zip(status).zip(rows).map { case ((f, s), r) =>
      IndexedFile(folder.toPath.relativize(f.toPath).toString, s.getLen, s.getModificationTime, r.size.toLong)
    }
    val schema = session.read.parquet(files.head.getPath).schema
    val columns = leaves(schema).map { case (path, dataType) =>
      val parts = rows.map(r => statistics(r.map(valueAt(_, schema, path)), dataType))
      (path, dataType) -> new ColumnStatistics.OfFiles(
        parts.map(_._1).toArray,
        parts.map(_._2).toArray,
        parts.map(_._3).toArray)
    }
    new IndexInMemory(known.toIndexedSeq, columns.toMap)
  }

  def parquetFiles(folder: File): Seq[File] = {
    val walk = Files.walk(folder.toPath)
    try walk.iterator.asScala.map(_.toFile).filter(_.getName.endsWith(".parquet")).toSeq.sortBy(_.getPath)
    finally walk.close()
  }

  private def rowsOf(session: SparkSession, file: File): Seq[InternalRow] =
    session.read.parquet(file.getPath).queryExecution.toRdd.map(_.copy()).collect().toSeq

  private def leaves(struct: StructType): Seq[(Seq[String], DataType)] = struct.fields.toSeq.flatMap { f =>
    f.dataType match {
      case inner: StructType => leaves(inner).map { case (path, dataType) => (f.name +: path, dataType) }
      case dataType => Seq((Seq(f.name), dataType))
    }
  }

  private def valueAt(row: InternalRow, schema: StructType, path: Seq[String]): Any =
    if (row == null) null
    else {
      val at = schema.fieldIndex(path.head)
      schema(at).dataType match {
        case inner: StructType => valueAt(row.getStruct(at, inner.size), inner, path.tail)
        case dataType => row.get(at, dataType)
      }
    }

  private def statistics(values: Seq[Any], dataType: DataType): (Any, Any, Long) = {
    val order: Ordering[Any] = TypeUtils.getInterpretedOrdering(dataType)
    val filled = values.filter(_ != null)
    val nulls = (values.size - filled.size).toLong
    if (filled.isEmpty) (null, null, nulls) else (filled.min(order), filled.max(order), nulls)
  }
}
