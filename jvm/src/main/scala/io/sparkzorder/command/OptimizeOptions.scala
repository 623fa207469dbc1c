package io.sparkzorder.command

import io.sparkzorder.curve.{Curve, ZCurve}
import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.network.util.JavaUtils

/**
 * The OPTIONS of OPTIMIZE, checked.
 *
 * @param targetFileBytes
 *   None where the statement leaves it to the table and the session
 */
final case class OptimizeOptions(targetFileBytes: Option[Long]) {
  override def toString: String = targetFileBytes.fold("")(b => s", files of $b bytes")
}

object OptimizeOptions {

  private val TargetFileSize = "target_file_size"

  private val allowed = Seq(TargetFileSize)

  /** @throws ZOrderAnalysisException for a key or a value that does not exist */
  def parse(options: Map[String, String], statement: String): OptimizeOptions = {
    options.keys.find(!allowed.contains(_)).foreach(k => throw ZOrderErrors.unknownOption(statement, k, allowed))
    OptimizeOptions(options.get(TargetFileSize).map(bytes(_, statement)))
  }

  private def bytes(value: String, statement: String): Long = {
    val size =
      try Some(JavaUtils.byteStringAsBytes(value.trim))
      catch { case _: NumberFormatException => None }
    size.filter(_ > 0).getOrElse {
      throw ZOrderErrors.invalidOption(statement, TargetFileSize, value, "a size of 1 byte or more, such as '256m'")
    }
  }

  def curve(dimensions: Int): Curve = new ZCurve(dimensions, Curve.bitsFor(dimensions))
}
