package io.sparkzorder.format.parquet

import java.util.Locale

import io.sparkzorder.errors.ZOrderErrors

import org.apache.hadoop.fs.Path

/** Tells folders in which files may be replaced from those that something else keeps a record of. */
private[parquet] class PlainFolder(table: String, folder: TableFolder, options: Map[String, String]) {

  private val logs =
    Seq("_delta_log" -> "Delta Lake", ".hoodie" -> "Apache Hudi", "_spark_metadata" -> "a streaming sink")

  // Readers that pass over files by their names or times would not find the new ones.
  private val choosing = Seq("pathglobfilter", "modifiedbefore", "modifiedafter")

  /** @throws ZOrderAnalysisException */
  def check(): Unit = {
    options.keys.find(k => choosing.contains(k.toLowerCase(Locale.ROOT))).foreach { option =>
      throw ZOrderErrors.choosingOption(table, option)
    }
    // A folder of a table is no table of its own: also what lies above counts.
    for (above <- ancestors; (log, owner) <- logs if folder.status(new Path(above, log)).isDefined)
      throw ZOrderErrors.notPlainParquet(table, above.toString, log, owner)
    for (above <- ancestors.take(2) if isIceberg(above))
      throw ZOrderErrors.notPlainParquet(table, above.toString, "metadata", "Apache Iceberg")
    val partitioned = ancestors.zip(ancestors.drop(1)).takeWhile(_._1.getName.contains("=")).map(_._2)
    partitioned.find(p => folder.status(new Path(p, TableFolder.Name)).isDefined).foreach { whole =>
      throw ZOrderErrors.partitionOfTable(table, whole.toString)
    }
  }

  private def ancestors: Seq[Path] = Iterator.iterate(folder.root)(_.getParent).takeWhile(_ != null).toSeq

  private def isIceberg(path: Path): Boolean =
    folder.list(new Path(path, "metadata")).exists(_.getPath.getName.endsWith(".metadata.json"))
}
