// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import scala.io.Source
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.errors.ZOrderErrors

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.execution.CommandExecutionMode
import org.apache.spark.sql.types.StructType

/** The workload that queries are, each of which is planned and does not run. */
private[advise] object QueryWorkload {

  /**
   * @param queries
   *   queries as parsed, each of which counts once, however often it reads the table
   * @return
   *   a note of queries of the table that read no file of it: of partitions that are not there, or by a condition that
   *   is never true
   * @throws ZOrderAnalysisException
   *   for a query of other tables, and where no query reads a file
   */
  def of(session: SparkSession, queries: Seq[LogicalPlan], table: AdvisedTable, schema: StructType): Workload = {
    val found = queries.zipWithIndex.map { case (query, i) =>
      // Nothing in a query is a command; should a rule make one of it, it must not run.
      val tables = new QueriedTables(session.sessionState.executePlan(query, CommandExecutionMode.SKIP))
      if (!tables.has(table)) throw ZOrderErrors.queryWithoutTable(table.name, i + 1)
      WeightedFilters.ofQuery(tables.scans().filter(_.isOf(table)).map(_.filters.map(spelled(_, schema))))
    }
    val idle = found.indices.filter(found(_).isEmpty).map(_ + 1)
    if (idle.size == queries.size) throw ZOrderErrors.queryWithoutTable(table.name, 1)
    val note =
      if (idle.isEmpty) None
      else
        Some(s"${idle.size} of ${queries.size} queries read no file of the table in any layout " +
          s"(number ${idle.mkString(", ")}), and are left out")
    Workload.of(found.flatten, note.toSeq)
  }

  /** In the table's own spelling. */
  private def spelled(filter: Expression, schema: StructType): Expression =
    filter.transform { case a: AttributeReference =>
      WeightedFilters.field(a.name, schema).fold(a)(f => a.withName(f.name))
    }
}

/** The workload that [[QueryRecorder]] has recorded: the table's queries, as often as they ran. */
private[advise] object RecordedWorkload {

  /**
   * @param path
   *   a recording, or a folder of recordings
   * @throws ZOrderAnalysisException
   *   where there is no recording, and where none has a query of the table with a filter that still fits it
   */
  def of(session: SparkSession, path: String, table: AdvisedTable, schema: StructType): Workload = {
    val reader = new FilterJson.Reader(toAttributes(schema), session.sessionState.conf.sessionLocalTimeZone)
    val (queries, lost) = lines(session, path).filter(isOf(_, table)).map { line =>
      val scans = items(line.path("scans")).map(items(_).map(reader.of))
      (WeightedFilters.ofQuery(scans.map(_.flatten), line.path("times").asDouble(1.0)), scans.flatten.count(_.isEmpty))
    }.unzip
    val known = queries.filter(_.exists(_.columns.nonEmpty))
    if (known.isEmpty) throw ZOrderErrors.recording(path, s"it has no query of ${table.name} with a filter")
    val note = s"${lost.sum} recorded filters do not fit the table any more and are left out"
    Workload.of(known.flatten, Option.when(lost.sum > 0)(note).toSeq)
  }

  private def isOf(line: JsonNode, table: AdvisedTable): Boolean =
    Option(line.path("table").textValue).contains(table.name) ||
      Option(line.path("folder").textValue).exists(folder => table.holds(new Path(folder)))

  private def items(array: JsonNode): Seq[JsonNode] = array.elements().asScala.toSeq

  private def lines(session: SparkSession, path: String): Seq[JsonNode] = {
    // What this driver has seen counts at once.
    Recording.writeAll()
    val root = new Path(path)
    val found = Try {
      val fs = root.getFileSystem(session.sessionState.newHadoopConf())
      fs.listStatus(root).toSeq.map(_.getPath).filter(_.getName.endsWith(Recording.Suffix)).sorted.flatMap(read(fs, _))
    }
    val all = found.getOrElse(throw ZOrderErrors.recording(path, "there is nothing that could be read"))
    if (all.isEmpty) throw ZOrderErrors.recording(path, "there is no recording in it")
    all
  }

  /** A file that is being written may end within a line. */
  private def read(fs: FileSystem, file: Path): Seq[JsonNode] = {
    val mapper = new ObjectMapper
    Using.resource(Source.fromInputStream(fs.open(file), "UTF-8")) { source =>
      source.getLines().flatMap(line => Try(mapper.readTree(line)).toOption).toList
    }
  }
}
