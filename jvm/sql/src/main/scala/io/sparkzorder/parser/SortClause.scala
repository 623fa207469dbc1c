// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import java.util.Locale

import org.antlr.v4.runtime.Token

/**
 * Finds the clause `SORT BY` of a CREATE or REPLACE TABLE among the clauses of the table.
 *
 * It looks at tokens between parentheses no more than at those of the query, which end the clauses: a SORT BY in there
 * is another one. Spark has no clause of that name, but where a query stands in parentheses SORT BY may follow it; so
 * what Spark's parser can read is Spark's ([[SortedTable]]).
 */
private[parser] final class SortClause(tokens: IndexedSeq[Token]) {
  import SortClause._

  private val word = new Words(tokens)
  import word.{afterGroup, afterName, are}

  /** The first and last token of each such clause; none for any other statement. */
  def places: Seq[(Token, Token)] = header match {
    case Some(name) =>
      val columns = afterName(name)
      // CREATE TABLE t (SELECT ...) SORT BY a
      val isQuery = word(columns) == "(" && beginsQuery(word(columns + 1)) && word(afterGroup(columns)) == "SORT"
      if (isQuery || word(columns) == "LIKE") Nil
      else clauses(if (word(columns) == "(") afterGroup(columns) else columns, Nil)
    case None => Nil
  }

  /** Where the name of the table begins. */
  private def header: Option[Int] = {
    val begin = word.begin
    val what =
      if (are(begin, "CREATE", "OR", "REPLACE")) begin + 3
      else if (word(begin) == "CREATE") Iterator.iterate(begin + 1)(_ + 1).dropWhile(i => kinds(word(i))).next()
      else if (word(begin) == "REPLACE") begin + 1
      else -1
    if (word(what) != "TABLE") None
    else if (word(what + 1) == "IF" && word(what + 3) == "EXISTS") Some(what + 4)
    else Some(what + 1)
  }

  @scala.annotation.tailrec
  private def clauses(i: Int, found: List[(Token, Token)]): Seq[(Token, Token)] =
    if (are(i, "SORT", "BY") && !beforeName(word(i - 1))) {
      val end = sortByEnd(i)
      clauses(end, (tokens(i), tokens(end - 1)) :: found)
    } else if (word(i) == "(" && beforeGroup(word(i - 1))) clauses(afterGroup(i), found)
    else if (i >= tokens.size || endClauses(word(i)) || isQuery(i)) found.reverse
    else clauses(i + 1, found)

  /** One token more than there should be where it has no list, for the error to name it. */
  private def sortByEnd(sort: Int): Int = {
    val list = if (orders(word(sort + 2))) sort + 3 else sort + 2
    if (word(list) == "(") afterGroup(list) else math.min(list + 1, tokens.size)
  }

  private def isQuery(i: Int): Boolean = word(i) match {
    case _ if beforeName(word(i - 1)) || are(i - 2, "STORED", "AS") => false
    case "AS" => word(i - 1) != "STORED" && word(i - 1) != "DEFINED"
    case "WITH" => word(i + 1) != "SERDEPROPERTIES"
    case "MAP" => word(i + 1) != "KEYS"
    case other => beginsQuery(other)
  }
}

private[sparkzorder] object SortClause {

  private val sort = "(?i)sort".r
  private val kinds = Set("TEMPORARY", "EXTERNAL")
  private val orders = Set("LEXICAL", "ZORDER")

  /** What a query can begin with in Spark's grammar. */
  private[parser] val beginsQuery = Set("SELECT", "WITH", "FROM", "TABLE", "VALUES", "MAP", "REDUCE", "(")

  /** Words of clauses that a group in parentheses belongs to; after any other it is a query. */
  private val beforeGroup = Set("BY", "ON", "OPTIONS", "TBLPROPERTIES", "SERDEPROPERTIES")
  private val endClauses = Set("(", ")", ";")
  private val beforeName = Set("USING", "COLLATION", ".")

  /** The places of the clause in a text: begin and end, in UTF-16 units. */
  def places(sqlText: String): Seq[(Int, Int)] =
    if (!mayHave(sqlText)) Nil
    else
      new SortClause(SparkTokens.of(sqlText).toIndexedSeq).places.map { case (first, last) =>
        SparkTokens.span(sqlText, first, last)
      }

  /** Most texts are known to have none without a look at all their tokens. */
  private def mayHave(sqlText: String): Boolean =
    sort.findFirstIn(sqlText).isDefined && {
      val first = new SparkTokens(sqlText).nextToken()
      first.getType != Token.EOF && Set("CREATE", "REPLACE", "EXPLAIN")(first.getText.toUpperCase(Locale.ROOT))
    }
}
