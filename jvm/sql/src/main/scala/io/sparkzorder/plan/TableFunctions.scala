// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, UnaryNode}

/** The table functions of this project, which give queries the rows of its statements. */
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

/** The SQL table functions of this project, as the extension registers them. */
object SqlTableFunctions {
  import TableFunctions._

  private type Description = (FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan)

  private val table =
    """
      |    Arguments:
      |      * table - STRING: the table as a statement names it: 'db.t', 'delta.`/path`' or '/path'
      |      * columns - ARRAY<STRING>: the columns; all that have statistics and an order if left out
      |      * where - STRING: a predicate on partition columns, in SQL
      |  """.stripMargin

  val all: Seq[Description] = Seq(
    function(
      DescribeLayout,
      "describe_layout(table => t[, columns => cs][, where => p][, all_rows => b]) - Returns a row for each column " +
        "with how well the files of the table are told apart by it.",
      table.stripTrailing() + "\n      * all_rows - BOOLEAN: looks up every row's value, not those of a sample\n  ",
      "SELECT column, point_read_share FROM _FUNC_(table => 'db.t', columns => array('a', 'b'))"
    ),
    function(
      LayoutFiles,
      "layout_files(table => t[, columns => cs][, where => p]) - Returns a row for each file and column with the " +
        "file's size and the column's bounds in it.",
      table,
      "SELECT file, min, max FROM _FUNC_(table => 'db.t', columns => array('a')) ORDER BY bytes"
    ),
    function(
      ExplainSkipping,
      "explain_skipping(query => q) - Returns a row for each table that the query scans with how much of it is read. " +
        "The query does not run.",
      "\n    Arguments:\n      * query - STRING: a query in SQL\n  ",
      "SELECT table, files_read FROM _FUNC_(query => 'SELECT * FROM t WHERE a = 1')"
    )
  )

  private def function(name: String, usage: String, arguments: String, example: String): Description = {
    val examples = s"\n    Examples:\n      > $example;\n  "
    val group = "table_funcs"
    val info = new ExpressionInfo(
      classOf[TableFunctionCall].getName,
      null,
      name,
      usage,
      arguments,
      examples,
      "",
      group,
      "0.1.0",
      "",
      "built-in")
    (FunctionIdentifier(name), info, TableFunctionCall(name, _))
  }
}
