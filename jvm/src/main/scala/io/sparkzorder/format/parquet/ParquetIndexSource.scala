package io.sparkzorder.format.parquet

import io.sparkzorder.skipping.{IndexSource, IndexedFiles, ListedFile}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** Indexes and journals of plain Parquet tables. */
object ParquetIndexSource extends IndexSource {

  override def isTable(session: SparkSession, folder: Path): Boolean =
    folder.getFileSystem(session.sessionState.newHadoopConf()).exists(new Path(folder, TableFolder.Name))

  override def latest(session: SparkSession, tableFolder: Path): Option[IndexedFiles] =
    StatisticsIndexes.latest(session, tableFolder)

  override def leftOut(
      session: SparkSession,
      tableFolder: Path,
      listed: Iterable[ListedFile],
      isFresh: Boolean,
      isCovered: String => Boolean): Option[Set[String]] = {
    val folder = new TableFolder(tableFolder, session.sessionState.newHadoopConf())
    val states = new Journal(folder).entries()
    if (states.isEmpty) Some(Set.empty)
    else {
      val files = listed.toSet
      PendingRewrites.leftOut(states, files, isFresh, new MissedFiles(folder, isCovered))
    }
  }
}
