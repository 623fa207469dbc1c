// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.nio.file.{Files, Path => LocalPath, StandardCopyOption}
import java.nio.file.attribute.FileTime

import scala.util.Random

import io.sparkzorder.{DailyTest, LongTest, LongTestsInTurn, TestRing}
import io.sparkzorder.format.parquet.log.TableWithBackups.filesOf

/** Backups of any stage of a rewrite, restored over any later state: no row is hidden or lost, doubled ones are told. */
class RestoreMatrixSuite extends LongTestsInTurn {

  private def withTable[T](isInMemory: Boolean = false)(body: TableWithBackups => T): T = {
    val table = new TableWithBackups(isInMemory)
    table.create(1000)
    table.put("p=0/appended", Seq(1090))
    try body(table)
    finally table.drop()
  }

  /** The rewrite of which there is a backup; another process appends before it. */
  private def interrupt(table: TableWithBackups, changes: Int): Boolean =
    CrashingFileSystem.dyingAfter(changes)(table.rewrite("a", Seq(0, 1), !_.endsWith("appended")))

  private val changes: Int = Iterator.from(1).find(n => withTable()(t => !interrupt(t, n))).get

  private def recreate(t: TableWithBackups): Unit = {
    t.delete(_ => true)
    t.create(3000)
  }

  private val later: Seq[(String, TableWithBackups => Unit)] = Seq(
    "nothing" -> (_ => ()),
    "a part of the recovery" -> (t => CrashingFileSystem.dyingAfter(4)(t.recover()): Unit),
    "most of the recovery" -> (t => CrashingFileSystem.dyingAfter(9)(t.recover()): Unit),
    "recovery" -> (_.recover()),
    "recovery, an append" -> { t => t.recover(); t.put("p=1/more", Seq(1177)) },
    "recovery, another rewrite" -> { t => t.recover(); t.rewrite("b", 0 until 3) },
    "recovery, another rewrite of a part" -> { t => t.recover(); t.rewrite("b", Seq(0), _.endsWith("-0")) },
    "recovery, another rewrite, open" -> { t =>
      t.recover(); CrashingFileSystem.dyingAfter(16)(t.rewrite("b", 0 until 3)): Unit
    },
    "recovery, an overwrite of a partition" -> { t =>
      t.recover()
      t.delete(_.startsWith("p=0/"))
      t.put("p=0/theirs", Seq(2000))
    },
    // The verdict is against the folder, where there is none yet.
    "an overwrite of a partition, recovery" -> { t =>
      t.delete(_.startsWith("p=0/"))
      t.put("p=0/theirs", Seq(2000))
      t.recover()
    },
    "recovery, the table recreated" -> { t => t.recover(); recreate(t) },
    "recovery, the table recreated and rewritten" -> { t => t.recover(); recreate(t); t.rewrite("c", 0 until 3) }
  )

  private val ways: Seq[(String, (LocalPath, LocalPath) => Unit)] = {
    def content(from: LocalPath, to: LocalPath): Unit = Files.write(to, Files.readAllBytes(from)): Unit
    Seq(
      "rsync -a" -> { (from, to) =>
        def isSame =
          Files.size(from) == Files.size(to) && Files.getLastModifiedTime(from) == Files.getLastModifiedTime(to)
        if (!Files.exists(to) || !isSame) {
          val draft = to.resolveSibling(s".${to.getFileName}.draft")
          Files.copy(from, draft, StandardCopyOption.COPY_ATTRIBUTES)
          Files.move(draft, to, StandardCopyOption.REPLACE_EXISTING): Unit
        }
      },
      "cp -a" -> { (from, to) =>
        content(from, to)
        Files.setLastModifiedTime(to, Files.getLastModifiedTime(from)): Unit
      },
      "cp -r" -> content,
      "tar" -> { (from, to) =>
        Files.deleteIfExists(to)
        content(from, to)
        val seconds = Files.getLastModifiedTime(from).toMillis / 1000
        Files.setLastModifiedTime(to, FileTime.fromMillis(seconds * 1000)): Unit
      }
    )
  }

  private val parts: Seq[(String, String => Boolean)] = Seq(
    "all" -> (_ => true),
    "data" -> (!_.startsWith("_zorder")),
    "_zorder" -> (_.startsWith("_zorder")),
    "p=0" -> (_.startsWith("p=0/")))

  private case class Case(stage: Int, later: Int, way: Int, part: Int, deletes: Boolean) {
    override def toString: String = {
      val delete = if (deletes) " and others deleted" else ""
      s"saved after $stage changes; then ${RestoreMatrixSuite.this.later(later)._1}; ${parts(part)._1} by ${ways(way)._1}$delete"
    }
  }

  private val cases: Seq[Case] = for {
    stage <- 0 to changes
    l <- later.indices
    way <- ways.indices
    part <- parts.indices
    deletes <- Seq(true, false)
  } yield Case(stage, l, way, part, deletes)

  private def restore(from: LocalPath, table: TableWithBackups, c: Case): Unit = {
    val which = parts(c.part)._2
    if (c.deletes) table.delete(f => which(f) && !Files.exists(from.resolve(f)))
    copy(from, table.root, which, ways(c.way)._2)
  }

  private def copy(
      from: LocalPath,
      to: LocalPath,
      which: String => Boolean,
      how: (LocalPath, LocalPath) => Unit): Unit =
    filesOf(from).filter(which).foreach { f =>
      Files.createDirectories(to.resolve(f).getParent)
      how(from.resolve(f), to.resolve(f))
    }

  /** The rows that a table has by the meaning of what was done. */
  private def expected(c: Case, saved: Set[Int], now: Set[Int]): Set[Int] = {
    def ofPartition(row: Int) = row % 1000 < 100
    val brought = parts(c.part)._1 match {
      case "_zorder" => Set.empty[Int]
      case "p=0" => saved.filter(ofPartition)
      case _ => saved
    }
    val left = parts(c.part)._1 match {
      case "_zorder" => now
      case "p=0" if c.deletes => now.filterNot(ofPartition)
      case _ if c.deletes => Set.empty[Int]
      case _ => now
    }
    brought ++ left
  }

  private def run(c: Case, isInMemory: Boolean = false): Unit = withTable(isInMemory) { table =>
    val backup = Files.createTempDirectory("backup")
    try {
      val saved = table.rows.toSet
      interrupt(table, c.stage)
      copy(table.root, backup, _ => true, ways(1)._2)
      later(c.later)._2(table)
      val rows = expected(c, saved, table.rows.toSet)
      restore(backup, table, c)
      // Of data that was saved in the middle of a rewrite no other log knows what is doubled, nor an older log of a rewrite
      // that is open.
      val isOtherLog = !parts(c.part)._2("_zorder") && later(c.later)._1.contains("recreated")
      val isOlderLog = parts(c.part)._1 == "_zorder" && c.deletes && later(c.later)._1.endsWith("open")
      val isKnown = !isOtherLog && !isOlderLog
      def look(when: String): Unit = {
        val now = table.rows
        assert(now.toSet == rows, s"$when: $c")
        if (isKnown && now.size > rows.size) assert(table.seen._2, s"silently doubled, $when: $c")
      }
      look("at once")
      table.recover()
      look("recovered")
      assert(table.plainRows == table.rows, c.toString)
      if (!table.seen._2) {
        table.rewrite("z", 0 until 3)
        look("rewritten")
      }
    } finally org.apache.spark.network.util.JavaUtils.deleteRecursively(backup.toFile)
  }

  private val shuffled = new Random(30).shuffle(cases)

  test("a log that is brought back in its place, older than the files, hides and deletes none", LongTest) {
    cases.filter(c => parts(c.part)._1 == "_zorder" && c.deletes && c.way == 0 && c.stage % 6 == 1 && c.later > 1)
      .foreach(run(_))
  }

  test("some restores", DailyTest)(shuffled.take(60).foreach(run(_)))

  // A third each day: all of them in three days.
  test("many restores", LongTest) {
    val many = shuffled.slice(60, 1000)
    many.indices.filter(TestRing.isNightly || TestRing.isTurnOf(_)).map(many).foreach(run(_, isInMemory = true))
  }
}
