// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import java.lang.reflect.InvocationTargetException
import java.util.{List => JavaList}

import org.apache.iceberg.{ScanTaskGroup, Schema, Table}
import org.apache.iceberg.expressions.{Expression => TableExpression}
import org.apache.spark.sql.connector.read.{Batch, Scan}

/** What scans of Iceberg's show only to Iceberg's own packages; None where a release has no such thing. */
private[scan] object ScanInternals {

  /** The class of scans that read a version of a table, and are neither to be rewritten nor changes between versions. */
  private val OfVersion = "org.apache.iceberg.spark.source.SparkBatchQueryScan"

  def readsVersion(scan: Scan): Boolean = scan.getClass.getName == OfVersion

  def table(scan: Scan): Option[Table] = asked(scan, "table")

  /** What is read in each of Spark's tasks. */
  def taskGroups(scan: Scan): Option[JavaList[ScanTaskGroup[_]]] = asked(scan, "taskGroups")

  /** The columns that are read. */
  def projection(scan: Scan): Option[Schema] = asked(scan, "projection")

  /** What Iceberg has planned the scan's files by. */
  def filter(scan: Scan): Option[TableExpression] = asked(scan, "filter")

  def isCaseSensitive(scan: Scan): Option[Boolean] = asked[java.lang.Boolean](scan, "caseSensitive").map(_.booleanValue)

  def snapshotId(scan: Scan): Option[Long] =
    asked[java.lang.Long](scan, "snapshotId").filter(_ != null).map(_.longValue)

  /** A batch, of which nobody else knows, with other tasks; None where it has no field for them. */
  def withTaskGroups(batch: Batch, groups: JavaList[ScanTaskGroup[_]]): Option[Batch] =
    batch.getClass.getDeclaredFields.find(f => f.getName == "taskGroups" && f.getType == classOf[JavaList[_]]).map {
      field =>
        field.setAccessible(true)
        field.set(batch, groups)
        batch
    }

  private def asked[T](scan: Scan, name: String): Option[T] = {
    val classes = Iterator.iterate[Class[_]](scan.getClass)(_.getSuperclass).takeWhile(_ != null)
    val methods = classes.flatMap(_.getDeclaredMethods.find(m => m.getName == name && m.getParameterCount == 0))
    methods.nextOption().map { method =>
      method.setAccessible(true)
      try method.invoke(scan).asInstanceOf[T]
      catch { case e: InvocationTargetException => throw e.getCause }
    }
  }
}
