package io.sparkzorder.format.parquet

import java.util

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.connector.catalog.{Column, Table, TableCapability}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals

/** A folder of Parquet files that a statement names by its path, for the analyzer to resolve columns against. */
private[parquet] final class ParquetPathTable(
    override val name: String,
    val path: Path,
    val dataSchema: StructType,
    val partitionSchema: StructType)
    extends Table {

  override def columns: Array[Column] = SparkInternals.columns(StructType(dataSchema ++ partitionSchema))

  override def capabilities: util.Set[TableCapability] = util.Collections.emptySet()
}
