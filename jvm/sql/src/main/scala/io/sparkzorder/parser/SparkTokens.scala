// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import scala.jdk.CollectionConverters._

import io.sparkzorder.parser.ZOrderSqlBaseParser._

import org.antlr.v4.runtime._
import org.antlr.v4.runtime.misc.Pair

import org.apache.spark.sql.catalyst.parser.SqlBaseLexer
import org.apache.spark.sql.internal.SQLConf

/**
 * The tokens of a text as Spark's own lexer finds them, each as one of our grammar's: strings, comments, quoted names
 * and casts then begin and end where Spark sees them.
 *
 * Tokens are read on demand, as most texts are known not to be ours after one. Their positions count code points.
 */
private[parser] class SparkTokens(sqlText: String) extends TokenSource {
  import SparkTokens._

  private val original = CharStreams.fromString(sqlText)
  private val doubleQuotedIdentifiers = SQLConf.get.doubleQuotedIdentifiers

  private val lexer = {
    // Spark's lexer knows words in upper case only. A code point stays one, so positions are those of the text.
    val upper = sqlText.codePoints.map(Character.toUpperCase(_)).toArray
    val lexer = new SqlBaseLexer(CharStreams.fromString(new String(upper, 0, upper.length)))
    lexer.removeErrorListeners()
    lexer
  }

  private val tokens: Iterator[CommonToken] = Iterator.continually(lexer.nextToken()).flatMap(ours)

  private def ours(theirs: Token): Seq[CommonToken] = {
    val (start, stop) = (theirs.getStartIndex, theirs.getStopIndex)
    // What follows an open comment is not said, and the rest of a text may be another statement.
    if (theirs.getChannel != Token.DEFAULT_CHANNEL && lexer.has_unclosed_bracketed_comment)
      Seq(token(theirs, OTHER, start, math.min(stop, original.size - 1)))
    else if (theirs.getChannel != Token.DEFAULT_CHANNEL) Nil
    // After a name, `.2024` is no number to us.
    else if (theirs.getText.length > 1 && theirs.getText.head == '.' && isWord(theirs.getText.tail))
      Seq(token(theirs, DOT, start, start), token(theirs, WORD, start + 1, stop))
    else Seq(token(theirs, kind(theirs), start, stop))
  }

  private def token(theirs: Token, kind: Int, start: Int, stop: Int): CommonToken = {
    val token = new CommonToken(new Pair(this, original), kind, Token.DEFAULT_CHANNEL, start, stop)
    token.setLine(theirs.getLine)
    token.setCharPositionInLine(theirs.getCharPositionInLine + start - theirs.getStartIndex)
    token
  }

  private def kind(theirs: Token): Int =
    if (theirs.getType == Token.EOF) Token.EOF
    else
      lexer.getVocabulary.getSymbolicName(theirs.getType) match {
        case "STRING_LITERAL" => STRING
        case "DOUBLEQUOTED_STRING" => if (doubleQuotedIdentifiers) QUOTED_IDENTIFIER else STRING
        case "BACKQUOTED_IDENTIFIER" => QUOTED_IDENTIFIER
        // The text between the dollars of $$text$$ is a token of its own.
        case dollars if dollars.contains("DOLLAR_QUOTED") => OTHER
        case _ => signs.getOrElse(theirs.getText, words.getOrElse(theirs.getText, wordOrOther(theirs.getText)))
      }

  private def wordOrOther(text: String): Int =
    if (operators(text)) OPERATOR
    else if (isWord(text)) WORD
    else if (text.dropWhile(_ == '.').headOption.exists(_.isDigit)) NUMBER
    else OTHER

  private def isWord(text: String): Boolean = text.forall(c => c < 128 && (c.isLetterOrDigit || c == '_'))

  override def nextToken(): Token = tokens.next()
  override def getLine: Int = lexer.getLine
  override def getCharPositionInLine: Int = lexer.getCharPositionInLine
  override def getInputStream: CharStream = original
  override def getSourceName: String = lexer.getSourceName
  override def setTokenFactory(factory: TokenFactory[_]): Unit = lexer.setTokenFactory(factory)
  override def getTokenFactory: TokenFactory[_ <: Token] = lexer.getTokenFactory
}

private[parser] object SparkTokens {

  private val signs = Map(
    "(" -> LEFT_PAREN,
    ")" -> RIGHT_PAREN,
    "]" -> RIGHT_BRACKET,
    "," -> COMMA,
    "." -> DOT,
    "=" -> EQ,
    "-" -> MINUS,
    ":" -> COLON,
    "?" -> QUESTION,
    ";" -> SEMICOLON)

  private val classes = signs.values.toSet ++ Set(OPERATOR, WORD, NUMBER, QUOTED_IDENTIFIER, STRING, OTHER)

  /** Words after which an expression goes on. */
  private val operators: Set[String] =
    "AND BETWEEN CASE COLLATE DISTINCT DIV ELSE ESCAPE FROM ILIKE IN IS LIKE NOT OR REGEXP RLIKE THEN WHEN".split(
      ' ').toSet

  /** The words of the grammar, in upper case. */
  private val words: Map[String, Int] =
    (1 to VOCABULARY.getMaxTokenType).filterNot(classes).map(t => VOCABULARY.getSymbolicName(t) -> t).toMap

  def stream(sqlText: String): CommonTokenStream = new CommonTokenStream(new SparkTokens(sqlText))

  /** Begin and end of a part of a text, in UTF-16 units, which String counts; ANTLR counts code points. */
  def span(sqlText: String, first: Token, last: Token): (Int, Int) =
    (sqlText.offsetByCodePoints(0, first.getStartIndex), sqlText.offsetByCodePoints(0, last.getStopIndex + 1))

  /** Blanks in place of a text, so that what follows stays where it is. */
  def blank(text: String): String = text.map(c => if (c == '\n' || c == '\r') c else ' ')

  /** All tokens of a text but its end. */
  def of(sqlText: String): Seq[Token] = {
    val tokens = stream(sqlText)
    tokens.fill()
    tokens.getTokens.asScala.toSeq.filter(_.getType != Token.EOF)
  }
}
