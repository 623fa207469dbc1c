// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import org.antlr.v4.runtime.{BailErrorStrategy, TokenStream}
import org.antlr.v4.runtime.atn.PredictionMode
import org.antlr.v4.runtime.misc.{IntervalSet, ParseCancellationException}

/**
 * Separates our statements from everybody else's by how they begin (the grammar's rule `ourText`).
 *
 * Once a statement is ours its syntax errors are ours too, so that a slip in `ZORDER BY` is not reported as an error at
 * the word OPTIMIZE by a parser that does not know the statement. What is not certainly ours goes to the next parser.
 */
private[sparkzorder] object StatementRecognizer {

  def isOurs(sqlText: String): Boolean = isOurs(SparkTokens.stream(sqlText))

  def isOurs(tokens: TokenStream): Boolean = firstTokens.contains(tokens.LA(1)) && reads(tokens)(_.ourText())

  /** The tokens that a text of ours can begin with: all others are known by their first, without an error of the parser's. */
  private val firstTokens: IntervalSet = {
    val grammar = ZOrderSqlBaseParser._ATN
    grammar.nextTokens(grammar.ruleToStartState(ZOrderSqlBaseParser.RULE_ourText))
  }

  /** Whether a text is an OPTIMIZE without ZORDER, which Delta's parser may read as well. */
  def isCompaction(sqlText: String): Boolean = isCompaction(SparkTokens.stream(sqlText))

  def isCompaction(tokens: TokenStream): Boolean = reads(tokens)(_.singleCompaction())

  private def reads(tokens: TokenStream)(rule: ZOrderSqlBaseParser => Unit): Boolean = {
    val parser = new ZOrderSqlBaseParser(tokens)
    parser.removeErrorListeners()
    parser.setErrorHandler(new BailErrorStrategy)
    parser.getInterpreter.setPredictionMode(PredictionMode.LL)
    try {
      rule(parser)
      true
    } catch { case _: ParseCancellationException => false }
  }
}
