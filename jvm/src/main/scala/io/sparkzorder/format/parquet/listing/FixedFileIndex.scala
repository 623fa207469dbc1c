package io.sparkzorder.format.parquet.listing

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{And, AttributeReference, BoundReference, Expression, Predicate}
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory}
import org.apache.spark.sql.types.StructType

/** Exactly these files of a table, whatever else its folder holds. */
private[sparkzorder] final class FixedFileIndex(
    root: Path,
    override val partitionSchema: StructType,
    directories: Seq[PartitionDirectory])
    extends FileIndex {

  override def rootPaths: Seq[Path] = Seq(root)

  override def listFiles(partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] =
    partitionFilters.reduceOption(And(_, _)) match {
      case None => directories
      case Some(filter) =>
        val bound = Predicate.createInterpreted(filter.transform { case a: AttributeReference =>
          BoundReference(partitionSchema.fieldIndex(a.name), a.dataType, nullable = true)
        })
        directories.filter(d => bound.eval(d.values: InternalRow))
    }

  override def inputFiles: Array[String] = directories.flatMap(_.files.map(_.getPath.toString)).toArray

  override def refresh(): Unit = ()

  override def sizeInBytes: Long = directories.map(_.files.map(_.getLen).sum).sum
}
