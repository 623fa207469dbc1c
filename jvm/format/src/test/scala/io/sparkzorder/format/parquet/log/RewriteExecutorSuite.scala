// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.io.{File, IOException}
import java.nio.file.{Files, Path => LocalPath, StandardCopyOption}

import scala.jdk.CollectionConverters._
import scala.util.Random

import io.sparkzorder.{DailyTest, LongTest, LongTestsInTurn}
import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.listing.{ListingCheck, PresentFiles, RestoredFiles}
import io.sparkzorder.format.parquet.log.LogEntry.{Added, FolderChange}
import io.sparkzorder.format.parquet.log.LogState.LoggedRewrite

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, LocalFileSystem, Path}

/** The log and what carries it out on a real file system, with a death before each single change of it. */
class RewriteExecutorSuite extends LongTestsInTurn {

  private val Id = RewriteIds.of("rewrite")

  private val conf = TableOfText.settings(classOf[CrashingFileSystem])

  /** Three folders, of which two are rewritten. */
  private class Table(
      place: LocalPath = FolderInMemory.create("completion"),
      isNew: Boolean = true,
      settings: Configuration = conf)
      extends TableOfText(place, settings) {

    if (isNew) {
      for (p <- 0 until 3; f <- 0 until 2) put(s"p=$p/old-$f", Seq(p * 10 + f, 100))
      put("p=0/appended", Seq(7))
      for (p <- 0 until 2; f <- 0 until 3)
        put(s"_zorder/staging/$Id/p=$p/new-$f", Seq(Seq(p * 10), Seq(p * 10 + 1, 100), Seq(100))(f))
    }

    lazy val folders: Seq[FolderChange] = (0 until 2).map { p =>
      FolderChange(
        s"p=$p",
        (0 until 2).map(f => idOf(s"p=$p/old-$f")),
        (0 until 3).map { f =>
          val staged = s"_zorder/staging/$Id/p=$p/new-$f"
          Added(staged, s"p=$p/new-$f", root.resolve(staged).toFile.length)
        },
        folder.identities((0 until 2).map(f => s"p=$p/old-$f"))
      )
    }

    def listed: Set[ListedFile] = (0 until 3)
      .flatMap(p => Option(root.resolve(s"p=$p").toFile.listFiles).toSeq.flatten)
      .filterNot(f => TableFolder.isHidden(f.getName))
      .map(f => idOf(s"${f.getParentFile.getName}/${f.getName}"))
      .toSet

    /** As a reader with the extension sees them. */
    def rows: Seq[Int] = {
      val files = listed
      val state = log.read()
      assert(!ListingCheck.isStale(state, files, bytes, _ => false), "a listing of now is old")
      rowsOf(files.map(_.path) -- ListingCheck.filesToExclude(state, files, bytes, new PresentFiles(folder).isAnother))
    }

    /** As any reader sees them. */
    def plainRows: Seq[Int] = plainRowsWith(Nil)

    def plainRowsWith(others: Seq[String]): Seq[Int] = rowsOf(listed.map(_.path) ++ others)

    def rewrite(lookAgainMillis: Long = 1000L): Unit = {
      val entry = log.claim(Id, folders, LogState.empty).get
      new RewriteExecutor(folder, log, lookAgainMillis).execute(LoggedRewrite(entry, None, isClosed = false))
    }

    def isDecided: Boolean = log.read().rewrites.exists(_.moved.nonEmpty)
  }

  private def withTable[T](body: Table => T): T = using(new Table)(body)

  private def using[T](table: Table)(body: Table => T): T =
    try body(table)
    finally table.drop()

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
      assert(table.log.read().open.isEmpty)
      table.recover()
      assert(table.plainRows == before)
    }
  }

  private def mode(path: LocalPath, octal: String): Unit =
    Files.setAttribute(path, "unix:mode", Integer.parseInt(octal, 8)): Unit

  test("what was begun is carried out when rights change and the entry would not count any more") {
    withTable { table =>
      val before = table.rows
      mode(table.root, "40777")
      val entry = table.log.claim(Id, table.folders, LogState.empty).get
      Seq("_zorder", "_zorder/log").foreach(f => mode(table.root.resolve(f), "40777"))
      mode(table.root.resolve("p=1"), "40755")
      assert(table.log.read().open.isEmpty && table.log.written().open.size == 1)
      new RewriteExecutor(table.folder, table.log, lookAgainMillis = 0L)
        .execute(LoggedRewrite(entry, None, isClosed = false))
      assert(table.plainRows == before && table.log.written().open.isEmpty)
    }
  }

  test("files stay that are those of another table when the entry is there") {
    withTable { table =>
      val before = table.rows
      val entry = table.log.claim(Id, table.folders, LogState.empty).get
      val executor = new RewriteExecutor(table.folder, table.log, isRefused = _.contains("p=1/old-0"))
      assert(executor.execute(LoggedRewrite(entry, None, isClosed = false)).get.moved.isEmpty)
      assert(table.plainRows == before && table.isThere("p=1/old-0") && table.log.read().open.isEmpty)
    }
  }

  // It is asked before the first move, before the verdict, and before old files are deleted.
  for ((time, number) <- Seq("before the verdict" -> 2, "after it" -> 3))
    test(s"old files stay where the table becomes another's while the process sleeps $time") {
      withTable { table =>
        val before = table.rows
        var asked = 0
        def isRefused: Boolean = { asked += 1; asked >= number }
        val entry = table.log.claim(Id, table.folders, LogState.empty).get
        val executor = new RewriteExecutor(table.folder, table.log, lookAgainMillis = 0L, _ => isRefused)
        val outcome = executor.execute(LoggedRewrite(entry, None, isClosed = false)).get
        assert(entry.folders.flatMap(_.replaced).forall(f => table.isThere(f.path)))
        if (number == 2) assert(outcome.moved.isEmpty && table.plainRows == before)
        else assert(outcome.moved.size == 2 && outcome.remaining.size == 4 && table.rows == before)
      }
    }

  for ((time, number, isDecided) <- Seq(
      ("before the verdict", 2, false),
      ("while old files go", 3, false),
      ("while old files of an interrupted rewrite go", 1, true)))
    test(s"no row is there twice where somebody exchanges folders $time, and back when the process is through") {
      using(new Table(settings = new Configuration)) { table =>
        val before = table.rows
        def exchange(): Unit = for ((from, to) <- Seq("p=0" -> "_aside", "p=1" -> "p=0", "_aside" -> "p=1"))
          Files.move(table.root.resolve(from), table.root.resolve(to))
        var asked = 0
        def isRefused = {
          asked += 1
          if (asked == number) exchange()
          false
        }
        val entry = table.log.claim(Id, table.folders, LogState.empty).get
        val moved = Option.when(isDecided) {
          for (file <- entry.folders.flatMap(_.added))
            Files.move(table.root.resolve(file.staged), table.root.resolve(file.path))
          table.log.giveVerdict(entry, Set("p=0", "p=1")).get._1
        }
        val executor = new RewriteExecutor(table.folder, table.log, lookAgainMillis = 0L, _ => isRefused)
        val outcome = executor.execute(LoggedRewrite(entry, moved, isClosed = false)).get
        assert(outcome.exchanged.nonEmpty && outcome.remaining.isEmpty)
        assert(outcome.moved.intersect(outcome.exchanged.toSet).isEmpty)
        exchange()
        assert(table.rows === before)
        table.recover()
        assert(table.plainRows === before && table.log.read().open.isEmpty)
      }
    }

  test("a file that somebody has made by the name of a new one, as the entry tells it, does not stand for that") {
    withTable { table =>
      val before = table.plainRows
      val entry = table.log.claim(Id, table.folders, LogState.empty).get
      val added = entry.folders.head.added.head
      Files.write(table.root.resolve(added.path), Array.fill[Byte](added.bytes.toInt)('\n'))
      val outcome = new RewriteExecutor(table.folder, table.log).execute(LoggedRewrite(entry, None, isClosed = false))
      assert(outcome.get.moved === entry.folders.tail.map(_.path).toSet)
      assert(table.plainRows === before && table.log.read().open.isEmpty)
    }
  }

  test("old files are told that are left where somebody deletes the log while they go") {
    withTable { table =>
      val before = table.plainRows
      val folders = table.folders.map(f => f.copy(identities = table.folder.identities(f.replaced.map(_.path))))
      val entry = table.log.claim(Id, folders, LogState.empty).get
      val id = table.root.resolve("_zorder/log/0.id")
      val content = Files.readAllBytes(id)
      def delete(paths: Seq[String]): Boolean = {
        if (table.isDecided) Files.delete(id)
        false
      }
      val executor = new RewriteExecutor(table.folder, table.log, lookAgainMillis = 0, isRefused = delete)
      val outcome = executor.execute(LoggedRewrite(entry, None, isClosed = false)).get
      assert(outcome.remaining.toSet === table.folders.flatMap(_.replaced).map(_.path).toSet)
      Files.write(id, content)
      table.recover()
      assert(table.plainRows === before)
    }
  }

  /** Runs `body` once, when an old file of the first folder is gone and others are not. */
  private def meanwhile(table: Table, keptUntil: Long = LogEntry.NotKept)(body: ListedFile => Unit): Unit = {
    val entry = table.log.claim(Id, table.folders, LogState.empty, keptUntil).get
    val old = table.folders.head.replaced.head
    var isDone = false
    def hook(paths: Seq[String]): Boolean = {
      if (!isDone && !Files.exists(table.root.resolve(old.path))) {
        isDone = true
        body(old)
      }
      false
    }
    val executor = new RewriteExecutor(table.folder, table.log, lookAgainMillis = 0, isRefused = hook)
    assert(executor.execute(LoggedRewrite(entry, None, isClosed = false)).get.remaining.isEmpty)
    assert(isDone && table.log.read().open.isEmpty)
  }

  test("a copy of an old file that somebody restores while others go stays, and is told") {
    withTable { table =>
      val before = table.plainRows
      val content = Files.readAllBytes(table.root.resolve(table.folders.head.replaced.head.path))
      meanwhile(table) { old =>
        Files.write(table.root.resolve(old.path), content)
        table.root.resolve(old.path).toFile.setLastModified(old.modificationTime)
      }
      assert(table.plainRows === (before ++ Seq(0, 100)).sorted && table.rows === table.plainRows)
      val found = RestoredFiles.of(table.log.read(), table.listed, table.listed, table.folder.certainOrigin).doubled
      assert(found.map(_.files).contains(Seq("p=0/old-0")))
    }
  }

  /** A file in another folder, of the size and the time of one. */
  private def twinOf(table: Table, old: ListedFile): LocalPath = {
    val file = table.root.resolve("p=2/twin")
    Files.writeString(file, "5\n200\n")
    file.toFile.setLastModified(old.modificationTime)
    assert(Files.size(file) == old.bytes)
    file
  }

  for (keptUntil <- Seq(LogEntry.NotKept, Long.MaxValue))
    test(s"a file of another folder that gets the name of an old one while others go stays, kept until $keptUntil") {
      withTable { table =>
        val twin = twinOf(table, table.folders.head.replaced.head)
        val before = table.plainRows
        meanwhile(table, keptUntil)(old => Files.move(twin, table.root.resolve(old.path)): Unit)
        assert(table.plainRows === before && table.rows === before)
      }
    }

  test("so it does, and counts at once, wherever a process dies, and whoever finishes the rewrite") {
    var moved = 0
    for (n <- 0 until changes) withTable { table =>
      val old = table.folders.head.replaced.head
      val twin = twinOf(table, old)
      val before = table.rows
      assert(CrashingFileSystem.dyingAfter(n)(table.rewrite()))
      if (!Files.exists(table.root.resolve(old.path))) {
        Files.move(twin, table.root.resolve(old.path))
        moved += 1
      }
      assert(table.rows === before, s"after $n changes")
      table.recover()
      assert(table.rows === before && table.plainRows === before, s"recovered after $n changes")
    }
    assert(moved > 2)
  }

  test("so they are where the recovery dies, too", LongTest) {
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

  test("new files that can neither be moved in nor taken back are named where they are") {
    val table = new Table
    val closed = new Configuration(conf)
    closed.set("fs.file.impl", classOf[ClosedStagingFileSystem].getName)
    closed.unset(s"${ExclusiveCreation.Setting}file")
    val folder = new TableFolder(new Path(table.root.toUri), closed)
    val log = new RewriteLog(folder)
    val entry = log.claim(Id, table.folders, LogState.empty).get
    val outcome = new RewriteExecutor(folder, log).execute(LoggedRewrite(entry, None, isClosed = false)).get
    assert(outcome.moved.isEmpty)
    assert(outcome.remaining.toSet == table.folders.flatMap(_.added.map(_.staged)).toSet)
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
      if (died) {
        CrashingFileSystem.dyingAfter(n)(table.rewrite())
        val wasDecided = table.isDecided
        overwrite()
        if (!wasDecided) {
          table.recover()
          assert(table.plainRows == expected, s"after $n changes")
        }
      } else {
        var wasDecided = false
        CrashingFileSystem.dyingAfter(
          Int.MaxValue - 1,
          i => if (i == n) { wasDecided = table.isDecided; overwrite() })(table.rewrite())
        // Between the last look and the verdict nobody can tell.
        if (!wasDecided && n < changes - 16)
          assert(table.plainRows == expected, s"at change $n")
      }
    }
  }

  for ((what, harm) <-
      Seq[(String, LocalPath => Unit)]("deletes" -> Files.delete, "empties" -> (Files.write(_, Array.emptyByteArray))))
    test(s"old files stay where somebody $what the new ones while the process sleeps after its verdict") {
      withTable { table =>
        var isFirst = true
        def sleep(): Unit = if (isFirst && table.isDecided) {
          isFirst = false
          (0 until 3).foreach(f => harm(table.root.resolve(s"p=0/new-$f")))
        }
        CrashingFileSystem.dyingAfter(Int.MaxValue - 1, _ => sleep())(table.rewrite(lookAgainMillis = 0))
        assert(!isFirst)
        // Of the first one the process may have been about to make the call.
        assert(table.isThere("p=0/old-1") && table.rows.contains(1), "rows are lost")
        table.recover()
        assert(table.isThere("p=0/old-1") && !table.isThere("p=1/old-1"))
      }
    }

  /** A copy whose log is of the time when the log was copied, and whose data files are of now. */
  private class Backup(of: Table, how: String) {
    private val root = FolderInMemory.create("backup")

    private def copy(path: String): Unit = {
      val (from, to) = (of.root.resolve(path), root.resolve(path))
      if (Files.isDirectory(from)) Files.list(from).iterator.asScala.foreach(f => copy(s"$path/${f.getFileName}"))
      else if (Files.exists(from)) {
        Files.createDirectories(to.getParent)
        how match {
          case "times kept" => Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES)
          case "hard links" => Files.createLink(to, from)
          case "new times" =>
            Files.copy(from, to)
            to.toFile.setLastModified(1000000000000L)
        }
      }
    }

    def copyLog(): Unit = copy("_zorder")
    def copyData(): Unit = (0 until 3).foreach(p => copy(s"p=$p"))
    def table: Table = new Table(root, isNew = false)
  }

  test(
    "a copy has its rows whatever of a rewrite was over when its log was copied, and when its data files were",
    LongTest) {
    for {
      how <- Seq("times kept", "new times", "hard links")
      n <- 0 until changes
      after <- Seq(0, 1, 2, 3, changes)
    } withTable { table =>
      val before = table.rows
      val backup = new Backup(table, how)
      CrashingFileSystem.dyingAfter(n)(table.rewrite())
      backup.copyLog()
      CrashingFileSystem.dyingAfter(after)(table.recover())
      backup.copyData()
      val copy = backup.table
      try {
        val what = s"$how, the log after $n changes, data $after later"
        assert(copy.rows == before, what)
        copy.recover()
        assert(copy.rows == before && copy.plainRows == before, what)
        assert(copy.log.read().open.isEmpty)
      } finally copy.drop()
    }
  }

  test("new files that may have the only copies of their rows are set aside, and none of others") {
    withTable { table =>
      val rows = table.rows
      val entry = table.log.claim(Id, table.folders, LogState.empty).get
      // As where a copy of the log has finished the rewrite, and the log of before takes the copy's place.
      for (p <- 0 until 2; f <- 0 until 3)
        Files.move(table.root.resolve(s"_zorder/staging/$Id/p=$p/new-$f"), table.root.resolve(s"p=$p/new-$f"))
      for (f <- 0 until 2) Files.delete(table.root.resolve(s"p=0/old-$f"))
      new RewriteExecutor(table.folder, table.log).execute(LoggedRewrite(entry, None, isClosed = false))
      val aside = (0 until 3).map(f => s"_zorder/set-aside/${entry.number}.$Id/p=0/new-$f.replaced")
      assert(aside.forall(table.isThere) && !table.isThere("p=0/new-0") && table.isThere("p=1/new-0"))
      assert(table.plainRowsWith(aside) == rows && table.log.read().open.isEmpty)
    }
  }

  test("an entry that a backup brings back while old ones are forgotten stays, whatever its number") {
    withTable { table =>
      val log = table.root.resolve("_zorder/log")
      def closed(n: Int): Unit = {
        val entry = table.log.claim(RewriteIds.of(s"$n"), Seq(FolderChange(s"q=$n", Nil, Nil)), LogState.empty).get
        table.log.giveVerdict(entry, Set.empty)
        table.log.close(entry)
      }
      table.log.claim(RewriteIds.of("1"), Seq(FolderChange("q=1", Nil, Nil)), LogState.empty).get
      def names = Files.list(log).iterator.asScala.map(_.getFileName.toString).filterNot(n =>
        n == "0.id" || n.startsWith(".")).toSet
      val (first, content) = (names.head, Files.readAllBytes(log.resolve(names.head)))
      table.recover()
      (2 to RewriteLog.Remembered + 1).foreach(closed)
      assert(!names(first))
      var isOld = true
      // As `rsync --delete` does, with a log in which the first rewrite was open.
      def bringBack(): Unit =
        if (isOld && names.exists(_.matches("0+10\\..*")) && !names.exists(_.matches("0+2\\..*json"))) {
          isOld = false
          names.foreach(name => Files.delete(log.resolve(name)))
          Files.write(log.resolve(first), content)
        }
      CrashingFileSystem.dyingAfter(Int.MaxValue - 1, _ => bringBack())(closed(RewriteLog.Remembered + 2))
      assert(!isOld && names == Set(first))
    }
  }

  for (keepsFiles <- Seq(false, true)) test(
    s"entries that a backup brings back while those before them are forgotten stay, as ${if (keepsFiles) "the same"
      else "new"} files") {
    withTable { table =>
      val log = table.root.resolve("_zorder/log")
      def names = Files.list(log).iterator.asScala.map(_.getFileName.toString).filterNot(n =>
        n == "0.id" || n.startsWith(".")).toSet
      val entries = (1 to RewriteLog.Remembered + 2).map { n =>
        table.log.claim(RewriteIds.of(s"$n"), Seq(FolderChange(s"q=$n", Nil, Nil)), LogState.empty).get
      }
      val open = names.map(name => name -> Files.readAllBytes(log.resolve(name))).toMap
      entries.tail.foreach { entry =>
        table.log.giveVerdict(entry, Set.empty)
        table.log.close(entry)
      }
      val brought = open.keySet.filterNot(_.matches("0+1\\..*"))
      var isOld = true
      def bringBack(): Unit = if (isOld && !names.exists(_.matches("0+1\\..*json"))) {
        isOld = false
        // What has not changed stays the same file, as by `rsync`; the others are new ones.
        val same = brought.filter(_ => keepsFiles)
        (names -- same).foreach(name => Files.delete(log.resolve(name)))
        (brought -- same).foreach(name => Files.write(log.resolve(name), open(name)))
      }
      CrashingFileSystem.dyingAfter(Int.MaxValue - 1, _ => bringBack())(table.recover())
      assert(!isOld && names == brought)
    }
  }

  test("an entry of which no verdict is there is not closed") {
    withTable { table =>
      val entry = table.log.claim(Id, table.folders, LogState.empty).get
      // As where it was brought back from before its verdict, while the process that gave it slept.
      table.log.close(entry)
      assert(table.log.read().open.map(_.entry) === Seq(entry))
      table.recover()
      assert(table.log.read().open.isEmpty)
    }
  }

  test("an appended file is left alone, a file that was taken back leaves no trace") {
    withTable { table =>
      table.rewrite()
      assert(Files.exists(table.root.resolve("p=0/appended")))
      assert(!Files.exists(table.root.resolve(s"_zorder/staging/$Id")))
    }
  }

  test("a listing from before a rewrite is known to be old") {
    withTable { table =>
      val old = table.listed
      table.rewrite()
      def isOld(listed: Set[ListedFile]) = ListingCheck.isStale(table.log.read(), listed, table.bytes, _ => false)
      assert(isOld(old) && !isOld(table.listed))
      assert(ListingCheck.filesToExclude(table.log.read(), table.listed, table.bytes, (_, _) => false).isEmpty)
    }
  }

  test("so is one in which the old files were gone before they were looked at, and the new ones not yet there") {
    withTable { table =>
      def isOld(listed: Set[ListedFile], isCovered: String => Boolean = _ => true) =
        ListingCheck.isStale(table.log.read(), listed, new PresentFiles(table.folder), isCovered)
      val replaced = table.folders.flatMap(_.replaced.map(_.path)).toSet
      val torn = table.listed.filterNot(f => replaced(f.path))
      table.rewrite()
      assert(isOld(torn) && isOld(Set.empty))
      assert(isOld(table.listed.filterNot(_.path == "p=1/new-2")))
      assert(!isOld(table.listed))
      // A listing of one partition, and new files that another process has deleted.
      assert(!isOld(table.listed.filter(_.path.startsWith("p=0/")), _.startsWith("p=0/")))
      Files.delete(table.root.resolve("p=1/new-2"))
      assert(!isOld(table.listed))
    }
  }

  test(
    "a rewrite that ends while the log is read counts as done, not as one whose files are to be passed over",
    DailyTest) {
    for (n <- 0 until changes) withTable { table =>
      val before = table.rows
      CrashingFileSystem.dyingAfter(n)(table.rewrite())
      val meanwhile = new Configuration(conf)
      meanwhile.set("fs.file.impl", classOf[ListingThenChanging].getName)
      val wasDecided = table.isDecided
      ListingThenChanging.meanwhile(table.recover()) {
        val state = new RewriteLog(new TableFolder(new Path(table.root.toUri), meanwhile)).read()
        // A verdict that was there when the log was listed is never taken for one that is still to come.
        if (wasDecided) assert(state.withoutVerdict.isEmpty, s"after $n changes")
      }
      assert(table.rows == before)
    }
  }

  test("paths that lead out of the table are refused, and nothing is touched") {
    withTable { table =>
      val outside = Files.createTempFile("outside", ".txt")
      val escape = s"p=0/../../${outside.getFileName}"
      for (path <- Seq(escape, outside.toString, s"file:/$outside", "p=0//old-0", "", "./p=0/old-0")) {
        val gone = ListedFile(path, outside.toFile.length, outside.toFile.lastModified)
        table.log.claim("bad", Seq(FolderChange("p=0", Seq(gone), Nil)), LogState.empty)
        val e = withClue(s"for $path: ")(intercept[ZOrderRuntimeException](table.recover()))
        assert(e.getCondition == "ZORDER_PATH_OUTSIDE_TABLE")
        assert(Files.exists(outside))
        new File(table.root.toFile, "_zorder/log").listFiles.foreach(_.delete())
      }
      Files.delete(outside)
    }
  }

  test("an entry moves in what is staged for it, and no file of the table out of a folder that is closed") {
    withTable { table =>
      val old = table.idOf("p=0/old-0")
      val moves = FolderChange("p=2", Nil, Seq(Added(old.path, "p=2/shown", old.bytes)))
      table.log.claim("bad", Seq(moves), LogState.empty)
      assert(intercept[ZOrderRuntimeException](table.recover()).getCondition == "ZORDER_PATH_OUTSIDE_TABLE")
      assert(table.isThere(old.path) && !table.isThere("p=2/shown"))
    }
  }

  test("an entry moves in no file over another one") {
    withTable { table =>
      val before = table.rows
      val planted = FolderChange("p=2", Nil, Seq(Added(s"_zorder/staging/$Id/p=0/new-0", "p=2/old-0", 2)))
      assert(table.bytes("p=2/old-0").exists(_ != 2) && table.bytes(s"_zorder/staging/$Id/p=0/new-0").contains(2))
      table.log.claim(Id, Seq(planted), LogState.empty)
      table.recover()
      assert(table.rows == before && table.log.read().open.isEmpty)
    }
  }

  test("links are not followed") {
    withTable { table =>
      val elsewhere = Files.createTempDirectory("elsewhere")
      Files.write(elsewhere.resolve("file"), Seq("1").asJava)
      Files.createSymbolicLink(table.root.resolve("p=9"), elsewhere)
      val file = elsewhere.resolve("file").toFile
      val gone = ListedFile("p=9/file", file.length, file.lastModified)
      table.log.claim(Id, Seq(FolderChange("p=9", Seq(gone), Nil)), LogState.empty)
      assert(intercept[ZOrderRuntimeException](table.recover()).getCondition == "ZORDER_PATH_OUTSIDE_TABLE")
      assert(file.exists)
      org.apache.spark.network.util.JavaUtils.deleteRecursively(elsewhere.toFile)
    }
  }
}

/** The local file system, on which something happens between a listing of a log and the look at its files. */
class ListingThenChanging extends LocalFileSystem {
  override def listStatus(path: Path): Array[FileStatus] = {
    val listed = super.listStatus(path)
    if (path.getName == "log") ListingThenChanging.happen()
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

/** A local disk on which the folders of staged files are another's. */
class ClosedStagingFileSystem extends LocalFileSystem {
  private def requireOpen(path: Path): Unit =
    if (path.toString.contains("/staging/")) throw new IOException(s"$path is another's")

  override def rename(from: Path, to: Path): Boolean = {
    requireOpen(from)
    super.rename(from, to)
  }

  override def delete(path: Path, isRecursive: Boolean): Boolean = {
    requireOpen(path)
    super.delete(path, isRecursive)
  }
}
