// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import java.util.Locale

import org.antlr.v4.runtime.Token

/** The tokens of a statement, looked at as words: in upper case, with the quotes of what is quoted. */
private[parser] class Words(val tokens: IndexedSeq[Token]) {

  /** Empty where there is no such token. */
  def apply(i: Int): String = if (i >= 0 && i < tokens.size) tokens(i).getText.toUpperCase(Locale.ROOT) else ""

  /** Whether the words stand there. */
  def are(i: Int, words: String*): Boolean = words.indices.forall(k => apply(i + k) == words(k))

  /** Whether it is the word or a slip of the pen away from it. */
  def near(i: Int, word: String): Boolean = {
    val found = apply(i).replace("_", "")
    val most = if (word.length < 6) 1 else 2
    // A long text is not compared letter by letter.
    found.nonEmpty && math.abs(found.length - word.length) <= most && Words.distance(found, word) <= most
  }

  /** Where a statement begins that may stand after EXPLAIN. */
  val begin: Int = if (apply(0) != "EXPLAIN") 0 else if (Words.explainModes(apply(1))) 2 else 1

  /** What follows the parenthesis that closes the one at `open`. */
  def afterGroup(open: Int): Int = {
    @scala.annotation.tailrec
    def close(i: Int, depth: Int): Int =
      if (i >= tokens.size) i
      else {
        val inside = depth + (apply(i) match { case "(" => 1; case ")" => -1; case _ => 0 })
        if (inside == 0) i + 1 else close(i + 1, inside)
      }
    close(open, 0)
  }

  /** Each part of a name may be a text: IDENTIFIER('db').t. */
  @scala.annotation.tailrec
  final def afterName(part: Int): Int = {
    val end = if (are(part, "IDENTIFIER", "(")) afterGroup(part + 1) else part + 1
    if (apply(end) == ".") afterName(end + 1) else end
  }

  /** The places of words that stand in no parentheses, from one of them on. */
  def outer(from: Int): Iterator[Int] =
    Iterator.iterate(from)(i => if (apply(i) == "(") afterGroup(i) else i + 1).takeWhile(_ < tokens.size)
}

private[parser] object Words {

  private val explainModes = Set("LOGICAL", "FORMATTED", "EXTENDED", "CODEGEN", "COST")

  def of(sqlText: String): Words = new Words(SparkTokens.of(sqlText).toIndexedSeq)

  /** How many letters must be put in, left out, changed or swapped with their neighbour. */
  private def distance(a: String, b: String): Int = {
    val table = Array.tabulate(a.length + 1, b.length + 1)((i, j) => if (i == 0) j else if (j == 0) i else 0)
    for (i <- 1 to a.length; j <- 1 to b.length) {
      val changed = table(i - 1)(j - 1) + (if (a(i - 1) == b(j - 1)) 0 else 1)
      table(i)(j) = Seq(table(i - 1)(j) + 1, table(i)(j - 1) + 1, changed).min
      if (i > 1 && j > 1 && a(i - 1) == b(j - 2) && a(i - 2) == b(j - 1))
        table(i)(j) = math.min(table(i)(j), table(i - 2)(j - 2) + 1)
    }
    table(a.length)(b.length)
  }
}
