// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.lang.reflect.{InvocationTargetException, Method}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.{FileFormat, FileFormatWriter}

/** Spark's own writer of Parquet files, on every patch of the minor: 4.2.1 gave it a parameter more than 4.2.0 has. */
private[parquet] object SparkFileWriter {

  private lazy val writer = new CompatibleMethod(
    FileFormatWriter,
    "write",
    classOf[ClassicSession],
    classOf[SparkPlan],
    classOf[FileFormat],
    classOf[FileCommitProtocol],
    classOf[FileFormatWriter.OutputSpec],
    classOf[Configuration],
    classOf[Seq[_]],
    classOf[Option[_]],
    classOf[Seq[_]],
    classOf[Map[_, _]]
  )

  /**
   * Runs the plan and writes its rows.
   *
   * @param target
   *   the folder in which files and folders of partitions are made
   * @param settings
   *   further settings of Hadoop
   */
  def write(
      session: SparkSession,
      plan: SparkPlan,
      format: FileFormat,
      committer: FileCommitProtocol,
      target: String,
      partitionColumns: Seq[Attribute],
      options: Map[String, String],
      settings: Map[String, String] = Map.empty): Unit = {
    val conf = session.sessionState.newHadoopConfWithOptions(options)
    settings.foreach { case (key, value) => conf.set(key, value) }
    writer(
      session,
      plan,
      format,
      committer,
      FileFormatWriter.OutputSpec(target, Map.empty, plan.output),
      conf,
      partitionColumns,
      // No buckets, and nobody who keeps count of what is written.
      None,
      Nil,
      options
    )
  }
}

/**
 * A public method of a Scala object of Spark's that gains parameters with defaults from one patch to the next.
 *
 * Code that was compiled against one patch names all parameters of that patch, so that the JVM does not find the method
 * of another. This finds it by the parameters that every patch has, and gives the further ones the defaults that the
 * object itself has for them.
 *
 * @param known
 *   the types of the first parameters
 */
private[sparkzorder] final class CompatibleMethod(owner: AnyRef, name: String, known: Class[_]*) {

  private val method: Method = {
    val found = owner.getClass.getMethods.filter(m => m.getName == name && m.getParameterTypes.startsWith(known))
    // Where there are several, each further parameter is a step further from what we mean.
    found.minByOption(_.getParameterCount).getOrElse {
      throw new NoSuchMethodException(s"${owner.getClass.getName}.$name(${known.map(_.getName).mkString(", ")})")
    }
  }

  // As Scala names the methods that compute defaults; parameters count from 1.
  private val defaults: Seq[Method] =
    (known.size + 1 to method.getParameterCount).map(i => owner.getClass.getMethod(s"$name$$default$$$i"))

  /** @param arguments values of the known parameters */
  def apply(arguments: Any*): Any = {
    require(arguments.size == known.size)
    val all = arguments ++ defaults.map(call(_))
    call(method, all: _*)
  }

  /** What the method throws is thrown as it is. */
  private def call(method: Method, arguments: Any*): Any =
    try method.invoke(owner, arguments.map(_.asInstanceOf[AnyRef]): _*)
    catch { case e: InvocationTargetException => throw e.getCause }
}
