// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute

/**
 * The order in which a table wants its rows written, as its properties say. Names and values of the first two are
 * Impala's, so that each understands the tables of the other.
 *
 * @param columns
 *   the columns by the names on their way, most significant first, one or more
 * @param isZOrder
 *   whether rows go along the z-order curve through the columns; else they are compared column by column
 * @param isGlobal
 *   whether rows move between tasks, so that files have ranges of their own; else each task orders what it writes
 * @param isRaw
 *   whether the curve goes through values as they are ([[io.sparkzorder.column.ZOrderCode]]), not through their ranks
 */
final case class TableOrder(columns: Seq[Seq[String]], isZOrder: Boolean, isGlobal: Boolean, isRaw: Boolean) {

  private def kind: String = if (isZOrder) TableOrder.ZOrder else TableOrder.Lexical

  override def toString: String = s"SORT BY $kind (${columns.map(ColumnPath(_)).mkString(", ")})"
}

object TableOrder {

  /** Columns, separated by commas; a name of other signs than letters, digits and _ stands in back-quotes. */
  val Columns = "sort.columns"
  val Order = "sort.order"
  val Scope = "sort.scope"
  val Key = "sort.key"

  /** Every property of an order. */
  val PropertyNames: Seq[String] = Seq(Columns, Order, Scope, Key)

  // Only in a statement: no table has it.
  private val Clause = "sort.clause"

  val Lexical = "LEXICAL"
  val ZOrder = "ZORDER"

  private val Scopes = Seq("local", "global")
  private val Keys = Seq("ranks", "raw")

  /** All properties of a table that has no order. */
  val none: Map[String, String] = Map(Columns -> "", Order -> Lexical, Scope -> Scopes.head, Key -> Keys.head)

  /** Whether the properties of a table name an order, be it valid or not. An empty list of columns names none. */
  def isIn(properties: Map[String, String]): Boolean = properties.get(Columns).exists(_.trim.nonEmpty)

  /** The columns that the properties name, whatever else they say; none for a table without an order. */
  def columnsIn(properties: Map[String, String]): Seq[Seq[String]] =
    properties.get(Columns).toSeq.flatMap(split(_).map(_.trim).filter(_.nonEmpty)).map { name =>
      try UnresolvedAttribute.parseAttributeName(name)
      // A name that is no path of names is taken as it stands: Impala quotes none.
      catch { case _: org.apache.spark.sql.AnalysisException => Seq(name) }
    }

  /** The properties that `SORT BY [LEXICAL | ZORDER] (columns)` stands for. */
  def properties(columns: Seq[Seq[String]], isZOrder: Boolean): Map[String, String] = Map(
    Columns -> columns.map(c => ColumnPath(c).toString).mkString(","),
    Order -> (if (isZOrder) ZOrder else Lexical))

  /**
   * The same in a statement, with a property that says that a clause made them and is still to be checked: a plan's own
   * tags do not outlive the analyzer. A table gets them [[withoutClause]].
   */
  def ofClause(columns: Seq[Seq[String]], isZOrder: Boolean): Map[String, String] =
    properties(columns, isZOrder) + (Clause -> "unchecked")

  /** Whether the properties are those of a clause; else they are set by hand. */
  def isOfClause(properties: Map[String, String]): Boolean = properties.contains(Clause)

  def withoutClause(properties: Map[String, String]): Map[String, String] = properties - Clause

  /**
   * The order that a table's properties name; None for a table without one, also where the list of columns is empty.
   *
   * @param table
   *   name of the table, for messages
   * @throws ZOrderAnalysisException
   *   for a value that is none of those allowed
   */
  def of(table: String, properties: Map[String, String]): Option[TableOrder] =
    Some(columnsIn(properties)).filter(_.nonEmpty).map { columns =>
      def choice(property: String, values: Seq[String]) =
        properties.get(property).fold(values.head) { written =>
          values.find(_.equalsIgnoreCase(written.trim)).getOrElse {
            throw ZOrderErrors.invalidTableProperty(table, property, written, values)
          }
        }
      TableOrder(
        columns,
        choice(Order, Seq(Lexical, ZOrder)) == ZOrder,
        choice(Scope, Scopes) == Scopes.last,
        choice(Key, Keys) == Keys.last)
    }

  /** Cuts a list at commas outside of back-quotes. */
  private def split(list: String): Seq[String] = {
    val (names, last, _) = list.foldLeft((Seq.empty[String], "", false)) {
      case ((done, name, quoted), ',') if !quoted => (done :+ name, "", quoted)
      case ((done, name, quoted), c) => (done, name + c, if (c == '`') !quoted else quoted)
    }
    names :+ last
  }
}
