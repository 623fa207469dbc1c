// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.connector.catalog.{Identifier, Table, TableCatalog, TableChange}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetTable
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** A catalog of a source that is not ours, read by Spark's V2 reader; each table is a folder of Parquet files. */
class FilesCatalog extends TableCatalog {

  private var named = ""
  private var options = CaseInsensitiveStringMap.empty

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = {
    named = name
    this.options = options
  }

  override def name: String = named

  override def loadTable(identifier: Identifier): Table = {
    val session = SparkSession.active.asInstanceOf[ClassicSession]
    val properties = new CaseInsensitiveStringMap(Map("provider" -> options.get("provider")).asJava)
    val folder = s"${options.get("folder")}/${identifier.name}"
    new ParquetTable(identifier.name, session, properties, Seq(folder), None, classOf[ParquetFileFormat])
  }

  override def listTables(namespace: Array[String]): Array[Identifier] = Array.empty

  override def createTable(
      identifier: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: util.Map[String, String]): Table = throw new UnsupportedOperationException

  override def alterTable(identifier: Identifier, changes: TableChange*): Table =
    throw new UnsupportedOperationException

  override def dropTable(identifier: Identifier): Boolean = false

  override def renameTable(from: Identifier, to: Identifier): Unit = throw new UnsupportedOperationException
}
