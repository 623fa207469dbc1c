// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.encoded

import scala.jdk.CollectionConverters._

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.format.iceberg.listing.PartitionColumns
import io.sparkzorder.parquet.encoder.{EncoderSettings, FileContent}

import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.{FileFormat, MetadataColumns, Schema, SerializableTable, Table}
import org.apache.iceberg.TableProperties._
import org.apache.iceberg.hadoop.HadoopConfigurable
import org.apache.iceberg.spark.SparkWriteConf
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.zorder.KnownSize

/**
 * How the encoder writes files of a table. It is serialized to tasks.
 *
 * @param shared
 *   the table without a connection to its catalog: once in each executor, whose tasks share its clients of a store
 * @param id
 *   stands in the names of all files
 * @param partition
 *   the partition values of the table's spec over `columns`, in the order of the spec's fields that derive any
 * @param settings
 *   of parquet-java's `ParquetOutputFormat`
 */
private[encoded] final case class FilesPlan(
    shared: Broadcast[Table],
    id: String,
    schema: Schema,
    columns: Seq[Attribute],
    partition: Seq[Expression],
    settings: Map[String, String]) {

  def table: Table = shared.value

  /** None where a column is not plain. */
  @transient lazy val content: Option[FileContent] = PlainSchema.of(schema, DataTypeUtils.fromAttributes(columns))

  def conf: Configuration = FilesPlan.conf(table, settings)
}

private[encoded] object FilesPlan {

  /**
   * @param columns
   *   of the rows, those of the table and, if they are there, those of row lineage
   * @return
   *   None where Iceberg's own writer must write
   */
  def of(
      session: SparkSession,
      table: Table,
      id: String,
      columns: Seq[Attribute],
      options: Map[String, String]): Option[FilesPlan] = {
    val write = new SparkWriteConf(session, table, new CaseInsensitiveStringMap(options.asJava))
    val schema =
      if (columns.size > table.schema.columns.size) MetadataColumns.schemaWithRowLineage(table.schema) else table.schema
    def isPlain = PlainSchema.of(schema, DataTypeUtils.fromAttributes(columns)).isDefined
    def plan(settings: Map[String, String]) = FilesPlan(
      session.sparkContext.broadcast[Table](new SharedTable(table)),
      id,
      schema,
      columns,
      new PartitionColumns(table.schema, table.spec).values(columns),
      settings
    )
    if (!ZOrderConf.optimizesByEncoder(session.sessionState.conf) || write.dataFileFormat != FileFormat.PARQUET) None
    else settings(table.properties.asScala.toMap ++ write.writeProperties.asScala)
      .filter(s => isPlain && EncoderSettings.conflict(conf(table, s)).isEmpty).map(plan)
  }

  /** As Iceberg's writer takes its Hadoop settings, without those of parquet-java, which it does not look at. */
  private def conf(table: Table, settings: Map[String, String]): Configuration = {
    val conf = table.io match {
      case files: HadoopConfigurable => new Configuration(files.getConf)
      case _ => new Configuration()
    }
    val theirs = conf.iterator.asScala.map(_.getKey).filter(key => key.startsWith("parquet.") && !Kept(key))
    theirs.toSeq.foreach(conf.unset)
    settings.foreach { case (key, value) => conf.set(key, value) }
    conf
  }

  /** None where a property of Parquet's is set that is not among these. */
  private def settings(properties: Map[String, String]): Option[Map[String, String]] = {
    val ofParquet = properties.filter { case (key, _) =>
      key.startsWith("write.parquet.") || key.startsWith("parquet.")
    }
    val isPlain = ofParquet.forall { case (key, value) => Names.contains(key) || Unused(key) || isDefault(key, value) }
    Option.when(isPlain) {
      Defaults ++ ofParquet.collect { case (key, value) if Names.contains(key) => Names(key) -> value } ++
        ofParquet.get(PARQUET_COMPRESSION_LEVEL).toSeq.flatMap(level => LevelKeys.map(_ -> level))
    }
  }

  private def isDefault(key: String, value: String): Boolean =
    key == PARQUET_PAGE_VERSION && value.equalsIgnoreCase("v1")

  private val Names = Map(
    PARQUET_ROW_GROUP_SIZE_BYTES -> ParquetOutputFormat.BLOCK_SIZE,
    PARQUET_PAGE_SIZE_BYTES -> ParquetOutputFormat.PAGE_SIZE,
    PARQUET_PAGE_ROW_LIMIT -> ParquetOutputFormat.PAGE_ROW_COUNT_LIMIT,
    PARQUET_DICT_SIZE_BYTES -> ParquetOutputFormat.DICTIONARY_PAGE_SIZE,
    PARQUET_COMPRESSION -> ParquetOutputFormat.COMPRESSION,
    PARQUET_ROW_GROUP_CHECK_MIN_RECORD_COUNT -> ParquetOutputFormat.MIN_ROW_COUNT_FOR_PAGE_SIZE_CHECK,
    PARQUET_ROW_GROUP_CHECK_MAX_RECORD_COUNT -> ParquetOutputFormat.MAX_ROW_COUNT_FOR_PAGE_SIZE_CHECK
  )

  // Of Bloom filters, which no column has, and of variants, which are no plain columns.
  private val Unused = Set(
    PARQUET_COMPRESSION_LEVEL,
    PARQUET_BLOOM_FILTER_MAX_BYTES,
    PARQUET_BLOOM_FILTER_ADAPTIVE_ENABLED,
    PARQUET_SHRED_VARIANTS,
    PARQUET_VARIANT_BUFFER_SIZE
  )

  private val Defaults = Map(
    ParquetOutputFormat.BLOCK_SIZE -> PARQUET_ROW_GROUP_SIZE_BYTES_DEFAULT.toString,
    ParquetOutputFormat.PAGE_SIZE -> PARQUET_PAGE_SIZE_BYTES_DEFAULT.toString,
    ParquetOutputFormat.PAGE_ROW_COUNT_LIMIT -> PARQUET_PAGE_ROW_LIMIT_DEFAULT.toString,
    ParquetOutputFormat.DICTIONARY_PAGE_SIZE -> PARQUET_DICT_SIZE_BYTES_DEFAULT.toString,
    ParquetOutputFormat.MIN_ROW_COUNT_FOR_PAGE_SIZE_CHECK -> PARQUET_ROW_GROUP_CHECK_MIN_RECORD_COUNT_DEFAULT.toString,
    ParquetOutputFormat.MAX_ROW_COUNT_FOR_PAGE_SIZE_CHECK -> PARQUET_ROW_GROUP_CHECK_MAX_RECORD_COUNT_DEFAULT.toString,
    ParquetOutputFormat.MAX_PADDING_BYTES -> "0"
  )

  // Each codec looks at its own.
  private val LevelKeys = Seq("zlib.compress.level", "io.compression.codec.zstd.level", ZstdLevel)
  private def ZstdLevel = "parquet.compression.codec.zstd.level"

  // What Iceberg's writer takes of Hadoop's settings, too.
  private val Kept = Set("parquet.columnindex.truncate.length", ZstdLevel)
}

/**
 * Its size is guessed: Spark would look at all that it leads to, and Iceberg's own with a size is closed where that is
 * evicted.
 */
private final class SharedTable(of: Table) extends SerializableTable(of) with KnownSize {
  override def estimatedSize: Long = 32768L
}
