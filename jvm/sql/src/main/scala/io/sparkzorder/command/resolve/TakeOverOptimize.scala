// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.errors.UnexpectedError
import io.sparkzorder.format.{TableFormats, TableStatement, UnresolvedPathTable}
import io.sparkzorder.format.TableFormat.OptimizeCall
import io.sparkzorder.parser.ZOrderSqlParser
import io.sparkzorder.plan.{CompactStatement, OptimizeStatement, StatementOnTable}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{ResolvedTable, UnresolvedTable}
import org.apache.spark.sql.catalyst.expressions.{And, Expression}
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND

/**
 * Carries out a format's own `OPTIMIZE ... ZORDER BY` as ours, whoever made its plan: Delta's parser when its extension is
 * listed after ours, or `DeltaTable.optimize().executeZOrderBy()`. Switched by `spark.sql.zorder.delta.takeover`.
 *
 * An OPTIMIZE without ZORDER stays the format's own on its own tables. On a table that the format does not know, where it
 * would end in an error, it is ours whatever that setting says.
 *
 * @param ofFolders
 *   whether the rule is about tables that are named by their folders alone: these have to be found before Delta's rules
 *   look for them, which refuse what is no Delta table, and all others after Spark's have looked for a name
 */
class TakeOverOptimize(session: SparkSession, formats: TableFormats, ofFolders: Boolean) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsWithPruning(_.containsPattern(COMMAND)) {
    case theirs =>
      formats.optimizeCall(theirs).flatMap(statement).getOrElse(theirs)
  }

  private def statement(call: OptimizeCall): Option[LogicalPlan] = call match {
    case OptimizeCall(table, predicates, columns) if columns.nonEmpty =>
      def predicate = predicates.map(session.sessionState.sqlParser.parseExpression).reduceOption(And)
      if (!ZOrderConf.deltaTakeover(conf)) None
      else
        anyFormats(table, OptimizeStatement.OnTable)
          .map(OptimizeStatement(_, predicate, columns, Map.empty, dryRun = false))
    case OptimizeCall(table, predicates, _) =>
      readAsPredicate(predicates) match {
        case Some(statement) => anyFormats(table, statement.statement).map(child => statement.mapChildren(_ => child))
        case None =>
          def predicate = predicates.map(condition).reduceOption(And)
          ofOthers(table, CompactStatement.OnTable).map(CompactStatement(_, predicate, Map.empty, dryRun = false))
      }
  }

  private def anyFormats(table: LogicalPlan, statement: TableStatement): Option[LogicalPlan] = table match {
    case found: ResolvedTable => Some(found)
    case named => ofOthers(named, statement)
  }

  /** The table, where it is none of the format's own. */
  private def ofOthers(table: LogicalPlan, statement: TableStatement): Option[LogicalPlan] = table match {
    case folder: UnresolvedPathTable if ofFolders => bareFiles(folder.copy(statement = statement))
    case found: ResolvedTable => Some(found).filter(isForOurs(_, statement))
    case named: UnresolvedTable if !ofFolders =>
      Some(named.multipartIdentifier).collect {
        case parts @ Seq(format, _) if formats.named(format).exists(_.isBareFiles) =>
          UnresolvedPathTable.orNamed(parts, statement)
      }
    case _ => None
  }

  /** Whether our statement compacts the table, or says whose compaction that is. */
  private def isForOurs(found: ResolvedTable, statement: TableStatement): Boolean =
    formats.find(session, found, statement).exists(!_.hasOwnCompaction)

  /** The table of the files in a folder; None where Delta knows better what is wrong with it. */
  private def bareFiles(folder: UnresolvedPathTable): Option[LogicalPlan] =
    try
      UnexpectedError.named(folder.statement.name)(Some(formats.resolvePath(session, folder)).collect {
        case found: ResolvedTable if isForOurs(found, folder.statement) => found
      })
    catch { case e: SparkThrowable if leftToThem(e.getCondition) => None }

  private val leftToThem = Set("ZORDER_PATH_NOT_FOUND", "ZORDER_PARTITION_OF_TABLE")

  /**
   * The statement of which Delta's parser, when it reads first, takes all that follows WHERE for the predicate, since
   * it knows neither OPTIONS nor DRY RUN.
   */
  private def readAsPredicate(predicates: Seq[String]): Option[StatementOnTable] = predicates match {
    case Seq(text) if ends.exists(_.matches(text)) =>
      try
        asOurs(text).filter {
          case statement: CompactStatement => statement.options.nonEmpty || statement.dryRun
          case _ => true
        }
      // It was a predicate, or will be refused as one.
      catch { case _: ParseException => None }
    case _ => None
  }

  private def asOurs(predicate: String): Option[StatementOnTable] =
    new ZOrderSqlParser(session.sessionState.sqlParser).ours(s"OPTIMIZE t WHERE $predicate").collect {
      case statement: StatementOnTable => statement
    }

  /** As our statement reads it, which refuses what stands after it. */
  private def condition(text: String): Expression =
    asOurs(text).collect { case CompactStatement(_, Some(predicate), _, _) => predicate }
      .getOrElse(session.sessionState.sqlParser.parseExpression(text))

  private val ends = Seq("(?is).*zorder.*".r, "(?is).*options\\s*\\(.*".r, "(?is).*dry\\s+run.*".r)
}
