package io.sparkzorder

import io.sparkzorder.command.ResolveStatements
import io.sparkzorder.format.TableFormats
import io.sparkzorder.format.delta.DeltaTakeover
import io.sparkzorder.parser.ZOrderSqlParser

import org.apache.spark.sql.SparkSessionExtensions

/**
 * The entry point: `spark.sql.extensions=io.sparkzorder.ZOrderSparkSessionExtension`.
 *
 * A table of contents: every injection, nothing else. It works before or after Delta's extension in the list.
 */
class ZOrderSparkSessionExtension extends (SparkSessionExtensions => Unit) {

  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectParser((_, delegate) => new ZOrderSqlParser(delegate))
    extensions.injectResolutionRule(session => new ResolveStatements(session))
    if (TableFormats.hasDelta) extensions.injectResolutionRule(session => new DeltaTakeover(session))
  }
}
