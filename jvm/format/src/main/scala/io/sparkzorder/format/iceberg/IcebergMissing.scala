// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.util.Try

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.config.Versions
import io.sparkzorder.errors.{ZOrderAnalysisException, ZOrderErrors}
import io.sparkzorder.format.{ClusterableTable, TableFormat, UnresolvedPathTable}

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.FileSourceScanExec

/**
 * Stands for Iceberg tables where there is no runtime of Iceberg for this Spark, where it is not on the class path, or
 * where it is one that this jar does not link with: says what to do. Refers to no class of Iceberg's.
 *
 * Statements that only look at a table take it as one of another project's.
 */
object IcebergMissing extends TableFormat {

  /** Whether an Iceberg is on the class path that this jar links with, on a Spark that it is for. */
  lazy val isPresent: Boolean = isForThisSpark && running.exists(!Versions.isOtherMinor(_, Versions("iceberg")))

  private def minors: Seq[String] = Versions("iceberg.spark.minors").split(" ").toSeq

  private def isForThisSpark: Boolean = minors.contains(Versions("spark.minor"))

  /** The version on the class path; None without one. Only Iceberg of a Spark has the class that is looked for. */
  private[iceberg] lazy val running: Option[String] = {
    val loader = getClass.getClassLoader
    if (Try(Class.forName("org.apache.iceberg.spark.source.SparkTable", false, loader)).isFailure) None
    else
      Some(
        Try(Class.forName("org.apache.iceberg.IcebergBuild", true, loader).getMethod("version").invoke(null).toString)
          .getOrElse("of an unknown version"))
  }

  private[iceberg] lazy val artifact: String =
    s"org.apache.iceberg:iceberg-spark-runtime-${Versions("spark.minor")}_${Versions("scala.binary")}:${Versions("iceberg")}"

  override def name: String = "iceberg"

  /** Its catalogs know which of the metadata files in a folder is the latest. */
  override def isFoundByFolder: Boolean = false

  override def tableOf(session: SparkSession, table: ResolvedTable, statement: String): Option[ClusterableTable] = None

  override def missing(table: String, provider: String): Option[ZOrderAnalysisException] =
    if (provider != name) None else Some(refusal(table))

  private def refusal(table: String): ZOrderAnalysisException =
    if (!isForThisSpark) {
      val needed = minors.mkString("Spark ", " or ", s" and Iceberg ${Versions("iceberg")}")
      ZOrderErrors.icebergOnOtherSpark(table, SPARK_VERSION, needed)
    } else
      running.fold(ZOrderErrors.icebergNotOnClassPath(table, artifact))(ZOrderErrors.otherIceberg(table, _, artifact))

  /** A folder of a table is refused as no plain Parquet table. */
  override def atPath(session: SparkSession, named: UnresolvedPathTable, table: String): Option[LogicalPlan] =
    if (named.format.isDefined) throw ZOrderErrors.icebergByPath(table, named.statement.name) else None

  override def scan(scan: FileSourceScanExec): Option[TableFormat.Scan] = None

  override def isOffered: Boolean = false

  override def rewriteText(table: ResolvedTable, columns: Seq[ColumnPath], targetFileBytes: Long): Option[String] = {
    val inCatalog = (table.identifier.namespace.toSeq :+ table.identifier.name).map(quoteIfNeeded).mkString(".")
    Some(
      s"CALL ${quoteIfNeeded(table.catalog.name)}.system.rewrite_data_files(table => '$inCatalog', " +
        s"strategy => 'sort', sort_order => 'zorder(${columns.mkString(", ")})', " +
        s"options => map('rewrite-all', 'true', 'target-file-size-bytes', '$targetFileBytes'))")
  }

  override def writesInOrder: Boolean = false
}
