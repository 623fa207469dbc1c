// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import java.lang.ref.SoftReference
import java.util.stream.IntStream

import scala.collection.immutable.ArraySeq
import scala.collection.mutable

import io.sparkzorder.column.ColumnStatistics
import io.sparkzorder.format.{Clustering, ListedFile}
import io.sparkzorder.format.parquet.listing.TableListing
import io.sparkzorder.parquet.footer.StatisticsColumn
import io.sparkzorder.skipping.predicate.{IndexedFiles, NumberedFiles}

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * One version of a table's statistics index. It keeps the files' names; columns are read when they are first asked for.
 *
 * @param file
 *   the file of the index
 */
private[parquet] final class StatisticsIndex private (session: SparkSession, file: FileStatus) {

  private val schema = StatisticsFileIO.schema(session, file)

  /** The columns, in the order of the file's fields. */
  val columns: IndexedSeq[StatisticsColumn] = StatisticsFile.columns(schema)

  require(schema.names.sameElements(StatisticsFile.schema(columns).names), s"${file.getPath} has other fields")

  /** See [[StatisticsFile.caseSensitive]]. */
  val caseSensitive: Option[Boolean] = StatisticsFile.caseSensitive(schema)

  /** The columns whose statistics hold where names are compared as this session does. */
  def columnsFor(reader: SparkSession): IndexedSeq[StatisticsColumn] =
    if (caseSensitive.forall(_ == reader.sessionState.conf.caseSensitiveAnalysis)) columns else IndexedSeq.empty

  private val names = mutable.ArrayBuilder.make[String]
  private val sizes = mutable.ArrayBuilder.make[Long]
  private val times = mutable.ArrayBuilder.make[Long]
  private val counts = mutable.ArrayBuilder.make[Long]

  read(Seq(StatisticsFile.file, StatisticsFile.size, StatisticsFile.time, StatisticsFile.rows)) { (row, _) =>
    names += row.getUTF8String(0).toString
    sizes += row.getLong(1)
    times += row.getLong(2)
    counts += row.getLong(3)
  }
  private val paths = ArraySeq.unsafeWrapArray(names.result())
  private val numbers = new FileNumbers(paths)
  private val (bytes, modified, rowCounts) = (sizes.result(), times.result(), counts.result())

  /** The columns that each file has; None where this is not written down. */
  val fileColumns: Option[FileColumns] = StatisticsFile.fileColumns(schema).filter(_.size == size)

  private val statistics = new IndexColumns(session, file, schema, size)

  val path: Path = file.getPath

  val version: String = path.toString

  /** Whether what has not been read yet can be: not with a session that has been stopped. */
  def canBeRead: Boolean = !session.sparkContext.isStopped

  def size: Int = bytes.length

  private def isFile(number: Int, length: Long, modificationTime: Long): Boolean =
    number >= 0 && bytes(number) == length && modified(number) == modificationTime

  /**
   * Finds the numbers of files. A listing has them mostly in the order of the index, in which a look at the next one is
   * several times as fast as in a map of very many names.
   *
   * Not thread-safe.
   */
  private final class Finder {
    private var next = 0

    /** @return -1 where the index does not know the file */
    def find(path: String, length: Long, modificationTime: Long): Int = {
      val number = if (next < size && paths(next) == path) next else numbers.numberOf(path)
      if (!isFile(number, length, modificationTime)) -1
      else {
        next = number + 1
        number
      }
    }
  }

  /**
   * The numbers of those of the files that the index knows as they now are.
   *
   * @param state
   *   see [[TableFolder.state]]
   */
  def numbersOf(files: Seq[TableListing.File], state: FileStatus => Option[Long]): Map[ListedFile, Int] = {
    val finder = new Finder
    val found = files.toIndexedSeq.map(f => (f, finder.find(f.id.path, f.id.bytes, f.id.modificationTime)))
      .filter(_._2 >= 0)
    val isSame = new Array[Boolean](found.size)
    def ask(i: Int): Unit = isSame(i) = isUnchanged(found(i)._2, state(found(i)._1.status))
    // Loaded in the statement's own thread.
    if (found.nonEmpty) withState: Unit
    // A local disk is asked for each.
    IntStream.range(0, found.size).parallel.forEach(ask(_))
    found.iterator.zip(isSame).collect { case ((f, number), true) => f.id -> number }.toMap
  }

  /** Numbers by which the file system distinguished files, and of which files it did so. */
  private lazy val (states, withState): (Array[Long], mutable.BitSet) = {
    val (all, known) = (new Array[Long](size), mutable.BitSet.empty)
    read(Seq(StatisticsFile.state)) { (row, number) =>
      if (!row.isNullAt(0)) {
        all(number) = row.getLong(0)
        known += number
      }
    }
    (all, known)
  }

  /** False where a file is not the one that the index knows. */
  private def isUnchanged(number: Int, now: Option[Long]): Boolean =
    now.forall(n => !withState(number) || states(number) == n)

  def rows(file: Int): Long = rowCounts(file)

  // Given up where memory is short; the files are those of Spark's own cache.
  @volatile private var lastListed = new SoftReference(NumberedFiles.none)

  /** The index as the queries of a session find columns in it. */
  def seenBy(reader: SparkSession, state: FileStatus => Option[Long]): IndexedFiles = new IndexedFiles {

    private val (usable, same) = (columnsFor(reader), reader.sessionState.conf.resolver)

    override def version: String = StatisticsIndex.this.version

    override def size: Int = StatisticsIndex.this.size

    private val finder = new Finder

    override def find(path: String, bytes: Long, modificationTime: Long): Int =
      finder.find(path, bytes, modificationTime)

    override def listed: NumberedFiles = Option(lastListed.get).getOrElse(NumberedFiles.none)

    override def keep(listed: NumberedFiles): Unit = lastListed = new SoftReference(listed)

    override def isUnchanged(file: Int, status: FileStatus): Boolean =
      StatisticsIndex.this.isUnchanged(file, state(status))

    override def rows(file: Int): Long = StatisticsIndex.this.rows(file)

    override def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles] =
      usable.filter(_.isAt(path, same)) match {
        case Seq(found) if found.dataType == dataType => Some(load(Seq(found)).head)
        case _ => None
      }
  }

  /** Columns of this index, those not read before in one pass. */
  def load(wanted: Seq[StatisticsColumn]): Seq[ColumnStatistics.OfFiles] = statistics.load(wanted)

  /** How files were laid out, by their numbers; None where nothing is recorded, or what is has another form. */
  lazy val clusterings: Array[Option[Clustering]] = {
    val all = Array.fill(size)(Option.empty[Clustering])
    val recorded = StatisticsFile.clusteringType
    if (schema(StatisticsFile.clustering).dataType == recorded)
      read(Seq(StatisticsFile.clustering)) { (row, number) =>
        if (!row.isNullAt(0)) all(number) = Some(StatisticsFile.readClustering(row.getStruct(0, recorded.size)))
      }
    all
  }

  /**
   * How a file was laid out, by its name, size, time and rows: also where only its permissions or its names elsewhere
   * have changed since, which the file system does not distinguish from its content. Nothing but the choice of files
   * rests on it.
   */
  def clusteringOf(file: ListedFile, rows: Long): Option[Clustering] = {
    val number = numbers.numberOf(file.path)
    if (isFile(number, file.bytes, file.modificationTime) && rowCounts(number) == rows) clusterings(number) else None
  }

  /** All that is known of a file, with the columns in the order of `columns`. */
  def entry(number: Int): StatisticsFile.Entry = {
    val values = load(columns).map(_(number))
    val id = ListedFile(paths(number), bytes(number), modified(number))
    StatisticsFile.Entry(
      id,
      rowCounts(number),
      values.toIndexedSeq,
      clusterings(number),
      Option.when(withState(number))(states(number)))
  }

  private def read(names: Seq[String])(each: (InternalRow, Int) => Unit): Unit =
    StatisticsFileIO.foreach(session, file, StructType(names.map(schema(_))))(each)

  /** Bytes in memory, roughly. */
  def weight: Long = {
    val perName = 150L
    val perValue = 56L
    size * (perName + perValue * (statistics.loadedColumns * 2 + 1))
  }
}

private[parquet] object StatisticsIndex {

  /** @throws Exception where the file is no such index */
  def open(session: SparkSession, file: FileStatus): StatisticsIndex = new StatisticsIndex(session, file)
}
