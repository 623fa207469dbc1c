package io.sparkzorder.format.parquet

import java.io.File
import java.nio.file.{Files, Path => LocalPath}

import scala.jdk.CollectionConverters._
import scala.util.Random

import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.parquet.Journal.{Phase, State}
import io.sparkzorder.format.parquet.JournalEntry.{Added, Folder}
import io.sparkzorder.skipping.ListedFile
import org.scalatest.funsuite.AnyFunSuite

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, LocalFileSystem, Path}

/** The journal and what carries it out, with a death before each single change of the file system. */
class CompletionSuite extends AnyFunSuite {

  private val conf = {
    val c = new Configuration(false)
    c.set("fs.file.impl", classOf[CrashingFileSystem].getName)
    c.set("fs.file.impl.disable.cache", "true")
    c
  }

  /** Files of text stand for data: each "row" is a line. Three folders, of which two are rewritten. */
  private class Table {
    val root: LocalPath = Files.createTempDirectory("completion")
    val folder = new TableFolder(new Path(root.toUri), conf)
    val journal = new Journal(folder)
    val completion = new Completion(folder, journal)

    private def put(path: String, rows: Seq[Int]): Unit = {
      val file = root.resolve(path)
      Files.createDirectories(file.getParent)
      Files.write(file, rows.map(_.toString).asJava)
    }

    for (p <- 0 until 3; f <- 0 until 2) put(s"p=$p/old-$f", Seq(p * 10 + f, 100))
    put("p=0/appended", Seq(7))
    for (p <- 0 until 2; f <- 0 until 3)
      put(s"_zorder/staging/id/p=$p/new-$f", Seq(Seq(p * 10), Seq(p * 10 + 1, 100), Seq(100))(f))

    val entry: JournalEntry = JournalEntry(
      "id",
      (0 until 2).map { p =>
        Folder(
          s"p=$p",
          (0 until 2).map(f => id(s"p=$p/old-$f")),
          (0 until 3).map { f =>
            val staged = s"_zorder/staging/id/p=$p/new-$f"
            Added(staged, s"p=$p/new-$f", root.resolve(staged).toFile.length)
          }
        )
      }
    )

    def id(path: String): ListedFile = {
      val status = folder.status(folder.resolve(path)).get
      ListedFile(path, status.getLen, status.getModificationTime)
    }

    def listed: Set[ListedFile] = (0 until 3)
      .flatMap(p => Option(root.resolve(s"p=$p").toFile.listFiles).toSeq.flatten)
      .filterNot(f => TableFolder.isHidden(f.getName))
      .map(f => id(s"${f.getParentFile.getName}/${f.getName}"))
      .toSet

    /** As a reader with the extension sees them. */
    def rows: Seq[Int] = {
      val files = listed
      val out = PendingRewrites.leftOut(new Journal(folder).entries(), files)
      rowsOf(files.map(_.path) -- out.getOrElse(fail("a listing of now is old")))
    }

    /** As any reader sees them. */
    def plainRows: Seq[Int] = rowsOf(listed.map(_.path))

    private def rowsOf(files: Set[String]): Seq[Int] =
      files.toSeq.flatMap(f => Files.readAllLines(root.resolve(f)).asScala.map(_.toInt)).sorted

    def rewrite(): Unit = {
      journal.decide(entry)
      completion.run(State(entry, Phase.Moving, Set.empty))
    }

    def recover(): Unit = new Completion(folder, new Journal(folder)).recover()

    def drop(): Unit = org.apache.spark.network.util.JavaUtils.deleteRecursively(root.toFile)
  }

  private def withTable[T](body: Table => T): T = {
    val table = new Table
    try body(table)
    finally table.drop()
  }

  /** All changes of a rewrite, one after the other. */
  private val changes: Int = withTable { table =>
    val count = Iterator.from(1).find(n => withTable(t => !CrashingFileSystem.dyingAfter(n)(t.rewrite()))).get
    table.rows
    count
  }

  test("rows are the same wherever a process dies, at once for readers who know, for all after the recovery") {
    assert(changes > 15)
    for (n <- 0 until changes) withTable { table =>
      val before = table.rows
      assert(CrashingFileSystem.dyingAfter(n)(table.rewrite()))
      assert(table.rows == before, s"after $n changes")
      table.recover()
      assert(table.rows == before && table.plainRows == before, s"recovered after $n changes")
      assert(new Journal(table.folder).pending().isEmpty)
      table.recover()
      assert(table.plainRows == before)
    }
  }

  test("so they are where the recovery dies, too") {
    val chance = new Random(6)
    for (_ <- 0 until 300) withTable { table =>
      val before = table.rows
      CrashingFileSystem.dyingAfter(chance.nextInt(changes))(table.rewrite())
      for (_ <- 0 until chance.nextInt(4)) {
        CrashingFileSystem.dyingAfter(chance.nextInt(10))(table.recover())
        assert(table.rows == before)
      }
      table.recover()
      assert(table.rows == before && table.plainRows == before)
    }
  }

  test("a folder that another changes before the new files are in place stays as that left it") {
    for (n <- 0 until changes; died <- Seq(true, false)) withTable { table =>
      val before = table.rows
      def overwrite(): Unit = {
        new File(table.root.toFile, "p=0").listFiles.foreach(_.delete())
        Files.write(table.root.resolve("p=0/theirs"), Seq("55").asJava)
      }
      val others = before.filterNot(r => Seq(0, 1, 7).contains(r)).drop(0)
      val expected = (others.diff(Seq(100, 100)) :+ 55).sorted
      val phase = () => new Journal(table.folder).entries().headOption.map(_.phase)
      if (died) {
        CrashingFileSystem.dyingAfter(n)(table.rewrite())
        val phaseThen = phase()
        overwrite()
        if (phaseThen.forall(_ == Phase.Moving)) {
          table.recover()
          assert(table.plainRows == expected, s"after $n changes")
        }
      } else {
        var phaseThen = Option.empty[Phase]
        CrashingFileSystem.dyingAfter(
          Int.MaxValue - 1,
          i => if (i == n) { phaseThen = phase(); overwrite() })(table.rewrite())
        // Between the last look and the mark nobody can tell.
        if (phaseThen.forall(_ == Phase.Moving) && n < changes - 12)
          assert(table.plainRows == expected, s"at change $n")
      }
    }
  }

  test("an appended file is left alone, a file that was taken back leaves no trace") {
    withTable { table =>
      table.rewrite()
      assert(Files.exists(table.root.resolve("p=0/appended")))
      assert(!Files.exists(table.root.resolve("_zorder/staging/id")))
    }
  }

  test("a listing from before a rewrite is known to be old") {
    withTable { table =>
      val old = table.listed
      table.rewrite()
      assert(PendingRewrites.leftOut(new Journal(table.folder).entries(), old).isEmpty)
      assert(PendingRewrites.leftOut(new Journal(table.folder).entries(), table.listed).contains(Set.empty))
    }
  }

  test("so is one in which the old files were gone before they were looked at, and the new ones not yet there") {
    withTable { table =>
      def leftOut(listed: Set[ListedFile], isCovered: String => Boolean = _ => true) = PendingRewrites
        .leftOut(new Journal(table.folder).entries(), listed, isMissed = new MissedFiles(table.folder, isCovered))
      val replaced = table.entry.folders.flatMap(_.replaced.map(_.path)).toSet
      val torn = table.listed.filterNot(f => replaced(f.path))
      table.rewrite()
      assert(leftOut(torn).isEmpty && leftOut(Set.empty).isEmpty)
      assert(leftOut(table.listed.filterNot(_.path == "p=1/new-2")).isEmpty)
      assert(leftOut(table.listed).contains(Set.empty))
      // A listing of one partition, and new files that others have taken away.
      assert(leftOut(table.listed.filter(_.path.startsWith("p=0/")), _.startsWith("p=0/")).contains(Set.empty))
      Files.delete(table.root.resolve("p=1/new-2"))
      assert(leftOut(table.listed).contains(Set.empty))
    }
  }

  test("a rewrite that ends while the journal is read counts as done, not as one whose files are to be passed over") {
    for (n <- 0 until changes) withTable { table =>
      val before = table.rows
      CrashingFileSystem.dyingAfter(n)(table.rewrite())
      val isMarked = new Journal(table.folder).entries().exists(_.phase == Phase.Cleaning)
      val meanwhile = new Configuration(conf)
      meanwhile.set("fs.file.impl", classOf[ListingThenChanging].getName)
      ListingThenChanging.meanwhile(table.recover()) {
        val folder = new TableFolder(new Path(table.root.toUri), meanwhile)
        val states = new Journal(folder).entries()
        // Old files were there when the journal was listed, if it had no mark then.
        if (isMarked) assert(states.forall(_.phase == Phase.Done), s"after $n changes")
      }
      assert(table.rows == before)
    }
  }

  test("paths that lead out of the table are refused, and nothing is touched") {
    withTable { table =>
      val outside = Files.createTempFile("outside", ".txt")
      val escape = s"p=0/../../${outside.getFileName}"
      for (path <- Seq(escape, outside.toString, s"file:$outside", "p=0//old-0", "", "./p=0/old-0")) {
        val bad = table.entry.copy(folders =
          Seq(Folder("p=0", Seq(ListedFile(path, outside.toFile.length, outside.toFile.lastModified)), Nil)))
        table.journal.decide(bad)
        val e = intercept[ZOrderRuntimeException](table.recover())
        assert(e.getCondition == "ZORDER_PATH_OUTSIDE_TABLE")
        assert(Files.exists(outside))
        Files.delete(table.root.resolve("_zorder/journal/id.json"))
        new File(table.root.toFile, "_zorder/journal").listFiles.foreach(_.delete())
      }
      Files.delete(outside)
    }
  }

  test("links are not followed") {
    withTable { table =>
      val elsewhere = Files.createTempDirectory("elsewhere")
      Files.write(elsewhere.resolve("file"), Seq("1").asJava)
      Files.createSymbolicLink(table.root.resolve("p=9"), elsewhere)
      val file = elsewhere.resolve("file").toFile
      table.journal.decide(
        JournalEntry("id", Seq(Folder("p=9", Seq(ListedFile("p=9/file", file.length, file.lastModified)), Nil))))
      assert(intercept[ZOrderRuntimeException](table.recover()).getCondition == "ZORDER_PATH_OUTSIDE_TABLE")
      assert(file.exists)
      org.apache.spark.network.util.JavaUtils.deleteRecursively(elsewhere.toFile)
    }
  }
}

/** The local file system, on which something happens between a listing of a journal and the look at its files. */
class ListingThenChanging extends LocalFileSystem {
  override def listStatus(path: Path): Array[FileStatus] = {
    val listed = super.listStatus(path)
    if (path.getName == "journal") ListingThenChanging.happen()
    listed
  }
}

object ListingThenChanging {
  private var change: () => Unit = () => ()
  private var listings = 0

  /** What happens after the second listing: the first two agree. */
  def meanwhile(change: => Unit)(body: => Unit): Unit = {
    listings = 0
    this.change = () => change
    try body
    finally this.change = () => ()
  }

  private def happen(): Unit = {
    listings += 1
    if (listings == 2) change()
  }
}
