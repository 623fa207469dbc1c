package io.sparkzorder.format.parquet

import io.sparkzorder.format.parquet.JournalEntry.FileId
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
      isFresh: Boolean): Option[Set[String]] = {
    val states = new Journal(new TableFolder(tableFolder, session.sessionState.newHadoopConf())).entries()
    if (states.isEmpty) Some(Set.empty)
    else
      PendingRewrites.leftOut(states, listed.map(f => FileId(f.path, f.bytes, f.modificationTime)).toSet, isFresh)
  }
}
