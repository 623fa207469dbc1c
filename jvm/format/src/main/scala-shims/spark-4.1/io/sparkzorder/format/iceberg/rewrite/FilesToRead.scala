// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.rewrite

import java.lang.ref.Cleaner
import java.util.UUID

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{FileScanTask, Table}
import org.apache.iceberg.spark.{ScanTaskSetManager, SparkReadOptions}
import org.apache.iceberg.spark.source.SparkRewriteTable
import org.apache.iceberg.types.Type.TypeID
import org.apache.iceberg.types.TypeUtil
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Files to be read, and to be rewritten, by Iceberg's own reader and writer: deletes, schemas, defaults and row lineage
 * are theirs. They are known to Iceberg as long as somebody holds `source`, as a plan that reads them does.
 *
 * @param tasks
 *   one or more
 */
private[iceberg] final class FilesToRead(val table: Table, tasks: Seq[FileScanTask]) {

  /** By which Iceberg knows the files. */
  val id: String = UUID.randomUUID().toString

  /** The columns of the table and, where it has row lineage, those of that. */
  val source: SparkRewriteTable = {
    ScanTaskSetManager.get.stageTasks(table, id, tasks.asJava)
    val made = new SparkRewriteTable(table, id)
    FilesToRead.cleaner.register(made, new FilesToRead.Removal(table, id))
    made
  }

  private def hasVariant =
    table.schemas.values.asScala.exists(schema =>
      TypeUtil.indexById(schema.asStruct).values.asScala.exists(_.`type`.typeId == TypeID.VARIANT))

  /** Every live row of the files, by tasks of the size that `conf` says for files of Spark's own formats. */
  def rows(conf: SQLConf): DataSourceV2Relation = {
    val options = Map(
      SparkReadOptions.SPLIT_SIZE -> conf.filesMaxPartitionBytes.toString,
      SparkReadOptions.FILE_OPEN_COST -> conf.filesOpenCostInBytes.toString)
    // Iceberg's reader of column batches fails on files in which a VARIANT is shredded, also where that is not read, or is
    // dropped.
    val asRows = Option.when(hasVariant)(SparkReadOptions.VECTORIZATION_ENABLED -> "false")
    DataSourceV2Relation.create(source, None, None, new CaseInsensitiveStringMap((options ++ asRows).asJava))
  }
}

private[iceberg] object FilesToRead {

  private lazy val cleaner = Cleaner.create()

  // It must not hold what is waited for.
  private final class Removal(table: Table, id: String) extends Runnable {
    override def run(): Unit = ScanTaskSetManager.get.removeTasks(table, id)
  }
}
