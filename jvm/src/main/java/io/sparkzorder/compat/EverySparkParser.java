// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat;

import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;

/**
 * Refuses our statements and hands every other text to {@code delegate}, unchanged, by the methods that parsers of every Spark 4
 * have; {@code OtherSparkParser} has those of the Spark that this jar is for besides.
 *
 * <p>In Java, because a class of Scala's calls the initializer of its trait, and {@code ParserInterface} has one only where
 * one of its methods has a body: from Spark 4.1 on. No stand-in made by reflection: the JVM wraps what such a one throws, and
 * most of Spark's errors are checked exceptions that its interface does not declare.
 */
abstract class EverySparkParser implements ParserInterface {

  // WiderParser's class reads it.
  final ParserInterface delegate;
  final Refusal refusal;

  EverySparkParser(ParserInterface delegate, Refusal refusal) {
    this.delegate = delegate;
    this.refusal = refusal;
  }

  // Called by WiderParser's class.
  final void refuse(String sqlText) {
    refusal.ofStatement(sqlText);
  }

  // Likewise, where the delegate could not read the text.
  final void refuseClause(String sqlText) {
    refusal.ofClause(sqlText);
  }

  @Override
  public LogicalPlan parsePlan(String sqlText) throws ParseException {
    refusal.ofStatement(sqlText);
    try {
      return delegate.parsePlan(sqlText);
    } catch (ParseException e) {
      refusal.ofClause(sqlText);
      throw e;
    }
  }

  @Override
  public LogicalPlan parseQuery(String sqlText) throws ParseException {
    return delegate.parseQuery(sqlText);
  }

  @Override
  public Expression parseExpression(String sqlText) throws ParseException {
    return delegate.parseExpression(sqlText);
  }

  @Override
  public TableIdentifier parseTableIdentifier(String sqlText) throws ParseException {
    return delegate.parseTableIdentifier(sqlText);
  }

  @Override
  public FunctionIdentifier parseFunctionIdentifier(String sqlText) throws ParseException {
    return delegate.parseFunctionIdentifier(sqlText);
  }

  @Override
  public Seq<String> parseMultipartIdentifier(String sqlText) throws ParseException {
    return delegate.parseMultipartIdentifier(sqlText);
  }

  @Override
  public StructType parseTableSchema(String sqlText) throws ParseException {
    return delegate.parseTableSchema(sqlText);
  }

  @Override
  public DataType parseDataType(String sqlText) throws ParseException {
    return delegate.parseDataType(sqlText);
  }

  @Override
  public StructType parseRoutineParam(String sqlText) throws ParseException {
    return delegate.parseRoutineParam(sqlText);
  }
}
