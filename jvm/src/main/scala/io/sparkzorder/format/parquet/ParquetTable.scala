package io.sparkzorder.format.parquet

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{IndexedTable, TableSnapshot}
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.index.{IndexRefresh, TableStatistics}
import io.sparkzorder.format.parquet.listing.{FolderGroups, TableListing}
import io.sparkzorder.format.parquet.lock.TableLock
import io.sparkzorder.format.parquet.log.{Recovery, RewriteLog}
import io.sparkzorder.format.parquet.rewrite.WrittenFile
import io.sparkzorder.parquet.footer.FileStatistics.Wanted

import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.permission.FsAction
import org.apache.hadoop.security.AccessControlException
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals

/**
 * A plain Parquet table: a folder of files, with or without a catalog's entry.
 *
 * @param user
 *   the session of the statement, whose caches know the table
 * @param dataSchema
 *   the columns in the files
 * @param options
 *   with which it is read and written
 */
private[parquet] class ParquetTable(
    user: SparkSession,
    override val name: String,
    root: Path,
    catalogTable: Option[CatalogTable],
    val dataSchema: StructType,
    val partitionSchema: StructType,
    val options: Map[String, String])
    extends IndexedTable
    with Logging {

  val folder: TableFolder = new TableFolder(root, user.sessionState.newHadoopConfWithOptions(options))

  override def schema: StructType = StructType(dataSchema ++ partitionSchema)

  override def partitionColumns: Seq[String] = partitionSchema.fieldNames.toSeq

  /** The columns of which the index can have statistics. */
  val indexable: IndexedSeq[Wanted] = TableStatistics.columns(dataSchema)

  @volatile private var lock: Option[TableLock] = None

  override def snapshot(session: SparkSession): TableSnapshot = new ParquetSnapshot(this, session)

  private val groups = new FolderGroups

  def listing(session: SparkSession): TableListing =
    new TableListing(session, folder, catalogTable, catalogTable.map(_.schema), options, groups)

  val rewriteLog: RewriteLog = new RewriteLog(folder)

  /** @throws ZOrderAnalysisException where files must not be replaced in this folder */
  def requirePlain(): Unit = new PlainFolder(name, folder, options).check()

  /**
   * Finishes what a process that is gone has left, and keeps others from rewriting the table meanwhile.
   *
   * @throws ZOrderRuntimeException
   *   where another holds the table's lock, and where this user may not write
   */
  override def exclusively[T](session: SparkSession)(body: => T): T = {
    requirePlain()
    requireWritable()
    val held = TableLock.acquire(folder, ZOrderConf.lockWait(session.sessionState.conf))
    try {
      lock = Some(held)
      new Recovery(folder, rewriteLog).run()
      body
    } finally {
      lock = None
      // Of a rewrite that was refused or failed.
      afterwards(new Recovery(folder, rewriteLog).discard(begun.contains))
      afterwards(held.close())
      afterwards(folder.tidy())
    }
  }

  /** What fails here is no failure of the statement, and hides none. */
  private def afterwards(body: => Unit): Unit =
    try body
    catch { case NonFatal(e) => logWarning(s"Could not clean up after a statement on $name", e) }

  private def requireWritable(): Unit =
    try {
      if (folder.status(folder.root).isEmpty) throw ZOrderErrors.pathNotFound(name, "OPTIMIZE ... ZORDER BY")
      folder.fs.access(folder.root, FsAction.WRITE_EXECUTE)
      folder.make(folder.own)
    } catch { case e: AccessControlException => throw ZOrderErrors.noWritePermission(name, folder.root.toString, e) }

  /** @throws ZOrderRuntimeException if another has taken the lock */
  def requireLock(): Unit =
    lock.getOrElse(throw new IllegalStateException("A rewrite outside of exclusively")).requireHeld()

  // By their ids: what others have staged is theirs, also where this process has lost the lock.
  private val begun = ConcurrentHashMap.newKeySet[String]()

  /** An id for a rewrite of this statement. */
  def begin(): String = {
    val id = UUID.randomUUID.toString
    begun.add(id)
    id
  }

  override def indexableColumns: Seq[ColumnPath] = indexable.map(w => ColumnPath(w.path))

  override def requireIndexable(columns: Seq[ColumnPath]): Unit =
    columns.find(c => !indexable.exists(_.path == c.parts)).foreach { c =>
      throw ZOrderErrors.noStatisticsFor(c.toString, name, c.dataType(schema))
    }

  override def index(session: SparkSession, columns: Option[Seq[ColumnPath]]): IndexedTable.Outcome = {
    val asked = columns.map(_.map(c => indexable.find(_.path == c.parts).get).toIndexedSeq)
    val outcome = refreshIndex(session, asked, Nil, refuseEncrypted = true, Nil)
    IndexedTable.Outcome(folder.root.toString, outcome.files, outcome.read, outcome.columns.map(ColumnPath(_)))
  }

  /** Brings the index up to date; see [[IndexRefresh.run]]. */
  def refreshIndex(
      session: SparkSession,
      asked: Option[IndexedSeq[Wanted]],
      added: Seq[Wanted],
      refuseEncrypted: Boolean,
      written: Seq[WrittenFile]): IndexRefresh.Outcome = {
    val listed = listing(session).files(Nil).sortBy(_.id.path)
    new IndexRefresh(session, this).run(listed, asked, added, refuseEncrypted, written)
  }

  /** Lets the user's session list the table anew. */
  def changed(): Unit = SparkInternals.refresh(user, catalogTable.map(_.identifier), folder.root)
}
