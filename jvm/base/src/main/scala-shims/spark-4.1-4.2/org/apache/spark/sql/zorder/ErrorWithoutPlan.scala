// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.zorder

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.ExtendedAnalysisException

/** What an error says, without the plan that Spark puts after it. */
private[zorder] object ErrorWithoutPlan {

  def of(e: ExtendedAnalysisException): AnalysisException =
    new AnalysisException(e.message, e.line, e.startPosition, e.cause, e.errorClass, e.messageParameters, e.context)
}
