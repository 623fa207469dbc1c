package io.sparkzorder.skipping

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** Where the statistics indexes of tables come from. */
trait IndexSource {

  /**
   * The index of a table as it is now. Called while a query starts to run, never while it is planned.
   *
   * @param tableFolder
   *   qualified; it need not exist
   * @return
   *   None where the table has none. An error is logged, and the query reads all files.
   */
  def latest(session: SparkSession, tableFolder: Path): Option[IndexedFiles]
}

object IndexSource {

  /** No table has an index. */
  val none: IndexSource = (_, _) => None
}
