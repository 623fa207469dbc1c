package io.sparkzorder.format.parquet

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.plan.ColumnPath

import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.types._

/**
 * Puts the schemas of a table's files together, so that no column of any file is lost when they are rewritten.
 *
 * @param partitionColumns
 *   whose values are the folders', whatever files say of them
 * @param same
 *   whether two names are the same to the table's reader
 */
private[parquet] class FileSchemas(table: String, partitionColumns: Seq[String], same: Resolver) {

  /**
   * @param known
   *   what the catalog says; it goes first, and its types count
   * @param files
   *   schemas with the file in which they were found
   * @throws ZOrderAnalysisException
   *   where two files have a column with types that no reader brings together
   */
  def merge(known: Option[StructType], files: Seq[(StructType, String)]): StructType = {
    val start = known.getOrElse(new StructType())
    val origin = scala.collection.mutable.Map.empty[Seq[String], String]
    val merged = files.distinctBy(_._1).foldLeft(start) { case (merged, (schema, file)) =>
      mergeStructs(merged, schema, Nil, file, origin, known)
    }
    StructType(merged.filterNot(f => partitionColumns.exists(same(_, f.name))))
  }

  private def mergeStructs(
      left: StructType,
      right: StructType,
      above: Seq[String],
      file: String,
      origin: scala.collection.mutable.Map[Seq[String], String],
      known: Option[StructType]): StructType = {
    val merged = left.fields.map { field =>
      right.fields.find(f => same(f.name, field.name)).fold(field) { other =>
        val path = above :+ field.name
        field.copy(dataType = mergeTypes(field.dataType, other.dataType, path, file, origin, known))
      }
    }
    val added = right.fields.filterNot(f => left.fields.exists(g => same(f.name, g.name)))
    added.foreach(f => origin.getOrElseUpdate(above :+ f.name, file))
    StructType(merged ++ added)
  }

  private def mergeTypes(
      left: DataType,
      right: DataType,
      path: Seq[String],
      file: String,
      origin: scala.collection.mutable.Map[Seq[String], String],
      known: Option[StructType]): DataType = (left, right) match {
    case (a: StructType, b: StructType) => mergeStructs(a, b, path, file, origin, known)
    case (a: ArrayType, b: ArrayType) =>
      ArrayType(mergeTypes(a.elementType, b.elementType, path, file, origin, known), a.containsNull || b.containsNull)
    case (a: MapType, b: MapType) =>
      MapType(
        mergeTypes(a.keyType, b.keyType, path, file, origin, known),
        mergeTypes(a.valueType, b.valueType, path, file, origin, known),
        a.valueContainsNull || b.valueContainsNull
      )
    case (a, b) if a == b => a
    // The reader of the table turns the files' values into the table's type, or fails, as for any query.
    case (a, _) if known.exists(isIn(path, _)) => a
    case (a, b) => throw ZOrderErrors.clashingTypes(
        ColumnPath(path).toString,
        table,
        a.sql,
        origin.getOrElse(path, origin.getOrElse(path.take(1), "other files")),
        b.sql,
        file)
  }

  @scala.annotation.tailrec
  private def isIn(path: Seq[String], schema: DataType): Boolean = schema match {
    case s: StructType =>
      s.fields.find(f => same(f.name, path.head)) match {
        case Some(f) => path.tail.isEmpty || isIn(path.tail, f.dataType)
        case None => false
      }
    case _ => true
  }
}
