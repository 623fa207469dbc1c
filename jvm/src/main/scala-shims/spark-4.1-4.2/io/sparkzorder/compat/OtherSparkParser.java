// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat;

import org.apache.spark.sql.catalyst.parser.ParameterContext;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Spark 4.1 and 4.2 also parse with parameters; on a Spark that does not, that method is never called. */
class OtherSparkParser extends EverySparkParser {

  OtherSparkParser(ParserInterface delegate, Refusal refusal) {
    super(delegate, refusal);
  }

  @Override
  public LogicalPlan parsePlanWithParameters(String sqlText, ParameterContext context) throws ParseException {
    refusal.ofStatement(sqlText);
    try {
      return delegate.parsePlanWithParameters(sqlText, context);
    } catch (ParseException e) {
      refusal.ofClause(sqlText);
      throw e;
    }
  }
}
