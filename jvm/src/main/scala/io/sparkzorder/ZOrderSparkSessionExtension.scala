// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import io.sparkzorder.command.advise.ResolveAdvice
import io.sparkzorder.command.advise.workload.RecordQueries
import io.sparkzorder.command.resolve.{
  CheckStatementNames,
  CheckTableNames,
  CheckTableOrder,
  CloseBeforeTakeOver,
  KeepTableOrder,
  ResolveStatements,
  TakeOverOptimize
}
import io.sparkzorder.compat.{OtherSpark, UnlinkedSpark}
import io.sparkzorder.format.parquet.OrderTableWrites
import io.sparkzorder.format.parquet.index.ParquetIndexSource
import io.sparkzorder.move.{ClusterRowsStrategy, GatherFilesStrategy}
import io.sparkzorder.parser.ZOrderSqlParser
import io.sparkzorder.plan.{
  CheckRangePartitionIds,
  CommandRowsStrategy,
  MoveRangeBucketsBelowJoins,
  RewriteRangePartitionIds,
  SqlFunctions,
  SqlTableFunctions
}
import io.sparkzorder.skipping.dynamic.{PruneByFilters, PruneByFirstRows, PruneByJoinKeys, ScanIndexes}
import io.sparkzorder.skipping.scan.{ReplaceParquetListing, ScanRule}
import io.sparkzorder.write.{DropOverruledOrder, EncodeWrites, OrderedRowsStrategy}

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

/**
 * The entry point: `spark.sql.extensions=io.sparkzorder.ZOrderSparkSessionExtension`.
 *
 * It works before or after Delta's extension in the list. On a Spark that this jar is not for it refers to nothing of
 * the jar that would not link there.
 */
class ZOrderSparkSessionExtension extends (SparkSessionExtensions => Unit) {

  override def apply(extensions: SparkSessionExtensions): Unit =
    if (!isOtherSpark(extensions)) ZOrderInjections(extensions)

  /** Whether the running Spark is one that this jar is not for; what can be done there is then done. */
  private def isOtherSpark(extensions: SparkSessionExtensions): Boolean =
    try {
      val other = OtherSpark.found
      other.foreach(_.inject(extensions))
      other.isDefined
    } catch {
      case e: LinkageError =>
        UnlinkedSpark.warn(e)
        true
    }
}

/** A table of contents: every injection, nothing else. */
private object ZOrderInjections {

  def apply(extensions: SparkSessionExtensions): Unit = {
    // Statements
    extensions.injectParser((_, delegate) => new ZOrderSqlParser(delegate))
    extensions.injectResolutionRule(session => new ResolveStatements(session, Formats.all))
    extensions.injectResolutionRule(session => new ResolveAdvice(session, Formats.all))
    extensions.injectCheckRule(session => new RecordQueries(session, Formats.all))
    extensions.injectResolutionRule(session => new KeepTableOrder(session, Formats.all))
    extensions.injectResolutionRule(session => new CheckTableOrder(session, Formats.all))
    // Before every other rule that looks for tables, wherever Delta's extension stands in the list.
    extensions.injectHintResolutionRule(session => new CheckTableNames(session, Formats.all))
    extensions.injectHintResolutionRule(session => new TakeOverOptimize(session, Formats.all, ofFolders = true))
    extensions.injectResolutionRule(session => new TakeOverOptimize(session, Formats.all, ofFolders = false))
    extensions.injectResolutionRule(_ => new CloseBeforeTakeOver(Formats.all))
    Formats.all.resolutionRules.foreach(extensions.injectResolutionRule)
    extensions.injectPostHocResolutionRule(new CheckStatementNames(_))
    extensions.injectPlannerStrategy(_ => ClusterRowsStrategy)
    extensions.injectPlannerStrategy(_ => GatherFilesStrategy)
    extensions.injectPlannerStrategy(_ => CommandRowsStrategy)

    // Skipping
    injectScanRule(extensions)(session => new ReplaceParquetListing(session, ParquetIndexSource))
    injectScanRule(extensions)(session => new PruneByFilters(session, scanIndexes(session)))
    injectScanRule(extensions)(session => new PruneByJoinKeys(session, scanIndexes(session)))
    injectScanRule(extensions)(session => new PruneByFirstRows(session, scanIndexes(session)))

    // Order on write
    extensions.injectPlanNormalizationRule(new OrderTableWrites(_))
    extensions.injectPlanNormalizationRule(_ => EncodeWrites)
    Formats.all.postHocResolutionRules.foreach(extensions.injectPostHocResolutionRule)
    Formats.all.normalizationRules.foreach(extensions.injectPlanNormalizationRule)
    extensions.injectPreCBORule(_ => DropOverruledOrder)
    extensions.injectPlannerStrategy(_ => OrderedRowsStrategy)

    // Functions
    SqlFunctions.all.foreach(extensions.injectFunction)
    SqlTableFunctions.all.foreach(extensions.injectTableFunction)
    extensions.injectPostHocResolutionRule(_ => CheckRangePartitionIds)
    extensions.injectPlanNormalizationRule(_ => RewriteRangePartitionIds)
    extensions.injectPreCBORule(_ => MoveRangeBucketsBelowJoins)
  }

  private def injectScanRule(extensions: SparkSessionExtensions)(rule: SparkSession => ScanRule): Unit = {
    extensions.injectQueryStagePrepRule(session => rule(session))
    extensions.injectColumnar(session => rule(session).inColumnarRules)
  }

  private def scanIndexes(session: SparkSession): ScanIndexes =
    new ScanIndexes(Formats.all.statistics(session, _), Formats.all.prunable(_), Formats.all.bytesOfVersion(_))
}
