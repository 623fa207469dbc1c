// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import io.sparkzorder.errors.UnexpectedError
import io.sparkzorder.format.{TableFormat, TableFormats}
import io.sparkzorder.parquet.scan.PlannedScan
import io.sparkzorder.plan.ExplainSkippingStatement

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{CommandExecutionMode, DataSourceScanExec, FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.types.{LongType, StringType}

/**
 * `EXPLAIN SKIPPING`: how much of its tables a query reads, one row for each scan in its plan. The query is planned and
 * does not run; what is read of the files are footers and page indexes.
 *
 * Totals are those of the whole table in the version that the query reads, also of what its partitions leave out. Files
 * read are those that the scan lists while it is planned; row groups and pages those that the reader keeps by the
 * filter that the scan pushes down. Pages and bytes are of the columns that the query reads; see
 * `parquet.scan.ScanVolume`.
 *
 * What only a run can show is not foreseen, so that a run may read less: a LIMIT that is reached early, dynamic
 * partition pruning, keys and Bloom filters of joins, filters by the result of a subquery, exchanges that adaptive
 * execution uses again. A note says by which joins files will be left out. Scans of formats without usable metadata get
 * a row that says so. Tables that Spark answers for without a scan (a Delta table's count) and cached tables have none.
 *
 * @param query
 *   the query as parsed: it is analysed when the command runs, by itself, as any query
 * @param formats
 *   the formats whose scans are known
 * @param namespace
 *   catalog and namespace of the view in whose text the query stands; none where it stands in none
 */
case class ExplainSkippingCommand(query: LogicalPlan, formats: TableFormats, namespace: Seq[String])
    extends StatementCommand {

  override val output: Seq[Attribute] = {
    val figures = Seq(
      "files_total",
      "files_read",
      "row_groups_total",
      "row_groups_read",
      "pages_total",
      "pages_read",
      "bytes_total",
      "bytes_read",
      "rows_total").map(AttributeReference(_, LongType)())
    AttributeReference("table", StringType, nullable = false)() +: figures :+ AttributeReference("note", StringType)()
  }

  override protected def stringArgs: Iterator[Any] = Iterator(query)

  override def innerChildren: Seq[LogicalPlan] = Seq(query)

  override protected def statement: String = ExplainSkippingStatement.Name

  override protected def execute(user: SparkSession): Seq[Row] = {
    val session = NamespaceSession.of(user, namespace)
    WrittenNames.note(query)
    // Nothing in a query is a command; should a rule make one of it, it must not run.
    val execution = session.sessionState.executePlan(query, CommandExecutionMode.SKIP)
    val (analyzed, planned) = UnexpectedError.ofQuery(statement)((execution.analyzed, execution.executedPlan))
    val names = new WrittenNames(analyzed)
    QueryScans.of(planned).map { scan =>
      val known = scan match {
        case files: FileSourceScanExec =>
          formats.scan(files).map(volumeOf(session, files, _, analyzed, names))
        case other: BatchScanExec => formats.readVolume(other).map(volumeOf(other, _, names))
        case _ => None
      }
      known.getOrElse(opaque(scan, names))
    }
  }

  private def volumeOf(
      session: SparkSession,
      scan: FileSourceScanExec,
      known: TableFormat.Scan,
      analyzed: LogicalPlan,
      names: WrittenNames): Row = {
    val table = new ScannedTable(scan, known, analyzed)
    val read = table.filesRead.map(_.getPath).toSet
    val files = table.files
    val volume = PlannedScan
      .of(scan, known.pushesFilters)
      .volume(session, files.map(f => (f.getPath.toString, read(f.getPath))))
    Row(
      names.of(scan, scan.tableIdentifier).getOrElse(table.name),
      files.size.toLong,
      read.size.toLong,
      volume.rowGroupsTotal,
      volume.rowGroupsRead,
      volume.pagesTotal,
      volume.pagesRead,
      volume.bytesTotal,
      volume.bytesRead,
      volume.rows,
      (table.note ++ requests(session, read, volume.rowGroupsRead)).reduceOption(_ + "; " + _).orNull
    )
  }

  /** What opening files asks of a store that counts; the pages of a row group are mostly read together. */
  private def requests(session: SparkSession, files: Set[Path], rowGroups: Long): Option[String] =
    files.headOption.filter(StoreRequests.areCounted(session, _)).map { _ =>
      val about = files.size * ExplainSkippingCommand.RequestsOfFile + math.max(0, rowGroups - files.size)
      s"a run makes about ${HumanReadable.count(about, "request")} to the store for the files that it reads"
    }

  /** Of a scan by another reader. */
  private def volumeOf(scan: BatchScanExec, read: TableFormat.ReadVolume, names: WrittenNames): Row = Row(
    names.of(scan, None).getOrElse(OpaqueScan.name(scan)),
    read.filesTotal,
    read.filesRead,
    null,
    null,
    null,
    null,
    read.bytesTotal,
    read.bytesRead,
    read.rowsTotal,
    read.note
  )

  private def opaque(scan: SparkPlan, names: WrittenNames): Row = {
    val identifier = scan match {
      case source: DataSourceScanExec => source.tableIdentifier
      case _ => None
    }
    def ofView = if (identifier.isEmpty) names.viewOf(scan) else None
    val name = names.of(scan, identifier).orElse(ofView).getOrElse(OpaqueScan.name(scan))
    Row.fromSeq(name +: Seq.fill(output.size - 2)(null) :+ OpaqueScan.note(scan))
  }
}

private object ExplainSkippingCommand {

  // Spark's reader asks for a file twice; its footer comes with the rows of a small file, and before those of a large one.
  private val RequestsOfFile = 3L
}
