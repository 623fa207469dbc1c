// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.format.ClusterableTable

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** What ADVISE LAYOUT asks for; the parts are those of [[AdviseLayoutCommand]]. */
private[advise] final case class AdviceRequest(
    table: ClusterableTable,
    columns: Seq[ZOrderColumn],
    predicate: Option[Expression],
    queries: Seq[LogicalPlan],
    options: AdviseOptions)
