// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat

import io.sparkzorder.config.Versions
import io.sparkzorder.errors.ZOrderErrors

import org.slf4j.LoggerFactory

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.parser.ParserInterface

/**
 * What this jar does on a Spark that it was not built for: it says so once, and our statements and functions fail with
 * an error that names the artifact to take. All else is as without the jar.
 *
 * Here and in what is used here nothing should refer to a class or method that not every Spark 4 has: the rest of the
 * jar is not touched, so that nothing of it needs to link. Where a Spark to come does not link even this, our statements
 * are what they are without the jar, syntax errors of Spark's, behind the warning.
 */
private[sparkzorder] class OtherSpark(running: SparkVersion) {
  import OtherSpark._

  def inject(extensions: SparkSessionExtensions): Unit = {
    LoggerFactory.getLogger(classOf[OtherSpark]).warn(error("The extension").getMessage)
    extensions.injectParser((_, delegate) => parser(delegate))
    Functions.foreach(name => ifLinked(())(extensions.injectFunction(function(name))))
    TableFunctions.foreach(name => ifLinked(())(extensions.injectTableFunction(function(name))))
  }

  private def parser(delegate: ParserInterface): ParserInterface =
    ifLinked(delegate)(WiderParser(classOf[ParserInterface], delegate, new Refusal(() => error("This statement"))))

  private def error(what: String): Exception =
    ZOrderErrors.otherSpark(what, running.text, running.minor.getOrElse(running.text))

  private def function(name: String): (FunctionIdentifier, ExpressionInfo, Seq[Expression] => Nothing) =
    (
      FunctionIdentifier(name),
      new ExpressionInfo(classOf[OtherSpark].getName, name),
      (_: Seq[Expression]) => throw error(s"The function $name"))
}

private[sparkzorder] object OtherSpark {

  /** None where the running Spark is one that this jar is for. */
  def found: Option[OtherSpark] =
    Some(SparkVersion.running).filter(_.isOtherThan(Versions("spark.minor"))).map(new OtherSpark(_))

  /** What `made` is, or `instead` where it does not link. */
  private[compat] def ifLinked[T](instead: => T)(made: => T): T =
    try made
    catch { case _: LinkageError => instead }

  /** The names of `functions.SqlFunctions`, which cannot be asked here. */
  private[compat] val Functions: Seq[String] =
    Seq("hilbert_index", "interleave_bits", "range_partition_id", "zorder_key")

  /** The names of `functions.SqlTableFunctions`, likewise. */
  private[compat] val TableFunctions: Seq[String] = Seq("describe_layout", "layout_files", "explain_skipping")
}
