// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.parquet.log.TableWithBackups.filesOf
import org.scalatest.funsuite.AnyFunSuite

/** A process whose locale finds files by other names than the log has leaves an open rewrite to others. */
class OtherEncodingSuite extends AnyFunSuite {

  private def inLocale[T](encoding: String)(body: => T): T = {
    val before = System.setProperty("sun.jnu.encoding", encoding)
    try body
    finally System.setProperty("sun.jnu.encoding", before)
  }

  private def refused(table: TableWithBackups)(body: => Any): Unit = {
    val files = filesOf(table.root)
    val e = intercept[ZOrderRuntimeException](inLocale("ANSI_X3.4-1968")(body))
    assert((e.getCondition, e.getSqlState) == (("ZORDER_FILE_NAME_ENCODING", "22021")), e.getMessage)
    assert(e.getMessageParameters.get("path").startsWith("p=Zürich/") && filesOf(table.root) == files)
  }

  /** @return whether the rewrite was open after so many changes; None where it was not interrupted */
  private def interruptedAfter(changes: Int): Option[Boolean] = {
    val table = new TableWithBackups(isInMemory = true)
    try {
      table.create(1000)
      table.put("p=Zürich/old", Seq(7, 8))
      val rows = table.rows
      val isInterrupted =
        CrashingFileSystem.dyingAfter(changes)(table.rewrite("a", Seq(0), others = Seq("p=Zürich")))
      val isOpen = table.log.read().open.nonEmpty
      if (isOpen) {
        refused(table)(table.rows)
        refused(table)(table.recover())
      }
      assert(table.rows == rows)
      table.recover()
      assert(table.plainRows == rows)
      // Nothing is open, and no name matters.
      inLocale("ISO-8859-1")(assert(table.rows == rows))
      Option.when(isInterrupted)(isOpen)
    } finally table.drop()
  }

  test("whenever the process died that began it") {
    val outcomes = Iterator.from(0).map(interruptedAfter).takeWhile(_.isDefined).flatten.toSeq
    assert(outcomes.count(identity) > 5)
  }
}
