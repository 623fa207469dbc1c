// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.config

import java.util.concurrent.TimeUnit

import io.sparkzorder.curve.Curve

import org.apache.spark.network.util.ByteUnit
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.buildConf

/** Every `spark.sql.zorder.*` entry, typed and checked. */
object ZOrderConf {

  private val since = "0.1.0"

  /** A setting that is one of some words, in any case; the first where it is not set. */
  private def oneOf(key: String, doc: String, words: Seq[String]) = buildConf(key)
    .doc(doc)
    .version(since)
    .stringConf
    .transform(_.toLowerCase(java.util.Locale.ROOT))
    .checkValues(words.toSet)
    .createWithDefault(words.head)

  private val sampleSizeEntry = buildConf("spark.sql.zorder.sampleSize")
    .doc("Rows of the joint sample from which OPTIMIZE and writes of a global order derive ranks and file cuts, and ADVISE " +
      "LAYOUT its advice. They are held on the driver.")
    .version(since)
    .intConf
    .checkValue(_ > 0, "the sample must have at least one row")
    .createWithDefault(100000)

  private val curveEntry = oneOf(
    "spark.sql.zorder.curve",
    "The curve along which OPTIMIZE orders rows where the statement does not say: zorder or hilbert.",
    Curve.names)

  /** What OPTIMIZE may do with files that are clustered already, the default first. */
  val modes: Seq[String] = Seq("full", "incremental")
  val Incremental: String = modes.last

  private val modeEntry = oneOf(
    "spark.sql.zorder.mode",
    "Whether OPTIMIZE rewrites every file or leaves clustered ones where they are, where the statement does not say: " +
      "full or incremental.",
    modes
  )

  private val targetFileSizeEntry = buildConf("spark.sql.zorder.targetFileSize")
    .doc(
      "Bytes that OPTIMIZE, ADVISE LAYOUT and writes of a global order aim at for an output file, where neither the " +
        "statement (OPTIONS (target_file_size = ...)) nor the table (delta.targetFileSize) nor " +
        "spark.databricks.delta.optimize.maxFileSize says otherwise. auto: by the size of the table, from 8m to 256m; " +
        "writes of a global order take 256m.")
    .version(since)
    .stringConf
    .transform(_.trim.toLowerCase(java.util.Locale.ROOT))
    .checkValue(TargetFileSize.parse(_).isDefined, s"it is ${TargetFileSize.Allowed}")
    .createWithDefault(TargetFileSize.AutoName)

  private val describeRowLimitEntry = buildConf("spark.sql.zorder.describe.rowLimit")
    .doc(
      "DESCRIBE LAYOUT and describe_layout() look up the value of every row of a table of up to this many rows; of a " +
        "larger one they look up about this many, drawn with a fixed seed. all_rows => true looks up all.")
    .version(since)
    .longConf
    .checkValue(_ > 0, "at least one row must be looked up")
    .createWithDefault(100000L)

  private val deltaTakeoverEntry = buildConf("spark.sql.zorder.delta.takeover")
    .doc("Whether this extension carries out what Delta has a statement or API for: OPTIMIZE ... ZORDER BY without OPTIONS " +
      "and DRY RUN, and executeZOrderBy(). Off, those are Delta's own, in either order of the two extensions.")
    .version(since)
    .booleanConf
    .createWithDefault(true)

  private val lockWaitEntry = buildConf("spark.sql.zorder.parquet.lockWait")
    .doc("How long a statement waits while another rewrites the same Parquet table, before it fails.")
    .version(since)
    .timeConf(TimeUnit.MILLISECONDS)
    .checkValue(_ >= 0, "a time to wait cannot be negative")
    .createWithDefaultString("60s")

  /** The longest time for which replaced files can be kept, in milliseconds. */
  val MostToKeep: Long = TimeUnit.DAYS.toMillis(36500)

  private val keepOldEntry = buildConf("spark.sql.zorder.parquet.keepOld")
    .doc(
      "How long the files that OPTIMIZE replaces in a Parquet table are kept for RESTORE, such as '7d'; 0 deletes them at " +
        "once. Delta tables keep theirs until VACUUM.")
    .version(since)
    .timeConf(TimeUnit.MILLISECONDS)
    .checkValue(t => t >= 0 && t <= MostToKeep, "files can be kept for 0 to 36500 days")
    .createWithDefaultString("0s")

  private val indexCacheSizeEntry = buildConf("spark.sql.zorder.index.cacheSize")
    .doc("Bytes that statistics indexes of Parquet tables may take on the driver, roughly; the least recently used go first.")
    .version(since)
    .bytesConf(ByteUnit.BYTE)
    .createWithDefaultString("256m")

  private val skippingEntry = buildConf("spark.sql.zorder.skipping.enabled")
    .doc(
      "Whether queries over Parquet tables skip files by the table's statistics index, where it has one. Read when a " +
        "query is planned.")
    .version(since)
    .booleanConf
    .createWithDefault(true)

  private val dynamicSkippingEntry = buildConf("spark.sql.zorder.skipping.dynamic")
    .doc(
      "Whether scans of Delta, Parquet and Iceberg tables also leave out files by the keys of joins above them, which are known when a " +
        "query runs, after the first rows that a query needs, and by filters over functions of a column, which Delta " +
        "and Iceberg do not know. Without spark.sql.zorder.skipping.enabled they do not.")
    .version("0.2.0")
    .booleanConf
    .createWithDefault(true)

  private val writeOnInvalidEntry = oneOf(
    "spark.sql.zorder.write.onInvalid",
    "What a write does to a table whose order is not valid (a column of it is gone, for one): error fails it before " +
      "anything is written; warn writes the rows as they come, and logs a warning.",
    Seq("error", "warn")
  )

  private val optimizeCompressionEntry = buildConf("spark.sql.zorder.optimize.compression")
    .doc(
      "How OPTIMIZE compresses the pages of files, where the statement does not say (OPTIONS (compression = ...)): " +
        s"${Compression.Allowed}. Unset, as Spark writes the table.")
    .version(since)
    .stringConf
    .checkValue(Compression.parse(_).isDefined, s"it is one of ${Compression.Allowed}")
    .createOptional

  private val optimizeEncoderEntry = buildConf("spark.sql.zorder.optimize.encoder")
    .doc(
      "Whether OPTIMIZE writes files by this project's encoder, which makes the same bytes as Spark's writer for " +
        "a fraction of its CPU. Off, Spark's writer writes them: for comparison.")
    .version(since)
    .booleanConf
    .createWithDefault(true)

  private val optimizeBlocksEntry = buildConf("spark.sql.zorder.optimize.columnBlocks")
    .doc(
      "Whether OPTIMIZE and global order on write shuffle blocks of columns in place of rows where they can, such as of " +
        "plain columns that a scan of Parquet files delivers. Off, they shuffle rows, to the same files.")
    .version(since)
    .booleanConf
    .createWithDefault(true)

  private val writeEncoderEntry = buildConf("spark.sql.zorder.write.encoder")
    .doc(
      "Whether every write of Parquet files by Spark (INSERT, CTAS, df.write.parquet) uses this project's encoder, which " +
        "makes the same bytes as Spark's writer for a fraction of its CPU. Where nobody sets it, writes to tables with " +
        "SORT BY do.")
    .version(since)
    .booleanConf
    .createWithDefault(false)

  private val progressEntry = oneOf(
    "spark.sql.zorder.progress",
    "Whether Python clients show bars for the phases of OPTIMIZE: auto, on terminals and in notebooks, or off.",
    Seq("auto", "off")
  )

  private val progressStateEntry = buildConf("spark.sql.zorder.progress.state")
    .internal()
    .doc("How far the statement is that the session runs; there as long as a client asks for it.")
    .version(since)
    .stringConf
    .createOptional

  private val recordEntry = buildConf("spark.sql.zorder.advise.record")
    .doc(
      "A folder in which a session records what ADVISE LAYOUT (OPTIONS (recording = ...)) needs of the queries that it " +
        "runs: of each scan of a Parquet or Delta table the columns, and how they are compared, without the values. One " +
        "file for each session, of at most 1000 different queries and 1 MiB, a second after a query has ended; no query " +
        "waits for it or fails by it. Unset, nothing is recorded.")
    .version(since)
    .stringConf
    .createOptional

  private val recordValuesEntry = buildConf("spark.sql.zorder.advise.recordValues")
    .doc(
      "Whether spark.sql.zorder.advise.record also records the values with which queries compare columns. Advice is " +
        "better with them, but they may be of the kind that should not stand in a file.")
    .version(since)
    .booleanConf
    .createWithDefault(false)

  /** Rows of the joint sample. */
  def sampleSize(conf: SQLConf): Int = conf.getConf(sampleSizeEntry)

  /** The name of a curve. */
  def curve(conf: SQLConf): String = conf.getConf(curveEntry)

  /** Whether clustered files may stay. */
  def incremental(conf: SQLConf): Boolean = conf.getConf(modeEntry) == Incremental

  /** The size of an output file. */
  def targetFileSize(conf: SQLConf): TargetFileSize =
    TargetFileSize.parse(conf.getConf(targetFileSizeEntry)).getOrElse(TargetFileSize.Auto)

  /** Rows that DESCRIBE LAYOUT looks up. */
  def describeRowLimit(conf: SQLConf): Long = conf.getConf(describeRowLimitEntry)

  /** Whether Delta's own z-order statements become ours. */
  def deltaTakeover(conf: SQLConf): Boolean = conf.getConf(deltaTakeoverEntry)

  /** Milliseconds to wait for the lock of a Parquet table. */
  def lockWait(conf: SQLConf): Long = conf.getConf(lockWaitEntry)

  /** Milliseconds for which replaced files of a Parquet table are kept; None where they are not. */
  def keepOld(conf: SQLConf): Option[Long] = Some(conf.getConf(keepOldEntry)).filter(_ > 0)

  /**
   * @param millis
   *   what a statement says, which goes before the session's setting
   */
  def keepOld(conf: SQLConf, millis: Long): Unit = conf.setConf(keepOldEntry, millis)

  /** Bytes of statistics indexes in memory. */
  def indexCacheSize(conf: SQLConf): Long = conf.getConf(indexCacheSizeEntry)

  /** Whether scans leave files out by an index. */
  def skipping(conf: SQLConf): Boolean = conf.getConf(skippingEntry)

  /** Whether scans leave out files by what only a run knows. */
  def dynamicSkipping(conf: SQLConf): Boolean = skipping(conf) && conf.getConf(dynamicSkippingEntry)

  /** Whether rows are written without an order where the table's is not valid. */
  def writesOnInvalidOrder(conf: SQLConf): Boolean = conf.getConf(writeOnInvalidEntry) == "warn"

  /** The compression of files that OPTIMIZE writes; None to leave it to the table and to Spark. */
  def optimizeCompression(conf: SQLConf): Option[Compression] =
    conf.getConf(optimizeCompressionEntry).flatMap(Compression.parse)

  /** Sets the compression of all that a session, a rewrite's own, writes. */
  def compress(conf: SQLConf, compression: Compression): Unit = {
    conf.setConf(optimizeCompressionEntry, Some(compression.toString))
    compression.settings.foreach { case (key, value) => conf.setConfString(key, value) }
  }

  /** Whether OPTIMIZE writes by the encoder. */
  def optimizesByEncoder(conf: SQLConf): Boolean = conf.getConf(optimizeEncoderEntry)

  /** Whether blocks of columns are shuffled where that can be. */
  def movesBlocks(conf: SQLConf): Boolean = conf.getConf(optimizeBlocksEntry)

  /** Whether every write of Parquet files uses the encoder, or none does; None where nobody has said. */
  def writesByEncoder(conf: SQLConf): Option[Boolean] =
    Option.when(conf.contains(writeEncoderEntry.key))(conf.getConf(writeEncoderEntry))

  /** Whether a client of the session asks how far its statement is. */
  def isWatched(conf: SQLConf): Boolean =
    conf.getConf(progressEntry) == "auto" && conf.getConf(progressStateEntry).isDefined

  /** Says how far it is. */
  def publishProgress(conf: SQLConf, state: String): Unit = conf.setConf(progressStateEntry, Some(state))

  /** The folder in which queries are recorded; None where they are not. */
  def recordFolder(conf: SQLConf): Option[String] = conf.getConf(recordEntry).map(_.trim).filter(_.nonEmpty)

  /** Whether values are recorded, too. */
  def recordsValues(conf: SQLConf): Boolean = conf.getConf(recordValuesEntry)
}
