// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import scala.util.Try
import scala.util.matching.Regex

import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BooleanType, DataType, StringType, StructType}

/**
 * Reads filters as Spark prints them with a plan: `[isnotnull(a#1), (a#1 = 5), b#2 IN (x,y)]`.
 *
 * Such text is not made to be read: strings stand in it without quotes, long lists are cut. So what is not understood is
 * left out and counted; a filter that is left out only makes the scan read more. A literal ends where the first text
 * that may follow it begins, and has the type of what it is compared with.
 *
 * @param columns
 *   the columns of the table
 * @param zone
 *   the time zone in which timestamps were printed
 */
private[workload] final class FilterText(schema: StructType, columns: Seq[Attribute], same: Resolver, zone: String) {
  import FilterText._

  private val names = new ColumnText(schema, same)

  /** The filters of a list in brackets that are understood, and the number of those that are not. */
  def parse(list: String): (Seq[Expression], Int) = {
    val text = list.stripPrefix("[").stripSuffix("]")
    @scala.annotation.tailrec
    def from(at: Int, done: Seq[Expression], lost: Int): (Seq[Expression], Int) =
      if (at >= text.length) (done, lost)
      else if (isOfDelta(text, at)) from(behindFilter(text, at), done, lost)
      else
        new Reader(text, at).filter() match {
          case Some((filter, end)) if endsFilter(text, end) => from(end + 2, done :+ filter, lost)
          case _ => from(behindFilter(text, at), done, lost + 1)
        }
    from(0, Nil, 0)
  }

  /** Recursive descent; each method gives what it found and where that ends. */
  private class Reader(text: String, start: Int) {

    def filter(): Option[(Expression, Int)] = predicate(start)

    private type Found[T] = Option[(T, Int)]

    private def predicate(at: Int): Found[Expression] =
      if (text.startsWith("NOT ", at)) predicate(at + 4).map { case (e, end) => (Not(e), end) }
      else
        call(at, "isnotnull").map { case (e, end) => (IsNotNull(e), end) }
          .orElse(call(at, "isnull").map { case (e, end) => (IsNull(e), end) })
          .orElse(prefix(at))
          .orElse(if (text.startsWith("(", at)) binary(at + 1) else None)
          .orElse(behindTerm(at))

    private def call(at: Int, name: String): Found[Expression] =
      for {
        (argument, end) <- if (text.startsWith(s"$name(", at)) term(at + name.length + 1) else None
        if text.startsWith(")", end)
      } yield (argument, end + 1)

    private def prefix(at: Int): Found[Expression] =
      for {
        (value, end) <- if (text.startsWith("StartsWith(", at)) term(at + 11) else None
        if text.startsWith(", ", end)
        close <- closing(end + 2)
      } yield (StartsWith(value, Literal(text.substring(end + 2, close))), close + 1)

    /** Behind an opening parenthesis: `term = literal)`, `predicate AND predicate)`. */
    private def binary(at: Int): Found[Expression] = compared(at).orElse {
      for {
        (left, end) <- predicate(at)
        (make, next) <- junction(end)
        (right, last) <- predicate(next)
        if text.startsWith(")", last)
      } yield (make(left, right), last + 1)
    }

    private def junction(at: Int): Found[(Expression, Expression) => Expression] =
      if (text.startsWith(" AND ", at)) Some((And(_, _), at + 5))
      else if (text.startsWith(" OR ", at)) Some((Or(_, _), at + 4))
      else None

    private def compared(at: Int): Found[Expression] =
      for {
        (left, end) <- term(at)
        (sign, make) <- comparisons.find { case (sign, _) => text.startsWith(s" $sign ", end) }
        from = end + sign.length + 2
        (right, close) <- term(from)
          .filter { case (_, end) => text.startsWith(")", end) }
          .orElse(closing(from).flatMap(c => literal(text.substring(from, c), left.dataType).map((_, c))))
        if left.dataType == right.dataType
      } yield (make(left, right), close + 1)

    /** `term IN (a,b)`, `term INSET a, b`, `term LIKE a%`, or a term that is a condition itself. */
    private def behindTerm(at: Int): Found[Expression] = term(at).flatMap { case (value, end) =>
      def rest(word: String) = if (text.startsWith(word, end)) Some(end + word.length) else None
      rest(" IN (").flatMap(from => closing(from).flatMap(c => list(value, text.substring(from, c), ",", c + 1)))
        .orElse(rest(" INSET ").flatMap { from =>
          val end = endOfSet(from)
          list(value, text.substring(from, end), ", ", end)
        })
        .orElse(rest(" LIKE ").map { from =>
          val close = if (text.indexOf(')', from) < 0) behindFilter(text, from) - 2 else text.indexOf(')', from)
          val until = math.min(close, text.length)
          (Like(value, Literal(text.substring(from, until)), '\\'), until)
        })
        .orElse(if (value.dataType == BooleanType) Some((value, end)) else None)
    }

    /** INSET has no brackets: its list ends where a filter begins that is understood. */
    private def endOfSet(from: Int): Int =
      Iterator
        .iterate(text.indexOf(", ", from))(i => text.indexOf(", ", i + 2))
        .takeWhile(_ >= 0)
        .filter(i => beginnings.exists(text.startsWith(_, i + 2)) || names.at(text, i + 2).isDefined)
        .find(i => new Reader(text, i + 2).filter().exists { case (_, end) => endsFilter(text, end) })
        .getOrElse(text.length)

    private def list(value: Expression, text: String, separator: String, end: Int): Found[Expression] = {
      val literals = text.split(Regex.quote(separator), -1).toSeq.map(t => literal(t.trim, value.dataType))
      // "... 12 more fields" has no value of its own, unless it is one of a string.
      if (literals.isEmpty || literals.exists(_.isEmpty) || text.contains(" more fields")) None
      else Some((In(value, literals.flatten), end))
    }

    /** A column, a field of one, or a cast of these. */
    private def term(at: Int): Found[Expression] =
      if (text.startsWith("cast(", at))
        for {
          (child, end) <- term(at + 5)
          if text.startsWith(" as ", end)
          close <- Some(text.indexOf(')', end)).map(c => if (text.startsWith("decimal(", end + 4)) c + 1 else c)
          dataType <- Try(DataType.fromDDL(text.substring(end + 4, close))).toOption
        } yield (Cast(child, dataType, Some(zone)), close + 1)
      else names.at(text, at).map { case (path, end) => (path.in(columns), end) }

    /** The first closing parenthesis from `at` behind which a filter can go on or end. */
    private def closing(at: Int): Option[Int] =
      (at until text.length).find(i =>
        text(i) == ')' && followers.exists(text.startsWith(_, i + 1)) ||
          text(i) == ')' && i + 1 == text.length)
  }

  private def literal(text: String, dataType: DataType): Option[Expression] =
    if (text == "null" || text.endsWith("...")) None
    else if (dataType.isInstanceOf[StringType]) Some(Literal.create(text, dataType))
    else
      Try(Cast(Literal(text), dataType, Some(zone), ansiEnabled = false).eval()).toOption
        .filter(_ != null)
        .map(Literal(_, dataType))
}

private[workload] object FilterText {

  // Of filters that do not begin with a column.
  private val beginnings = Seq("(", "NOT ", "isnotnull(", "isnull(", "StartsWith(", "cast(")

  // Of files with deletion vectors, where it stands in each scan.
  private val DeletedRows = """\(__delta_internal_is_row_deleted#\d+L? = 0\)""".r

  private def isOfDelta(text: String, at: Int): Boolean =
    text.startsWith("(__delta_internal", at) && DeletedRows.findPrefixOf(text.substring(at)).isDefined

  private val comparisons: Seq[(String, (Expression, Expression) => Expression)] = Seq(
    "=" -> (EqualTo(_, _)),
    "<=>" -> (EqualNullSafe(_, _)),
    "<=" -> (LessThanOrEqual(_, _)),
    ">=" -> (GreaterThanOrEqual(_, _)),
    "<" -> (LessThan(_, _)),
    ">" -> (GreaterThan(_, _))
  )

  private val followers = Seq(")", ", ", " AND ", " OR ")

  private def endsFilter(text: String, at: Int): Boolean = at == text.length || text.startsWith(", ", at)

  /** Where the filter behind the one that begins at `at` begins, by parentheses. */
  private def behindFilter(text: String, at: Int): Int = {
    var (i, depth) = (at, 0)
    while (i < text.length && !(depth <= 0 && text.startsWith(", ", i))) {
      if (text(i) == '(') depth += 1 else if (text(i) == ')') depth -= 1
      i += 1
    }
    i + 2
  }
}
