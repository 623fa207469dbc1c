// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import scala.util.Try

import io.sparkzorder.config.Versions
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{ClusterableTable, TableFormat, TableFormats, UnresolvedPathTable}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.FileSourceScanExec

/**
 * Stands for Delta tables where Delta Lake is not on the class path, or one that this jar does not link with: says what
 * to add. Refers to no class of Delta's.
 */
object DeltaMissing extends TableFormat {

  /** Whether a Delta Lake is on the class path that this jar links with. */
  lazy val isPresent: Boolean = isOnClassPath && other.isEmpty

  private lazy val isOnClassPath: Boolean =
    try {
      Class.forName("org.apache.spark.sql.delta.DeltaLog", false, getClass.getClassLoader)
      true
    } catch { case _: ClassNotFoundException => false }

  /** The version of a Delta Lake of another minor; of one that does not say its version it is not known. */
  private lazy val other: Option[String] = Try {
    val delta = Class.forName("io.delta.package$", true, getClass.getClassLoader)
    delta.getMethod("VERSION").invoke(delta.getField("MODULE$").get(null)).toString
  }.toOption.filter(Versions.isOtherMinor(_, Versions("delta")))

  private def missing(table: String): Exception =
    other.fold(ZOrderErrors.deltaNotOnClassPath(table, artifact))(ZOrderErrors.otherDelta(table, _, artifact))

  private lazy val artifact: String =
    s"io.delta:delta-spark_${Versions("spark.minor")}_${Versions("scala.binary")}:${Versions("delta")}"

  override def name: String = "delta"

  override def tableOf(session: SparkSession, table: ResolvedTable, statement: String): Option[ClusterableTable] =
    if (TableFormats.provider(table) == name) throw missing(table.name) else None

  override def atPath(session: SparkSession, named: UnresolvedPathTable, table: String): Option[LogicalPlan] =
    if (named.format.isDefined || hasLog(session, named)) throw missing(table)
    else None

  private def hasLog(session: SparkSession, table: UnresolvedPathTable): Boolean = {
    val log = new Path(table.path, "_delta_log")
    log.getFileSystem(session.sessionState.newHadoopConf()).exists(log)
  }

  override def scan(scan: FileSourceScanExec): Option[TableFormat.Scan] = None

  override def writesInOrder: Boolean = true

  override def undoesOrder(properties: Map[String, String]): Option[String] = OptimizedWrites.in(properties)
}

/**
 * The table property that makes Delta shuffle rows after they were ordered. A session's setting does the same, and is
 * known when rows are written. Refers to no class of Delta's.
 */
private[delta] object OptimizedWrites {

  private val Property = "delta.autoOptimize.optimizeWrite"

  /** The property, where it is set; Delta takes it in any case. */
  def in(properties: Map[String, String]): Option[String] = properties.collectFirst {
    case (name, value) if name.equalsIgnoreCase(Property) && value.trim.equalsIgnoreCase("true") => Property
  }
}
