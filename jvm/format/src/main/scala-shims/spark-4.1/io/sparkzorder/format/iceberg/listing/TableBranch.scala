// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import scala.jdk.CollectionConverters._

import io.sparkzorder.errors.ZOrderErrors

import org.apache.iceberg.{HasTableOperations, Snapshot, SnapshotRef, Table, TableMetadata, TableMetadataParser}
import org.apache.iceberg.exceptions.{
  NoSuchNamespaceException,
  NoSuchTableException,
  NotFoundException,
  ValidationException
}
import org.apache.iceberg.hadoop.HadoopTableOperations
import org.apache.spark.sql.catalyst.util.quoteIfNeeded

/**
 * The branch of a table that a statement names.
 *
 * @param named
 *   the table and the branch, as the statement has it
 * @param name
 *   None for the main branch, which is there from the first snapshot on
 */
private[iceberg] final class TableBranch(named: String, table: Table, val name: Option[String]) {

  /** The table alone. */
  val tableName: String = name.fold(named)(b => named.stripSuffix(s".${quoteIfNeeded(TableBranch.Selector + b)}"))

  /** None of a table that has none yet. */
  def latest: Option[Snapshot] = name match {
    case None => Option(table.currentSnapshot)
    case Some(branch) =>
      require(branch)
      Some(table.snapshot(branch))
  }

  private def operations = table match {
    case known: HasTableOperations => Some(known.operations)
    case _ => None
  }

  private val made = operations.map(o => TableBranch.identity(o.current))

  /**
   * What is stored now. The catalog of a folder goes by the numbers of versions, which those of another table in that folder
   * may have, too.
   */
  private def stored = operations.map {
    case ofFolder: HadoopTableOperations =>
      TableBranch.identity(TableMetadataParser.read(ofFolder.io, ofFolder.current.metadataFileLocation))
    case other => TableBranch.identity(other.current)
  }

  /**
   * A table of another format version may number its rows, whose numbers files that were written before do not have.
   *
   * @throws ZOrderAnalysisException
   *   where it is not there any more
   * @throws ZOrderRuntimeException
   *   where it is gone, another table has its name, or it has another format version than when this was made
   */
  def requireThere(): Unit = {
    val now = TableBranch.whileThere(named) {
      table.refresh()
      stored
    }
    if (now != made) throw ZOrderErrors.tableChanged(named)
    name.foreach(require)
  }

  private def require(branch: String): Unit =
    if (!Option(table.refs.get(branch)).exists(_.isBranch))
      throw ZOrderErrors.icebergNoBranch(tableName, branch, TableBranch.namesIn(table))
}

private[iceberg] object TableBranch {

  /** Before the name of a branch, as the last part of a table's. */
  val Selector = "branch_"

  /** @throws ZOrderRuntimeException where the table is gone, or another one has its name */
  def refresh(named: String, table: Table): Unit = whileThere(named)(table.refresh())

  private def whileThere[T](named: String)(body: => T): T =
    try body
    catch {
      case e @ (_: NoSuchTableException | _: NoSuchNamespaceException | _: NotFoundException | _: ValidationException) =>
        throw ZOrderErrors.tableChanged(named, Some(e))
      // Others are of a connection, for one.
      case e: IllegalStateException if String.valueOf(e.getMessage).contains("UUID") =>
        throw ZOrderErrors.tableChanged(named, Some(e))
    }

  /** What distinguishes a table from another one of its name. */
  private def identity(metadata: TableMetadata): (String, Int) = (metadata.uuid, metadata.formatVersion)

  /** The names of the branches of a table but for the main one. */
  def namesIn(table: Table): Seq[String] = table.refs.asScala.collect {
    case (branch, ref) if ref.isBranch && branch != SnapshotRef.MAIN_BRANCH => branch
  }.toSeq.sorted
}
