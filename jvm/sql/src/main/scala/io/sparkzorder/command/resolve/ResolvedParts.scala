// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.column.{ColumnPath, OrderColumns, ZOrderColumn}
import io.sparkzorder.curve.Curve
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.ReadableTable

import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Expression,
  Literal,
  StringRPad,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.{quoteIfNeeded, CharVarcharUtils}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BooleanType, CharType}
import org.apache.spark.sql.zorder.SparkInternals

/** The columns and the predicate of a statement once Spark has resolved them. */
private[command] object ResolvedParts {

  /** Whether all names are resolved; a subquery is refused whether or not its own names can be. */
  def areIn(plan: LogicalPlan, predicate: Option[Expression], found: ResolvedTable, statement: String): Boolean = {
    if (predicate.exists(SubqueryExpression.hasSubquery))
      throw ZOrderErrors.predicateWithSubquery(statement, found.name)
    plan.expressions.forall(_.resolved)
  }

  /** @throws ZOrderAnalysisException for a predicate that chooses no partitions, or files where `choosesFiles` */
  def checked(
      predicate: Expression,
      statement: String,
      table: ReadableTable,
      found: ResolvedTable,
      choosesFiles: Boolean): Expression = {
    val own = CharPadding.asRead(spelled(predicate, found))
    PartitionPredicate.check(own, statement, table.name, table.predicateColumns, choosesFiles)
    own
  }

  /** The expression with columns in the table's spelling: Spark resolves a name but keeps the case in which it came. */
  def spelled(expression: Expression, found: ResolvedTable): Expression = expression.transform {
    case a: AttributeReference => found.output.find(_.exprId == a.exprId).getOrElse(a)
  }
}

/** Turns the resolved columns of a statement into paths, and refuses those that no layout can be built on. */
private[command] object LayoutColumns {

  require(Curve.bitsFor(ZOrderColumn.Limit) >= 3)

  /** @throws ZOrderAnalysisException for a column that cannot be z-ordered by */
  def of(resolved: Seq[Expression], table: ReadableTable): Seq[ZOrderColumn] = {
    resolved.filter(e => ZOrderColumn.keyTypeOf(e.dataType).isEmpty).flatMap(e =>
      ColumnPath.of(e).map(_ -> e)).foreach {
      case (path, e) => throw ZOrderErrors.unorderableColumn(path.toString, table.name, e.dataType)
    }
    val paths = named(resolved, table)
    if (paths.length > ZOrderColumn.Limit) throw ZOrderErrors.tooManyColumns(paths.length, ZOrderColumn.Limit)
    paths.map(p => ZOrderColumn.of(p, table.schema).get)
  }

  /**
   * The columns of the table's own order, where that is a z-order or a plain sort by one column.
   *
   * @throws ZOrderAnalysisException
   *   for a table without such an order, and where its columns cannot be z-ordered by
   */
  def ofOrder(table: ReadableTable): Seq[ZOrderColumn] = table.order match {
    case None => throw ZOrderErrors.noTableOrder(table.name, dataColumns(table).take(2).mkString(", "))
    case Some(order) if !order.isZOrder && order.columns.size > 1 =>
      throw ZOrderErrors.lexicalTableOrder(table.name, order.columns.map(ColumnPath(_).toString))
    case Some(order) =>
      OrderColumns.of(order, table.name, table.schema, table.partitionColumns, SQLConf.get.resolver)
  }

  /** @throws ZOrderAnalysisException for what is no data column of the table, or stands there twice */
  def named(resolved: Seq[Expression], table: ReadableTable): Seq[ColumnPath] = {
    val paths = resolved.map(e => ColumnPath.of(e).getOrElse(throw ZOrderErrors.notAColumn(e.sql, table.name)))
    paths.diff(paths.distinct).headOption.foreach(p => throw ZOrderErrors.duplicateColumn(p.toString))
    paths.find(p => table.partitionColumns.contains(p.parts.head)).foreach { p =>
      throw ZOrderErrors.partitionColumn(p.toString, table.name, dataColumns(table))
    }
    paths
  }

  def dataColumns(table: ReadableTable): Seq[String] =
    table.schema.fieldNames.toSeq.filterNot(table.partitionColumns.contains).map(quoteIfNeeded)
}

/** Checks a resolved WHERE clause, which has to choose whole partitions unless the statement asks for files. */
private[command] object PartitionPredicate {

  /** @throws ZOrderAnalysisException where it does not */
  def check(
      predicate: Expression,
      statement: String,
      table: String,
      partitionColumns: Seq[String],
      choosesFiles: Boolean): Unit = {
    val data = predicate.references.toSeq.map(_.name).filterNot(partitionColumns.contains)
    if (SubqueryExpression.hasSubquery(predicate)) throw ZOrderErrors.predicateWithSubquery(statement, table)
    if (data.nonEmpty && !choosesFiles)
      throw ZOrderErrors.predicateOnDataColumn(
        statement,
        table,
        data.map(quoteIfNeeded),
        partitionColumns.map(quoteIfNeeded))
    if (!predicate.deterministic) throw ZOrderErrors.predicateNotDeterministic(statement, table, predicate.sql)
    if (predicate.dataType != BooleanType)
      throw ZOrderErrors.predicateNotBoolean(statement, table, predicate.sql, predicate.dataType)
  }
}

/**
 * Columns of type CHAR(n) as a query reads them: Spark pads values that are stored shorter than n, and the constants
 * that they are compared with. A statement's predicate chooses among values as they are stored.
 */
private[command] object CharPadding {

  def asRead(predicate: Expression): Expression = {
    val conf = SQLConf.get
    if (conf.charVarcharAsString) predicate
    else if (conf.readSideCharPadding) padded(SparkInternals.withPaddedComparisons(predicate, padColumn = true))
    // Where queries do not pad what they read, Spark pads comparisons, but not inside the call of a table function.
    else
      SparkInternals.withPaddedComparisons(
        predicate,
        padColumn = !conf.getConf(SQLConf.LEGACY_NO_CHAR_PADDING_IN_PREDICATE))
  }

  private def padded(expression: Expression): Expression = expression match {
    case done @ StringRPad(_: AttributeReference, _, _) => done
    case column: AttributeReference =>
      CharVarcharUtils.getRawType(column.metadata) match {
        case Some(char: CharType) => StringRPad(column, Literal(char.length))
        case _ => column
      }
    case other => other.mapChildren(padded)
  }
}
