package io.sparkzorder.skipping

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation

/**
 * Makes scans over a [[ZOrderFileIndex]] report on it, whoever has planned them.
 *
 * To be injected both for adaptive plans, as a rule that prepares query stages, and for others, as a columnar rule.
 */
object IndexedScans extends Rule[SparkPlan] {

  /** For plans that are not adaptive. */
  object InColumnarRules extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = IndexedScans
  }

  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    case scan: FileSourceScanExec if isPlain(scan) && scan.dataFilters.nonEmpty && isSkipping(scan.relation) =>
      IndexedScanExec.of(scan)
  }

  private def isPlain(scan: FileSourceScanExec): Boolean = scan.getClass == classOf[FileSourceScanExec]

  private def isSkipping(relation: HadoopFsRelation): Boolean = relation.location match {
    case index: ZOrderFileIndex => index.skipping
    case _ => false
  }
}
