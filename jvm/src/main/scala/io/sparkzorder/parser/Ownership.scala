package io.sparkzorder.parser

import io.sparkzorder.parser.ZOrderSqlBaseParser._

/**
 * Tells our statements from everybody else's by their first tokens.
 *
 * Once a statement is ours its syntax errors are ours too, so that a slip in `ZORDER BY` is not reported as an error at
 * the word OPTIMIZE by a parser that does not know the statement. `OPTIMIZE t` without ZORDER is Delta's.
 */
private[sparkzorder] object Ownership {

  private val explainModes = Set(LOGICAL, FORMATTED, EXTENDED, CODEGEN, COST)
  private val describe = Set(DESCRIBE, DESC)

  def isOurs(sqlText: String): Boolean = explainedQuery(sqlText).isDefined || isCommand(sqlText)

  /**
   * Where the query of `EXPLAIN SKIPPING <query>` begins, in code points. No statement of Spark's begins with the word
   * SKIPPING, so what follows is ours even where it turns out to be no query.
   */
  def explainedQuery(sqlText: String): Option[Int] = {
    val tokens = Tokens.of(sqlText).buffered
    if (!tokens.headOption.exists(_.getType == EXPLAIN)) None
    else
      tokens
        .dropWhile(t => t.getType == EXPLAIN || explainModes(t.getType))
        .nextOption()
        .collect { case t if t.getType == SKIPPING => t.getStopIndex + 1 }
  }

  private def isCommand(sqlText: String): Boolean = {
    val tokens = Tokens.of(sqlText).map(t => (t.getType, t.getText.toLowerCase(java.util.Locale.ROOT))).buffered
    if (tokens.headOption.exists(_._1 == EXPLAIN)) {
      tokens.next()
      if (tokens.headOption.exists(t => explainModes(t._1))) tokens.next()
    }
    tokens.nextOption() match {
      case Some((OPTIMIZE, _)) => tokens.exists(_._1 == ZORDER)
      case Some((first, _)) if describe(first) =>
        tokens.nextOption().exists(_._1 == LAYOUT) && tokens.nextOption().exists(namesTable)
      // COMPUTE FILE is nobody else's: Spark has COMPUTE STATISTICS, Delta COMPUTE DELTA STATISTICS.
      case Some((ANALYZE, _)) => tokens.sliding(2).exists(t => t.map(_._1) == Seq(COMPUTE, FILE))
      case _ => false
    }
  }

  /** `DESCRIBE layout`, `DESCRIBE layout.t`, `DESCRIBE layout AS JSON` and so on are about a table called layout. */
  private def namesTable(token: (Int, String)): Boolean = token match {
    case (IDENTIFIER, text) => text != "as" && text != "partition"
    case (STRING | BACKQUOTED_IDENTIFIER | EXTENDED, _) => true
    case (kind, _) => kind != PARAMETER && kind != OTHER && kind != WHERE && kind <= ZORDER && kind >= ALL
  }
}
