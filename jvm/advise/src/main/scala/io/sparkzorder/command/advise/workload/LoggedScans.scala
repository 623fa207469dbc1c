// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import org.apache.hadoop.fs.Path

/**
 * The scans of files in a line of Spark's event log.
 *
 * The event that an execution starts has its plan as JSON; a scan of files in it names, beside the line that the user
 * interface shows and Spark cuts (`spark.sql.maxMetadataStringLength`), its folders and filters in full.
 */
private[workload] object LoggedScans {

  private val mapper = new ObjectMapper

  private val Event = "SparkListenerSQLExecutionStart"

  private val Folders = """\(\d+ paths\)\[(.*)\]$""".r.unanchored

  /**
   * @param folder
   *   the first folder that it reads
   * @param filters
   *   lists as Spark prints them, of filters on partition columns and on others
   */
  final case class Scan(folder: Path, filters: Seq[String])

  /** Scans that stand in the plan twice with the same text are one: a subquery stands in each expression with it. */
  def of(line: String): Seq[Scan] =
    if (!line.contains(Event)) Nil
    else
      // The last line of a log that is still written may be cut.
      try scans(mapper.readTree(line).path("sparkPlanInfo")).distinct
      catch { case _: com.fasterxml.jackson.core.JsonProcessingException => Nil }

  private def scans(plan: JsonNode): Seq[Scan] = {
    val metadata = plan.path("metadata")
    def text(key: String) = Option(metadata.path(key).textValue)
    val own = for {
      location <- text("Location")
      found <- Folders.findFirstMatchIn(location)
      first = found.group(1).split(", ").head
      if first.nonEmpty && first != "..."
    } yield Scan(new Path(first), text("PartitionFilters").toSeq ++ text("DataFilters"))
    own.toSeq ++ plan.path("children").elements().asScala.flatMap(scans)
  }
}
