// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.errors.{ZOrderAnalysisException, ZOrderErrors}
import io.sparkzorder.format.{
  ClusterableSnapshot,
  ClusterableTable,
  CompactableTable,
  IndexedTable,
  OwnRecords,
  RepairableTable,
  RestorableTable
}
import io.sparkzorder.format.parquet.index.IndexRefresh
import io.sparkzorder.format.parquet.listing.{PresentFiles, TableDefinition}
import io.sparkzorder.format.parquet.log.{KeptFiles, KeptRewrite, TakenBack}
import io.sparkzorder.format.parquet.repair.ParquetRepair
import io.sparkzorder.format.parquet.rewrite.{ParquetRestore, PlainParquetCheck, RewriteLease}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

/**
 * A plain Parquet table: a folder of files, with or without a catalog's entry.
 *
 * @param user
 *   the session of the statement, whose caches know the table
 * @param hold
 *   the hold on the table of a statement that rewrites it; None of every other
 */
private[parquet] final class ParquetTable(user: SparkSession, table: TableDefinition, hold: Option[RewriteLease] = None)
    extends CompactableTable
    with IndexedTable
    with RestorableTable
    with RepairableTable {

  override def name: String = table.name

  override def location: String = table.folder.root.toString

  override def schema: StructType = table.schema

  override def partitionColumns: Seq[String] = table.partitionSchema.fieldNames.toSeq

  override def properties: Option[Map[String, String]] = table.catalogTable.map(_.properties)

  override def refusal(records: OwnRecords, asked: String): ZOrderAnalysisException =
    throw new IllegalStateException(s"$asked: this project keeps all records of $name")

  override def snapshot(session: SparkSession): ClusterableSnapshot = new ParquetSnapshot(table, session, hold)

  override def change[T](session: SparkSession, dryRun: Boolean)(body: ClusterableTable => T): T =
    if (dryRun) body(this) else held(session)(hold => body(new ParquetTable(user, table, Some(hold))))

  /**
   * Finishes what an interrupted process has left, and keeps concurrent statements from rewriting the table.
   *
   * @throws ZOrderRuntimeException
   *   where another statement holds the table's lock, and where this user may not write
   */
  private def held[T](session: SparkSession, own: Path*)(body: RewriteLease => T): T = {
    val check = new PlainParquetCheck(table)
    // A folder that was named by its path has been looked at just now, and so have those above it.
    if (table.catalogTable.isEmpty) check.checkAgain() else check.check()
    RewriteLease.requireWritable(table, own: _*)
    RewriteLease.during(user, table, ZOrderConf.lockWait(session.sessionState.conf))(body)
  }

  override def indexableColumns: Seq[ColumnPath] = table.indexable.map(c => ColumnPath(c.path))

  override def requireIndexable(columns: Seq[ColumnPath]): Unit =
    columns.find(c => !table.indexable.exists(_.path == c.parts)).foreach { c =>
      throw ZOrderErrors.noStatisticsFor(c.toString, name, c.dataType(schema))
    }

  override def index(session: SparkSession, columns: Option[Seq[ColumnPath]]): IndexedTable.Outcome =
    held(session, table.folder.statistics) { _ =>
      val asked = columns.map(_.map(c => table.indexable.find(_.path == c.parts).get).toIndexedSeq)
      val outcome = new IndexRefresh(session, table).run(asked, Nil, refuseEncrypted = true, Nil)
      kept.forgetDue(table.rewriteLog)
      IndexedTable.Outcome(table.folder.root.toString, outcome.files, outcome.read, outcome.columns.map(ColumnPath(_)))
    }

  private def kept = new KeptFiles(table.folder)

  override def keptRewrites(session: SparkSession): Seq[RestorableTable.Kept] = {
    val rewrites = kept.rewrites()
    described(rewrites, rewrites)
  }

  private def described(rewrites: Seq[KeptRewrite], all: Seq[KeptRewrite]): Seq[RestorableTable.Kept] = {
    val isThere = PresentFiles.ofRewrites(table.folder, all, table.rewriteLog)
    val check = new PlainParquetCheck(table)
    rewrites.map { rewrite =>
      val isClosed = kept.closed(rewrite).isDefined
      // Of what somebody has closed to this user the document says more.
      val files =
        rewrite.folders.flatMap(_.replaced).filter(f => isClosed || kept.ofSize(rewrite, f).isDefined)
      RestorableTable.Kept(
        rewrite.number,
        rewrite.replacedAt,
        rewrite.keptUntil,
        files.size,
        files.map(_.bytes).sum,
        rewrite.folders.map(_.added.size).sum,
        !isClosed && TakenBack.of(rewrite, all, isThere, kept.status, rewrite.id).exists(plan =>
          !check.hasTableBelow(plan.paths)) &&
          PresentFiles.doubled(table.folder, all, rewrite).isEmpty
      )
    }
  }

  override def restore(session: SparkSession, rewrite: Long): RestorableTable.Restored =
    held(session)(new ParquetRestore(session, table, _).run(rewrite))

  override def forgetReplaced(
      session: SparkSession,
      retainMillis: Option[Long],
      dryRun: Boolean): Seq[RestorableTable.Kept] = {
    def forget() = {
      // It may be that of another table.
      if (!dryRun) table.folder.requireNoMountInOwn(name)
      val now = System.currentTimeMillis()
      def isDue(rewrite: KeptRewrite) = retainMillis.fold(rewrite.keptUntil)(rewrite.replacedAt + _) <= now
      val due = described(kept.due(isDue, table.rewriteLog), kept.rewrites())
      if (!dryRun) kept.forget(isDue, table.rewriteLog)
      due
    }
    if (dryRun) forget() else held(session)(_ => forget())
  }

  override def repair(session: SparkSession, dryRun: Boolean): Seq[RepairableTable.Step] = {
    new PlainParquetCheck(table).check()
    def repair = new ParquetRepair(session, table, RepairableTable.Statement)
    if (dryRun) repair.foresee()
    else {
      RewriteLease.requireWritable(table)
      RewriteLease.beforeRecovery(user, table, ZOrderConf.lockWait(session.sessionState.conf)) { hold =>
        // To wait for the lock may have taken long.
        new PlainParquetCheck(table).check()
        val steps = repair.run(hold)
        RewriteLease.recovery(user, table).run()
        steps
      }
    }
  }
}
