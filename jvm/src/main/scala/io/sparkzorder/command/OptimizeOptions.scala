package io.sparkzorder.command

import java.util.Locale

import io.sparkzorder.curve.Curve
import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.network.util.JavaUtils

/**
 * The OPTIONS of OPTIMIZE, checked. None where the statement leaves it to the table and the session.
 *
 * @param curve
 *   one of [[Curve.names]]
 * @param targetFileBytes
 *   1 or more
 */
final case class OptimizeOptions(curve: Option[String], targetFileBytes: Option[Long]) {
  override def toString: String =
    curve.fold("")(c => s", along $c") + targetFileBytes.fold("")(b => s", files of $b bytes")
}

object OptimizeOptions {

  private val CurveName = "curve"
  private val TargetFileSize = "target_file_size"

  private val allowed = Seq(CurveName, TargetFileSize)

  /** @throws ZOrderAnalysisException for a key or a value that does not exist */
  def parse(options: Map[String, String], statement: String): OptimizeOptions = {
    options.keys.find(!allowed.contains(_)).foreach(k => throw ZOrderErrors.unknownOption(statement, k, allowed))
    OptimizeOptions(
      options.get(CurveName).map(curve(_, statement)),
      options.get(TargetFileSize).map(bytes(_, statement)))
  }

  private def curve(value: String, statement: String): String =
    Curve.names.find(_ == value.toLowerCase(Locale.ROOT)).getOrElse {
      throw ZOrderErrors.invalidOption(statement, CurveName, value, Curve.names.mkString("'", "' or '", "'"))
    }

  private def bytes(value: String, statement: String): Long = {
    val size =
      try Some(JavaUtils.byteStringAsBytes(value.trim))
      catch { case _: NumberFormatException => None }
    size.filter(_ > 0).getOrElse {
      throw ZOrderErrors.invalidOption(statement, TargetFileSize, value, "a size of 1 byte or more, such as '256m'")
    }
  }
}
