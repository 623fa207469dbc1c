// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{PlanWithUnresolvedIdentifier, RelationTimeTravel, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.catalyst.plans.logical.{CTERelationRef, LogicalPlan, UnresolvedWith, View}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.zorder.SparkInternals

/**
 * The names by which a query calls the tables that it scans. Analysis puts what the catalog knows in the place of a
 * name, and a scan knows only that; but the tags of a node go over to the one in its place, and a scan's columns are
 * those of the analyzed table.
 *
 * @param analyzed
 *   the plan of a query whose names were noted before it was analyzed
 */
private[command] class WrittenNames(analyzed: LogicalPlan) {
  import WrittenNames.{tag, Named}

  private val tables: Seq[Named] = named(analyzed, None, None)

  private val byColumn: Map[ExprId, Named] = tables.flatMap(t => t.plan.output.map(_.exprId -> t)).toMap

  /** As the query has it; None for a table that the query does not name, such as one that a view reads. */
  def of(scan: SparkPlan, identifier: Option[TableIdentifier]): Option[String] = table(scan, identifier).flatMap(_.name)

  /** The view by which the query reaches a table that it does not name. */
  def viewOf(scan: SparkPlan): Option[String] = table(scan, None).flatMap(_.view)

  private def table(scan: SparkPlan, identifier: Option[TableIdentifier]): Option[Named] =
    scan.output.iterator.flatMap(a => byColumn.get(a.exprId)).nextOption().orElse {
      // A query that counts rows takes no column.
      tables.find(t => identifier.isDefined && catalogName(t.plan) == identifier)
    }

  private def catalogName(plan: LogicalPlan): Option[TableIdentifier] = plan match {
    case relation: LogicalRelation => relation.catalogTable.map(_.identifier)
    case _ => None
  }

  private def named(plan: LogicalPlan, name: Option[String], view: Option[String]): Seq[Named] = {
    val (own, within) = plan match {
      case _: View => (None, name.orElse(view))
      case _ => (plan.getTagValue(tag).orElse(name), view)
    }
    val below = plan.children.flatMap(named(_, own, within)) ++ plan.subqueries.flatMap(named(_, None, within))
    // A reference to a common table expression has the columns of the table that is read there.
    val isTable = plan.children.isEmpty && !plan.isInstanceOf[CTERelationRef]
    if (isTable) Named(plan, own, within) +: below else below
  }
}

private[command] object WrittenNames {

  private final case class Named(plan: LogicalPlan, name: Option[String], view: Option[String])

  private val tag = TreeNodeTag[String]("io.sparkzorder.writtenName")

  /** Notes the names of tables in a parsed query, for analysis to carry along. */
  def note(query: LogicalPlan): Unit = query.foreachWithSubqueries {
    case UnresolvedWith(_, definitions, _) => definitions.foreach(d => note(d._2))
    case other => written(other).foreach(parts => other.setTagValue(tag, parts.map(quoteIfNeeded).mkString(".")))
  }

  /** The name of the table in the place of which a node stands; None of others, and where only analysis finds it. */
  private def written(node: LogicalPlan): Option[Seq[String]] = node match {
    case relation: UnresolvedRelation => Some(relation.multipartIdentifier)
    // A leaf: the relation is no child of it.
    case old: RelationTimeTravel => written(old.relation)
    case PlanWithUnresolvedIdentifier(name, _, _) if name.resolved && name.foldable =>
      NameExpressions.parts(name)
    case _ => None
  }
}

/** A session in which names are looked up as in the text of a view. */
private[command] object NamespaceSession {

  /**
   * The session itself, or a copy of it.
   *
   * @param namespace
   *   catalog and namespace in which the view was made; none for a query that is in no view
   */
  def of(session: SparkSession, namespace: Seq[String]): SparkSession = {
    val catalogs = session.sessionState.catalogManager
    val current = catalogs.currentCatalog.name +: catalogs.currentNamespace.toSeq
    if (namespace.isEmpty || namespace == current) session
    else {
      val there = SparkInternals.copy(session)
      there.sessionState.catalogManager.setCurrentCatalog(namespace.head)
      there.sessionState.catalogManager.setCurrentNamespace(namespace.tail.toArray)
      there
    }
  }
}
