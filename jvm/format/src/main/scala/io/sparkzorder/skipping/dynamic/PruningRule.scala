// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.skipping.scan.ScanRule

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.SparkPlan

/** A rule that makes scans leave out files by what only a run knows, unless the session's settings forbid it. */
abstract class PruningRule(session: SparkSession) extends ScanRule {

  final override def apply(plan: SparkPlan): SparkPlan =
    if (ZOrderConf.dynamicSkipping(session.sessionState.conf)) pruned(plan) else plan

  protected def pruned(plan: SparkPlan): SparkPlan
}
