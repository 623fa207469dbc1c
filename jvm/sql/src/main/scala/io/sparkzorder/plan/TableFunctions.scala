// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, UnaryNode}

/** The table functions of this project, which tell in queries what its statements tell. */
object TableFunctions {

  val DescribeLayout = "describe_layout"
  val LayoutFiles = "layout_files"
  val ExplainSkipping = "explain_skipping"

  /** The arguments of each in the order in which they may stand without names; the first cannot be left out. */
  val arguments: Map[String, Seq[String]] = Map(
    DescribeLayout -> Seq("table", "columns", "where", "all_rows"),
    LayoutFiles -> Seq("table", "columns", "where"),
    ExplainSkipping -> Seq("query")
  )
}

/** A call of one of [[TableFunctions]] as written: `command.resolve.ResolveStatements` makes a statement of it. */
case class TableFunctionCall(name: String, arguments: Seq[Expression]) extends LeafNode {

  override def output: Seq[Attribute] = Nil

  override lazy val resolved: Boolean = false
}

/**
 * The rows of a statement, to query. It is not resolved before the statement has become a command: until then it has no
 * columns that the query around it could take.
 */
case class StatementRows(child: LogicalPlan) extends UnaryNode {

  override def output: Seq[Attribute] = Nil

  override lazy val resolved: Boolean = false

  override protected def withNewChildInternal(newChild: LogicalPlan): StatementRows = copy(child = newChild)
}
