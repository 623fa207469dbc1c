// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.io.{FileNotFoundException, IOException}
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable
import scala.util.Random

import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.listing.{ListingCheck, PresentFiles}
import io.sparkzorder.format.parquet.log.LogEntry.{Added, FolderChange}

import org.apache.hadoop.fs.{FileStatus, Path}

/** A table of two folders on a simulated disk, the processes that use it, and what rows it must have. A line is a row. */
final class SimulatedTable(kind: SimulatedDisk.Kind, remembered: Int) extends AutoCloseable {
  import SimulatedTable._

  val disk = new SimulatedDisk(kind)
  private val host = SimulatedDisk.mount(disk)
  // By a name of its own: entries are read once by each path, and what an observer has read is not known to a process.
  private val observersHost = SimulatedDisk.mount(disk)

  val folder = new TableFolder(new Path(s"${kind.scheme}://${host.name}/t"), SimulatedDisk.conf)

  private val fs = folder.root.getFileSystem(SimulatedDisk.conf)

  private def at(path: String): Path = fs.asInstanceOf[SimulatedFileSystem].path(s"/t/$path")

  private def newLog = new RewriteLog(folder, kind.listsInSteps, remembered)

  /** The rows that each folder must have now. */
  private val truth = mutable.Map("p=0" -> Seq("1", "2", "2"), "p=1" -> Seq("3", "4"))
  // Every truth so far, for readers who take their time.
  private val history = mutable.ArrayBuffer(truth.toMap)
  // Folders in the middle of an overwrite that is not one step.
  private val unsettled = mutable.Set.empty[String]
  // Files that were written again under their names, or restored.
  private val replaced = mutable.Set.empty[String]
  // Whether somebody was at old files, or at those that are kept.
  private var isTouched = false
  private val overwrites = mutable.ArrayBuffer.empty[Overwrite]

  Seq("p=0/old-0" -> "1\n2", "p=0/old-1" -> "2", "p=1/old-0" -> "3\n4").foreach { case (path, rows) =>
    folder.write(at(path), rows.getBytes(UTF_8))
  }

  // As a backup has them.
  private val backup = truth.keys.toSeq.flatMap(f => disk.children(s"/t/$f")).map(path => path -> disk.get(path).get)

  override def close(): Unit = Seq(host, observersHost).foreach(SimulatedDisk.unmount)

  private def now(rows: (String, Seq[String])*): Unit = {
    rows.foreach { case (f, of) => truth(f) = of.sorted }
    history += truth.toMap
  }

  // Processes

  /** From now on calls that change something fail at times. */
  def faults(seed: Long): Unit = {
    val chance = new Random(seed)
    disk.fault = () =>
      chance.nextInt(60) match {
        case 0 => Some(SimulatedDisk.NotDone)
        case 1 => Some(SimulatedDisk.AnswerLost)
        case _ => None
      }
  }

  /** As a statement does it, without the lock; of one folder where one is decided. The files that it replaces may be kept. */
  def rewriter(name: String, only: Option[String] = None, keptUntil: Long = LogEntry.NotKept): Unit = failing {
    val id = RewriteIds.of(name)
    try {
      val log = newLog
      val since = log.read()
      val listed = listing(log).groupBy(f => ListedFile.folderOf(f.path)).toSeq.sortBy(_._1)
      val folders = listed.filter(f => only.forall(_ == f._1)).map { case (path, old) =>
        val identities = folder.identities(old.map(_.path))
        FolderChange(path, old, stage(id, path, old.flatMap(rowsIn)), identities)
      }
      val intact = folders.filter(f => f.replaced.forall(file => folder.isUnchanged(file, f.identity(file))))
      val entry = if (intact.isEmpty) None else log.claim(id, intact, since, keptUntil)
      entry.foreach(e => new RewriteExecutor(folder, log).execute(LogState.LoggedRewrite(e, None, isClosed = false)))
    } finally new Recovery(folder, newLog).discard(Map(id -> LeftoverFiles(id, Nil)))
  }

  /** Takes back the last rewrite of which files are kept, as `ParquetRestore` does it. */
  def undoer(id: String): Unit = failing {
    try {
      val (log, kept) = (newLog, new KeptFiles(folder))
      val since = log.read()
      val rewrites = kept.rewrites()
      val isThere = PresentFiles.ofRewrites(folder, rewrites, log)
      val plan =
        rewrites.reverseIterator.flatMap(TakenBack.of(_, rewrites, isThere, kept.status, id).toOption).nextOption()
      plan.foreach { back =>
        val staged = back.copies.zipWithIndex.map { case (copy, i) =>
          val content = folder.read(copy.from).getOrElse(throw new FileNotFoundException(copy.from.toString))
          folder.write(at(s"_zorder/staging/$id/$i"), content)
          copy.to -> (s"_zorder/staging/$id/$i" -> content.length.toLong)
        }.toMap
        val (before, after) =
          (back.replaced.map(rowsIn(_).size).sum, back.copies.map(c => rowsOfCopy(staged(c.to)._1)).sum)
        require(before == after || isTouched, s"$after rows are kept in place of $before")
        if (before == after) {
          val identities = folder.identities(back.replaced.map(_.path))
          val wanted = back.entries(staged).map(f =>
            f.copy(identities = identities.filter(i => f.replaced.exists(_.path == i._1))))
          val intact = wanted.filter(f => f.replaced.forall(file => folder.isUnchanged(file, f.identity(file))))
          val entry = if (intact.isEmpty) None else log.claim(id, intact, since, back.keptUntil)
          entry.foreach(e =>
            new RewriteExecutor(folder, log).execute(LogState.LoggedRewrite(e, None, isClosed = false)))
        }
      }
    } finally new Recovery(folder, newLog).discard(Map(id -> LeftoverFiles(id, Nil)))
  }

  private def rowsOfCopy(path: String): Int =
    rowsIn(ListedFile(path, 0L, 0L)).size

  /** Somebody who deletes all replaced files that are kept. */
  def vacuum(): Unit = failing {
    isTouched = true
    new Recovery(folder, newLog).run()
    new KeptFiles(folder).forget(_ => true, newLog)
  }

  private def stage(id: String, path: String, rows: Seq[String]): Seq[Added] =
    rows.sorted.grouped(math.max(1, rows.size / 2)).zipWithIndex.map { case (some, i) =>
      val (name, content) = (s"$path/new-$id-$i", some.mkString("\n").getBytes(UTF_8))
      if (folder.hasUploads) upload(id, name, content, attempt = i)
      else {
        val staged = s"_zorder/staging/$id/$name"
        folder.write(at(staged), content)
        Added(staged, name, content.length)
      }
    }.toSeq

  /** In one part, or two; of the first file there is an attempt that is lost, too. */
  private def upload(id: String, name: String, content: Array[Byte], attempt: Int): Added = {
    val run = at(s"_zorder/staging/$id")
    if (attempt == 0) folder.startUpload(at(name), run).put(content, content.length, isLast = true)
    val upload = folder.startUpload(at(name), run)
    if (content.length > 1) upload.put(content, 1, isLast = false)
    val rest = content.drop(if (content.length > 1) 1 else 0)
    upload.put(rest, rest.length, isLast = true)
    Added(upload.record, name, content.length, Some(upload.complete().text))
  }

  /** What every statement does first. */
  def recovering(): Unit = failing(new Recovery(folder, newLog).run())

  def appender(path: String, row: String): Unit = {
    put(s"$path/appended-$row", row)
    now(path -> (truth(path) :+ row))
  }

  /** Spark's writers: a file comes into a folder as a whole. */
  private def put(path: String, content: String): Unit = {
    val to = at(path)
    if (kind.renames) {
      val draft = at(s"_temporary/${to.getName}")
      // An overwrite of the whole table may take the draft away, or the folder that it is to come into.
      @scala.annotation.tailrec
      def attempt(): Unit = {
        folder.write(draft, content.getBytes(UTF_8))
        fs.mkdirs(to.getParent)
        if (!fs.rename(draft, to)) attempt()
      }
      attempt()
    } else folder.write(to, content.getBytes(UTF_8))
  }

  /** INSERT OVERWRITE of a partition; of the whole table, its `_zorder` included, where no folder is decided. */
  def overwriter(path: Option[String], row: String): Unit = {
    isTouched = true
    val target = path.fold(folder.root)(at)
    val of = path.fold(truth.keys.toSeq)(Seq(_))
    if (kind.deletesAtOnce) {
      fs.delete(target, true)
      now(of.map(_ -> Nil): _*)
    } else {
      val overwrite = new Overwrite(of.toSet, disk.tick(), inSteps = true)
      overwrites += overwrite
      unsettled ++= of
      val found = filesIn(of).map(id)
      overwrite.listed = found.map(_.path).toSet
      found.foreach(f => fs.delete(at(f.path), false))
      now(of.map(f =>
        f -> truth(f).filter(row => isAppended(f, row) && !found.exists(_.path == s"$f/appended-$row"))): _*)
    }
    put(s"${of.head}/theirs-$row", row)
    now(of.head -> (truth(of.head) :+ row))
    overwrites.foreach(o => if (o.ended == Long.MaxValue) o.ended = disk.tick())
    unsettled --= of
  }

  /** Somebody who deletes what a folder has and copies its first files back, with their times where they can be set. */
  def restorer(path: String): Unit = {
    isTouched = true
    val restored = backup.filter(_._1.startsWith(s"/t/$path/"))
    val overwrite = new Overwrite(Set(path), disk.tick(), inSteps = true)
    overwrites += overwrite
    unsettled += path
    val found = filesIn(Seq(path)).map(id)
    overwrite.listed = found.map(_.path).toSet
    found.foreach(f => fs.delete(at(f.path), false))
    now(path -> truth(path).filter(row => isAppended(path, row) && !found.exists(_.path == s"$path/appended-$row")))
    // Others may have looked at a file of the name and be about to delete it.
    replaced ++= restored.map(_._1.stripPrefix("/t/"))
    restored.foreach { case (file, node) =>
      Scheduler.before(s"restore $file")
      disk.put(file, SimulatedDisk.Node(node.content, if (kind.renames) node.time else disk.tick()))
      Scheduler.changed()
    }
    now(path -> (truth(path) ++ restored.flatMap(_._2.rows.get)))
    overwrite.ended = disk.tick()
    unsettled -= path
  }

  /** A writer without the extension who writes a file anew under its name, in one step. */
  def replacer(path: String, rows: Seq[String]): Unit = {
    isTouched = true
    val (folderOfIt, at) = (ListedFile.folderOf(path), s"/t/$path")
    Scheduler.before(s"write $at anew")
    val seen = without(filesNow(), filesToExclude(filesNow())).exists(_.path == path)
    // Others may have begun to delete the file, or to give a verdict: nobody can tell them.
    val overwrite = new Overwrite(Set(folderOfIt), disk.tick(), inSteps = false)
    overwrite.listed = Set(path)
    replaced += path
    val gone = if (seen) disk.get(at).get.rows.get else Nil
    disk.put(at, SimulatedDisk.Node(Some(rows.mkString("\n").getBytes(UTF_8)), disk.tick()))
    overwrite.ended = disk.tick()
    if (seen) overwrites += overwrite
    now(folderOfIt -> (truth(folderOfIt).diff(gone) ++ rows))
    Scheduler.changed()
  }

  private def isAppended(path: String, row: String) = disk.contains(s"/t/$path/appended-$row")

  /** A query that lists the table by itself. */
  def reader(): Unit = {
    val begun = Begun(history.size - 1, disk.now)
    failing(requireOneOf(begun, rowsOf(listing(newLog))))
  }

  /** A query whose listing comes out of a cache. */
  def cachingReader(): Unit = {
    val begun = Begun(history.size - 1, disk.now)
    failing {
      val listed = filesIn(truth.keys.toSeq.sorted).map(id)
      val log = newLog
      val state = log.read()
      val files =
        if (ListingCheck.isStale(state, listed.toSet, new PresentFiles(folder), _ => true)) listing(log)
        else without(listed, outOf(state, listed))
      requireOneOf(begun, rowsOf(files))
    }
  }

  private def failing(body: => Unit): Unit =
    try body
    catch {
      // Somebody deleted what was to be read, as for any query; or a call failed.
      case _: IOException =>
      case e: ZOrderRuntimeException if Expected(e.getCondition) =>
    }

  // What they see

  private def filesIn(folders: Seq[String]): Seq[FileStatus] =
    folders.flatMap(f => folder.list(at(f)))

  private def id(s: FileStatus): ListedFile =
    ListedFile(folder.relative(s.getPath).get, s.getLen, s.getModificationTime)

  private def without(files: Seq[ListedFile], out: Set[String]) = files.filterNot(f => out(f.path))

  private def outOf(state: LogState, listed: Seq[ListedFile]): Set[String] = {
    val present = new PresentFiles(folder)
    ListingCheck.filesToExclude(state, listed, present, present.isAnother)
  }

  /** As `TableListing` does it. */
  private def listing(log: RewriteLog): Seq[ListedFile] = {
    @scala.annotation.tailrec
    def attempt(before: LogState): Seq[ListedFile] = {
      val listed = filesIn(truth.keys.toSeq.sorted).map(id)
      val after = log.read()
      if (before.fingerprint == after.fingerprint) without(listed, outOf(after, listed)) else attempt(after)
    }
    attempt(log.read())
  }

  private def rowsIn(file: ListedFile): Seq[String] = {
    val content = folder.read(at(file.path)).getOrElse(throw new FileNotFoundException(file.path))
    new String(content, UTF_8).split("\n").toSeq.filter(_.nonEmpty)
  }

  private def rowsOf(files: Seq[ListedFile]): Map[String, Seq[String]] = byFolder(files, rowsIn)

  private def byFolder(files: Seq[ListedFile], rows: ListedFile => Seq[String]): Map[String, Seq[String]] =
    truth.keys.map(f => f -> files.filter(x => ListedFile.folderOf(x.path) == f).flatMap(rows).sorted).toMap

  /**
   * Rows that were right at one moment of a read. Where an overwrite that takes several calls went on during the read, some
   * of them may be missing: of old files that were listed and gone, of new ones that were not yet there. None is doubled.
   */
  private def requireOneOf(begun: Begun, rows: Map[String, Seq[String]]): Unit = {
    val right = history.drop(begun.history)
    val inSteps = overwrites.filter(o => o.inSteps && o.ended > begun.time).flatMap(_.folders).toSet
    // An overwrite and an append of different folders may be seen in either order.
    judgeable(rows.keySet).foreach { f =>
      def isPart = mostOf(right.map(_(f)).toSeq).intersect(rows(f)).size == rows(f).size
      require(
        right.exists(_(f) == rows(f)) || (inSteps(f) && isPart),
        s"a reader saw ${rows(f)} in $f, not one of ${right.map(_(f)).distinct}")
    }
  }

  /** Each row as often as where it is found most often. */
  private def mostOf(some: Seq[Seq[String]]): Seq[String] =
    some.foldLeft(Seq.empty[String])((all, rows) => all ++ rows.diff(all))

  /** Without folders whose overwrite took place between the last look at old files and the verdict; see docs/parquet.md. */
  private def judgeable(folders: Set[String]): Set[String] = Scheduler.unscheduled {
    lazy val moved = logNow().rewrites.flatMap(r => r.movedFolders.map(r.entry -> _))
    val lost = replaced.filter(f => disk.isDeletedUnseen(s"/t/$f")).map(ListedFile.folderOf(_))
    folders -- unsettled -- lost -- overwrites.filter { o =>
      moved.exists { case (entry, f) =>
        val decided = disk.timeOfName(s"/t/_zorder/log/${LogFiles.verdictName(entry)}").getOrElse(Long.MaxValue)
        o.folders(f.path) && decided > o.begun && (decided < o.ended || f.replaced.exists(x => o.listed(x.path)))
      }
    }.flatMap(_.folders)
  }

  private val observed = new RewriteLog(
    new TableFolder(new Path(s"${kind.scheme}://${observersHost.name}/t"), SimulatedDisk.conf),
    kind.listsInSteps,
    remembered)
  private var lastLog: Option[(Long, LogState)] = None

  /** The log as it is, for an observer, who reads it again when it has changed. */
  private def logNow(): LogState = lastLog.collect { case (version, state) if version == disk.logVersion => state }
    .getOrElse {
      val state = observed.read()
      lastLog = Some(disk.logVersion -> state)
      state
    }

  /** The files as they are, for an observer: what [[filesIn]] lists. */
  private def filesNow(): Seq[ListedFile] =
    for (f <- truth.keys.toSeq; path <- disk.children(s"/t/$f"))
      yield {
        val node = disk.get(path).get
        ListedFile(path.stripPrefix("/t/"), node.content.fold(0L)(_.length.toLong), node.time)
      }

  private def rowsNow(files: Seq[ListedFile]): Map[String, Seq[String]] =
    byFolder(files, file => disk.get(s"/t/${file.path}").get.rows.get)

  private def filesToExclude(listed: Seq[ListedFile]): Set[String] =
    ListingCheck.filesToExclude(
      logNow(),
      listed,
      path => disk.get(s"/t/$path").map(_.content.fold(0L)(_.length.toLong)),
      (file, identity) => identity.exists(id => disk.get(s"/t/${file.path}").exists(_.identity.toString != id))
    )

  /** What must hold after each change. */
  def check(): Unit = {
    val listed = filesNow()
    val seen = rowsNow(without(listed, filesToExclude(listed)))
    val plain = rowsNow(listed)
    judgeable(truth.keySet.toSet).foreach { f =>
      require(seen(f) == truth(f), s"a reader with the extension sees ${seen(f)} in $f, not ${truth(f)}")
      require(
        truth(f).diff(plain(f)).isEmpty,
        s"a reader without the extension sees ${plain(f)} in $f, not all of ${truth(f)}")
    }
  }

  /** What must hold at the end, after the next statement. */
  def checkEnd(): Unit = {
    disk.fault = () => None
    new Recovery(folder, newLog).run()
    check()
    val plain = rowsNow(filesNow())
    judgeable(truth.keySet.toSet).foreach(f =>
      require(plain(f) == truth(f), s"at the end ${plain(f)} in $f, not ${truth(f)}"))
    require(logNow().open.isEmpty, "an entry is open at the end")
    // What is a folder of the simulation is nothing on S3.
    val left = disk.below("/t/_zorder").filterNot(_.startsWith("/t/_zorder/log"))
      .filterNot(_.startsWith("/t/_zorder/replaced"))
      // New files of a folder from which another has taken old ones.
      .filterNot(disk.kind.renames && _.startsWith("/t/_zorder/set-aside"))
      .filter(path => !disk.kind.uploads || disk.get(path).exists(_.content.nonEmpty))
    require(left.isEmpty, s"left at the end: $left")
    val uploads = disk.uploads.filter(_._2.nonEmpty).keys
    require(uploads.isEmpty, s"open at the end: $uploads")
    checkKept()
  }

  /** What is to be kept for good is there, where nobody deleted it or was at the table's files. */
  private def checkKept(): Unit = if (!isTouched) {
    val kept = new KeptFiles(folder)
    for (rewrite <- kept.rewrites() if rewrite.keptUntil == ForGood; file <- rewrite.folders.flatMap(_.replaced))
      require(kept.status(rewrite, file).isDefined, s"${file.path} of rewrite ${rewrite.number} is not kept")
  }
}

object SimulatedTable {

  /** The end of the year 9999, in milliseconds since 1970. */
  val ForGood: Long = 253402300799999L

  private val Expected = Set("ZORDER_REWRITE_OVERTAKEN", "ZORDER_CANNOT_CREATE", "ZORDER_CANNOT_DELETE")

  /** When a read began: at which of the truths, and when. */
  private final case class Begun(history: Int, time: Long)

  /** @param inSteps whether it takes several calls */
  private final class Overwrite(val folders: Set[String], val begun: Long, val inSteps: Boolean) {
    var listed: Set[String] = Set.empty
    var ended: Long = Long.MaxValue
  }
}
