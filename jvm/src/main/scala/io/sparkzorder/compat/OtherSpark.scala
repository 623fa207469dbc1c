// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat

import io.sparkzorder.config.Versions
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.parser.{SortClause, StatementRecognizer}

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
 * are what they are without the jar, syntax errors of Spark's, after the warning.
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

  private def error(what: String): Exception = {
    val artifact = s"spark-zorder_${running.minor.getOrElse(running.text)}_${Versions("scala.binary")}"
    ZOrderErrors.otherSpark(what, running.text, Versions("spark.minor"), artifact)
  }

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

  /** The names of `plan.SqlFunctions`, which cannot be asked here. */
  private[compat] val Functions: Seq[String] =
    Seq("hilbert_index", "interleave_bits", "range_partition_id", "zorder_key")

  /** The names of `plan.SqlTableFunctions`, likewise. */
  private[compat] val TableFunctions: Seq[String] = Seq("describe_layout", "layout_files", "explain_skipping")
}

/**
 * Refuses texts that are ours, on a Spark that this jar is not for.
 *
 * @param error
 *   makes the error
 */
private[compat] class Refusal(error: () => Exception) {

  /** Throws where the text is one of our statements. */
  def ofStatement(sqlText: String): Unit = if (is(StatementRecognizer.isOurs(sqlText))) throw error()

  /** Throws where a statement of Spark's, which Spark could not read, has a clause of ours. */
  def ofClause(sqlText: String): Unit = if (is(SortClause.places(sqlText).nonEmpty)) throw error()

  private def is(found: => Boolean): Boolean =
    try found
    catch {
      // Text that is not ours to read, or a Spark whose lexer or ANTLR ours cannot use: the next parser has the word.
      case _: Exception | _: LinkageError => false
    }
}

/**
 * A version of Spark as it calls itself: `4.2.1`, `4.2.0-SNAPSHOT`, a vendor's `4.2.1.7-x`.
 *
 * @param text
 *   the whole of it
 */
private[sparkzorder] final case class SparkVersion(text: String) {

  /** `4.2` of `4.2.1`; None of what is no version. */
  val minor: Option[String] = """^(\d+\.\d+)(\D.*)?$""".r.findFirstMatchIn(text.trim).map(_.group(1))

  /**
   * Whether this jar is for another Spark: minors differ in what they have inside, patches hardly. What calls itself
   * nothing like a version gets the benefit of the doubt.
   */
  def isOtherThan(builtFor: String): Boolean = minor.exists(_ != builtFor)
}

private[sparkzorder] object SparkVersion {

  /** The Spark that runs. */
  def running: SparkVersion = SparkVersion(org.apache.spark.SPARK_VERSION)
}
