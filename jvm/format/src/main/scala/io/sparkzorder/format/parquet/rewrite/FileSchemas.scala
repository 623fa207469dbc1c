// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.listing.TableDefinition
import io.sparkzorder.parquet.footer.{FileSchema, FileStatistics}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types._

/**
 * Puts the schemas of a table's files together, so that no column of any file is lost when they are rewritten.
 *
 * Columns are the same by their names, or by field ids where the session reads files so.
 *
 * @param partitionColumns
 *   columns whose values are the folders', whatever files say of them
 * @param isStrict
 *   whether columns are an error that readers by names and readers by ids find differently; else those of this session
 *   count
 */
private[parquet] class FileSchemas(
    session: SparkSession,
    table: String,
    partitionColumns: Seq[String],
    isStrict: Boolean) {

  private val same = session.sessionState.conf.resolver

  private val ids = new MatchingFields(table, same, session.sessionState.conf.parquetFieldIdReadEnabled, isStrict)

  /**
   * @param known
   *   the schema of the catalog; it goes first, and its types count
   * @param files
   *   schemas with the file in which they were found
   * @throws ZOrderAnalysisException
   *   where two files have a column with types that no reader brings together, where a file is not what Spark's
   *   metadata in it says, and where its field ids contradict those of other files
   */
  def merge(known: Option[StructType], files: Seq[(FileSchema, String)]): StructType = {
    files.foreach { case (schema, file) => requireCertain(known, schema, file) }
    val start = known.getOrElse(new StructType())
    val origin = scala.collection.mutable.Map.empty[Seq[String], String]
    val merged = files.distinctBy(_._1.columns).foldLeft(start) { case (merged, (schema, file)) =>
      mergeStructs(merged, schema.columns, Nil, file, origin, known)
    }
    requireTellable(merged, (known ++ files.map(_._1.columns)).toSeq)
    StructType(merged.filterNot(f => partitionColumns.exists(same(_, f.name))))
  }

  /** Names that differ by case alone do not come together into a file unless they are in one already. */
  private def requireTellable(merged: StructType, sources: Seq[StructType]): Unit = {
    def clashes(schema: DataType, above: Seq[String]): Seq[(Seq[String], Seq[String])] = schema match {
      case s: StructType =>
        s.fieldNames.combinations(2).collect {
          case Array(a, b) if a.equalsIgnoreCase(b) => (above :+ a, above :+ b)
        }.toSeq ++
          s.flatMap(f => clashes(f.dataType, above :+ f.name))
      case a: ArrayType => clashes(a.elementType, above :+ "element")
      case m: MapType => clashes(m.keyType, above :+ "key") ++ clashes(m.valueType, above :+ "value")
      case _ => Nil
    }
    val there = sources.flatMap(clashes(_, Nil)).map { case (a, b) => Set(a, b) }.toSet
    clashes(merged, Nil).find { case (a, b) => !there(Set(a, b)) }.foreach { case (a, b) =>
      throw ZOrderErrors.namesDifferByCase(ColumnPath(a).toString, ColumnPath(b).toString, table)
    }
  }

  /** The type that the catalog has for a column counts anyway. */
  private def requireCertain(known: Option[StructType], schema: FileSchema, file: String): Unit =
    schema.doubts
      .filterNot(d => known.exists(isIn(d.column, _)) || partitionColumns.exists(same(_, d.column.head)))
      .foreach { doubt =>
        val column = ColumnPath(doubt.column).toString
        throw doubt.inMetadata match {
          case Some(noted) => ZOrderErrors.untrueFileSchema(column, table, file, doubt.inFile, noted)
          case None => ZOrderErrors.unreadableColumn(column, table, file, doubt.inFile)
        }
      }

  private def mergeStructs(
      left: StructType,
      right: StructType,
      above: Seq[String],
      file: String,
      origin: scala.collection.mutable.Map[Seq[String], String],
      known: Option[StructType]): StructType = {
    val matches = ids.of(left, right, above, file)
    val merged = left.fields.map { field =>
      matches.find(_.left.contains(field)).fold(field) { m =>
        val path = above :+ field.name
        val dataType = mergeTypes(field.dataType, m.right.dataType, path, file, origin, known)
        m.merged.copy(dataType = dataType)
      }
    }
    val added = matches.filter(_.left.isEmpty).map(_.merged)
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
    case (a, b) if known.exists(isIn(path, _)) && DecimalsInFiles.areKept(a, b) => a
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

private[parquet] object FileSchemas {

  /**
   * The columns of a table, and after them those that only its files have.
   *
   * @param paths
   *   the file of each footer
   * @throws ZOrderAnalysisException
   *   as [[FileSchemas.merge]], and for columns that readers by names and readers by ids find differently
   */
  def mergedWith(
      session: SparkSession,
      table: TableDefinition,
      footers: IndexedSeq[FileStatistics],
      paths: IndexedSeq[String]): StructType =
    new FileSchemas(session, table.name, table.partitionSchema.fieldNames.toSeq, isStrict = true)
      .merge(Some(table.dataSchema), footers.map(_.schema).zip(paths))
}
