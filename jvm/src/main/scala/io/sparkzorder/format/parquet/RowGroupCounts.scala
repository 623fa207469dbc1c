package io.sparkzorder.format.parquet

import scala.util.Using

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration

/** Counts the row groups of Parquet files, from their footers. */
object RowGroupCounts {

  // A footer takes milliseconds, a task a few: below this many, one task per core would be all overhead.
  private val FilesPerTask = 16

  /**
   * @param locations
   *   absolute paths
   * @return
   *   one count per location; one Spark job
   */
  def of(session: SparkSession, locations: IndexedSeq[String]): IndexedSeq[Int] = {
    val hadoop = new SerializableConfiguration(session.sessionState.newHadoopConf())
    val tasks = math.max(1, (locations.size + FilesPerTask - 1) / FilesPerTask)
    session.sparkContext
      .parallelize(locations, tasks)
      .map { location =>
        val file = HadoopInputFile.fromPath(new Path(location), hadoop.value)
        Using.resource(ParquetFileReader.open(file))(_.getFooter.getBlocks.size)
      }
      .collect()
      .toIndexedSeq
  }
}
