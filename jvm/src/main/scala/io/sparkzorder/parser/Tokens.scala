package io.sparkzorder.parser

import org.antlr.v4.runtime.{CharStreams, CommonTokenStream, Token}

import org.apache.spark.sql.catalyst.parser.ParseErrorListener

/** The tokens of a statement, comments and white space left out. */
private[parser] object Tokens {

  private def lexer(sqlText: String): ZOrderSqlBaseLexer = {
    val lexer = new ZOrderSqlBaseLexer(CharStreams.fromString(sqlText))
    lexer.removeErrorListeners()
    lexer.addErrorListener(ParseErrorListener)
    lexer
  }

  /** Read on demand: most statements are known to be somebody else's after one token. */
  def of(sqlText: String): Iterator[Token] = {
    val source = lexer(sqlText)
    Iterator
      .continually(source.nextToken())
      .takeWhile(_.getType != Token.EOF)
      .filter(_.getChannel == Token.DEFAULT_CHANNEL)
  }

  def stream(sqlText: String): CommonTokenStream = new CommonTokenStream(lexer(sqlText))
}
