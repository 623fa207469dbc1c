// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.File
import java.nio.file.{Files, Path => LocalPath}
import java.util.UUID

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters._
import scala.sys.process.stringSeqToProcess
import scala.util.Try

import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.log.{LeftoverFiles, LogEntry}

import org.apache.hadoop.fs.Path

/**
 * Who may write into a table's folder, and not into a partition, moves the folder above that partition into one of the own
 * folders which a statement deletes.
 */
class ClearedFoldersSuite extends FileModes {

  private val id = UUID.randomUUID.toString

  private def mode(path: LocalPath, octal: Int): Unit = Files.setAttribute(path, "unix:mode", octal): Unit

  /** Folders from the outermost, each with its mode, and a file in the innermost. */
  private def made(root: String, file: String, folders: (String, Int)*): LocalPath = {
    val inner = folders.scanLeft(LocalPath.of(root)) { case (above, (name, _)) => above.resolve(name) }.tail
    Files.createDirectories(inner.last)
    val created = Files.createFile(inner.last.resolve(file))
    inner.zip(folders).reverse.foreach { case (folder, (_, octal)) => mode(folder, octal) }
    created
  }

  private val (all, some) = (Integer.parseInt("40777", 8), Integer.parseInt("40755", 8))

  private def cleared(
      path: String,
      name: String,
      isOwn: ListedFile => Boolean = _ => false,
      isOurs: Boolean = true,
      word: Seq[Path] = Nil): Unit = tableFolder(path).removeAll(new Path(path, name), isOwn, isOurs, word)

  private def listed(path: String, file: LocalPath): ListedFile =
    ListedFile(s"${LocalPath.of(path).relativize(file)}", Files.size(file), Files.getLastModifiedTime(file).toMillis)

  private def table(octal: Int)(body: String => Unit): Unit = inFolder { path =>
    Files.createDirectory(LocalPath.of(path))
    mode(LocalPath.of(path), octal)
    body(path)
  }

  private def mayMoveInto(own: Int) = Seq("_zorder" -> own, "staging" -> own, id -> own, "y=1" -> all)

  test("a partition that not all may delete who may write into the table's folder stays") {
    table(all) { path =>
      val (theirs, open) = (
        made(path, "a.parquet", mayMoveInto(all) :+ ("p=0" -> some): _*),
        made(path, "b.parquet", mayMoveInto(all) :+ ("p=1" -> all): _*))
      val sticky = made(path, "c.parquet", mayMoveInto(all) :+ ("p=2" -> Integer.parseInt("41777", 8)): _*)
      val closed = Integer.parseInt("40700", 8)
      val below = made(path, "d.parquet", mayMoveInto(all) ++ Seq("p=3" -> closed, "q=5" -> all): _*)
      val appender = new LogAppender("warnings")
      withLogAppender(appender)(cleared(path, s"_zorder/staging/$id"))
      assert(Seq(theirs, sticky, below).forall(Files.exists(_)) && !Files.exists(open.getParent))
      val reasons = appender.loggingEvents.flatMap(e => Option(e.getThrown)).map(_.getMessage)
      assert(reasons.exists(r => r.contains("may delete all that is in it, or a file in it is in use")), reasons)
    }
    // Nobody else may write there.
    table(some) { path =>
      val file = made(path, "a.parquet", mayMoveInto(some) :+ ("p=0" -> some): _*)
      cleared(path, s"_zorder/staging/$id")
      assert(!Files.exists(file) && !new File(path, s"_zorder/staging/$id").exists)
    }
  }

  test("what nobody else may have put there goes, whoever may write into the table's folder") {
    for (ofOthers <- Seq("", "_zorder", "_zorder/staging")) table(all) { path =>
      val file = made(path, "a.parquet", Seq("_zorder", "staging", id, "zgroup=1").map(_ -> some): _*)
      if (ofOthers.nonEmpty) {
        assume(Files.getAttribute(LocalPath.of("/proc/self"), "unix:uid") == 0, "gives files to others")
        Files.setAttribute(LocalPath.of(path, ofOthers), "unix:uid", 65534)
      }
      cleared(path, s"_zorder/staging/$id", isOurs = false)
      assert(Files.exists(file))
      cleared(path, s"_zorder/staging/$id")
      assert(Files.exists(file) == ofOthers.nonEmpty)
    }
  }

  test("kept files go by their paths, sizes and times, with their sums, and nothing that has but their names") {
    table(all) { path =>
      val folders = Seq("_zorder" -> all, "replaced" -> all, s"1.$id" -> all, "y=1" -> all, "p=0" -> some)
      val Seq(kept, larger, later) = Seq("a", "b", "c").map(n => made(path, s"$n.parquet", folders: _*))
      val known = Seq(kept, larger, later).map(f =>
        ListedFile(s"y=1/p=0/${f.getFileName}", Files.size(f), Files.getLastModifiedTime(f).toMillis)).toSet
      Files.write(larger, Array[Byte](1))
      later.toFile.setLastModified(1000L)
      cleared(path, s"_zorder/replaced/1.$id", known, isOurs = false)
      assert(!Files.exists(kept) && Files.exists(larger) && Files.exists(later))
    }
  }

  test("a document that anybody may have written lets no file go that these may not delete") {
    for ((own, goes) <- Seq(all -> false, some -> true)) table(all) { path =>
      val folders = Seq("_zorder" -> own, "replaced" -> own, s"1.$id" -> own, "y=1" -> all, "p=0" -> some)
      val file = made(path, "a.parquet", folders: _*)
      val document = Files.createFile(LocalPath.of(path, "_zorder", "replaced", s"1.$id.json"))
      mode(document, if (goes) Integer.parseInt("100644", 8) else Integer.parseInt("100666", 8))
      val named = listed(path, file)
      cleared(
        path,
        s"_zorder/replaced/1.$id",
        f => named.path.endsWith(f.path) && f.bytes == named.bytes,
        isOurs = false,
        Seq(new Path(document.toUri)))
      assert(Files.exists(file) !== goes)
    }
  }

  test("nor does a statement delete what a document names that was made up") {
    // As open as the table's partitions are what is kept of it, and a document of our own.
    // What was written down for another is not.
    for ((ofTable, more, goes) <-
        Seq((all, "", false), (some, "", true), (some, ",\"isOfRecovery\":true", false))) table(all) { path =>
      val folders = Seq("_zorder" -> all, "replaced" -> all, s"5.$id" -> all, "p=0" -> all, "q=0" -> some)
      val kept = made(path, "part-0.parquet", folders: _*)
      // In the place from where it was taken.
      made(path, "other.parquet", "p=0" -> all, "q=0" -> ofTable)
      events(10).drop("p").coalesce(1).write.mode("append").parquet(s"$path/p=0/q=0")
      val named = s"""{"path":"p=0/q=0/part-0.parquet","bytes":0,"modificationTime":${kept.toFile.lastModified}}"""
      val change = s"""{"path":"p=0/q=0","replaced":[$named],"added":[],"identities":{}}"""
      val document = LocalPath.of(path, "_zorder", "replaced", s"5.$id.json")
      Files.writeString(
        document,
        s"""{"version":1,"rewrite":{"number":5,"id":"$id","replacedAt":1,"keptUntil":2,"folders":[$change]$more}}"""
      )
      Files.delete(LocalPath.of(path, "p=0", "q=0", "other.parquet"))
      Try(spark.sql(s"VACUUM parquet.`$path` REPLACED FILES").collect())
      assert(Files.exists(kept) !== goes)
      analyze(path)
      assert(Files.exists(kept) !== goes)
    }
  }

  test("what is kept of partitions that are closed to some goes") {
    table(Integer.parseInt("42775", 8)) { path =>
      events(900).where("p < 2").repartition(3).write.mode("append").partitionBy("p").parquet(path)
      Seq("p=0", "p=1").foreach(p => mode(LocalPath.of(path, p), Integer.parseInt("42770", 8)))
      optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k', keep_old = '1 hour')")
      assert(below(s"$path/_zorder/replaced").exists(_.toString.endsWith(".replaced")))
      val Seq(gone) = spark.sql(s"VACUUM parquet.`$path` REPLACED FILES RETAIN 0 HOURS").collect().toSeq
      assert(gone.getAs[Long]("files") === 6 && !new File(path, "_zorder/replaced").exists)
    }
  }

  test("nor does an entry, in a folder that was not there when it was judged") {
    for ((own, goes) <- Seq(all -> false, some -> true)) table(all) { path =>
      made(path, "entry", "_zorder" -> own)
      val file = made(path, "a.parquet", "p=0" -> all, "q=0" -> some)
      val of = tableFolder(path)
      val left = of.trusting(Seq(new Path(path, "_zorder/entry"))) {
        of.removeAllUnchanged(Seq(listed(path, file) -> None), isDue = true)
      }
      assert((left.isEmpty, Files.exists(file)) === ((goes, !goes)))
      assert(Try(of.removeAllUnchanged(left.map(_ -> None), isDue = true)).get === Nil && !Files.exists(file))
    }
  }

  test("nor is a partition staged that was moved to where an entry has its files") {
    for ((octal, goes) <- Seq("100666" -> false, "100644" -> true)) table(all) { path =>
      val Seq(lost, moved) = Seq(s"part-1-$id.parquet", s"part-2-$id.parquet").map { name =>
        made(path, name, mayMoveInto(all) :+ ("p=0" -> some): _*)
      }
      val entry = made(path, "1.json", "_zorder" -> all, "log" -> all)
      mode(entry, Integer.parseInt(octal, 8))
      // Of another member of the team.
      mode(Files.createFile(entry.resolveSibling("0.id")), Integer.parseInt("100666", 8))
      val of = tableFolder(path)
      of.trusting(Seq(new Path(entry.toUri))) {
        assert(Try(of.rename(
          new Path(moved.toUri),
          new Path(path, "moved.parquet"))).toOption === Option.when(goes)(true))
        of.removeRun(new Path(path, s"_zorder/staging/$id"), isOwn = Some(LeftoverFiles(id, Nil)))
      }
      assert((Files.exists(lost), new File(path, "moved.parquet").exists) === ((!goes, goes)))
    }
  }

  test("nor does a repair take from a partition that was moved to where a damaged entry has its files") {
    val isRoot = Files.getAttribute(LocalPath.of("/proc/self"), "unix:uid") == 0
    // Only the superuser can give documents to somebody else, who may write into the table's folder, and not into the partition.
    for (goes <- Seq(true, false) if goes || isRoot) table(all) { path =>
      events(10).drop("p").coalesce(1).write.mode("append").parquet(s"$path/x=1")
      val theirs = made(path, "a.parquet", mayMoveInto(all) :+ ("p=0" -> some): _*)
      val number = "00000000000000000001"
      val entry = made(path, s"$number.${UUID.nameUUIDFromBytes(Array(1))}.json", "_zorder" -> all, "log" -> all)
      Files.writeString(entry.resolveSibling("0.id"), UUID.nameUUIDFromBytes(Array(1)).toString)
      if (!goes) Seq(entry, entry.resolveSibling("0.id")).foreach(Files.setAttribute(_, "unix:uid", 65534))
      val ended = Try(spark.sql(s"FSCK REPAIR TABLE parquet.`$path`").collect())
      assert(ended.isSuccess && Files.exists(theirs) === !goes, ended)
      assert(below(s"$path/_zorder/set-aside").exists(_.toString.endsWith("a.parquet")) === goes)
    }
  }

  test("the superuser deletes no more than the owner of the table's folder may") {
    assume(Files.getAttribute(LocalPath.of("/proc/self"), "unix:uid") == 0, "gives files to others")
    def give(path: LocalPath, to: Int) = Files.setAttribute(path, "unix:uid", to)
    table(some) { path =>
      val theirs = made(path, "a.parquet", Seq("_zorder", "staging", id, "y=1", "p=0").map(_ -> some): _*)
      val others = made(path, "a.parquet", Seq("_zorder", "staging", id, "y=1", "p=1").map(_ -> some): _*)
      below(path).foreach(give(_, 65534))
      give(others.getParent, 65533)
      give(others, 65533)
      assert(!tableFolder(path).isToClear(new Path(path, s"_zorder/staging/$id")))
      cleared(path, s"_zorder/staging/$id")
      assert(!Files.exists(theirs) && Files.exists(others))
    }
  }

  test("what the table's owner has written moves nothing that the superuser has staged, and brings nothing back") {
    assume(Files.getAttribute(LocalPath.of("/proc/self"), "unix:uid") == 0, "gives files to others")
    def give(path: LocalPath, to: Int) = Files.setAttribute(path, "unix:uid", to)
    val (owner, other) = (65534, 65533)
    inFolder { path =>
      events(100).write.partitionBy("p").parquet(path)
      (LocalPath.of(path) +: below(path)).foreach(give(_, owner))
      (LocalPath.of(path, "p=1") +: below(s"$path/p=1")).foreach(give(_, other))
      optimize(path, "ZORDER BY (a) OPTIONS (keep_old = '1 day')")
      val before = spark.read.parquet(path).collect().toSeq
      val (kept, run) = (below(s"$path/_zorder"), LocalPath.of(path, "_zorder", "staging", id))
      val staged = Files.createDirectories(run).resolve("a")
      Files.writeString(staged, "rows")
      val documents = kept.filter(_.toString.endsWith(".json")).map(f => new Path(f.toUri))
      (LocalPath.of(path, "_zorder") +: LocalPath.of(path, "_zorder", "staging") +: kept).foreach(give(_, owner))
      val folder = tableFolder(path)
      def isMoved = folder.trusting(documents)(
        Try(folder.rename(new Path(staged.toUri), new Path(path, "p=0/_a"))).recover { case _: UntrustedFolder =>
          false
        }.get)
      assert(!isMoved && Files.exists(staged))
      give(run, owner)
      assert(isMoved)
      def restore() = spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1").collect()
      val refused = intercept[ZOrderRuntimeException](restore())
      assert(refused.getCondition === "ZORDER_NOT_TRUSTED")
      checkAnswer(spark.read.parquet(path), before)
      (LocalPath.of(path, "_zorder") +: below(s"$path/_zorder")).foreach(give(_, 0))
      restore()
      checkAnswer(spark.read.parquet(path), before)
    }
  }

  test("a link by the name of a run goes, and what it leads to stays") {
    table(some) { path =>
      val file = made(path, "a.parquet", "p=0" -> some)
      val link = LocalPath.of(path, "_zorder", "staging", id)
      Files.createDirectories(link.getParent)
      Files.createSymbolicLink(link, file.getParent)
      cleared(path, s"_zorder/staging/$id")
      assert(Files.exists(file) && !Files.isSymbolicLink(link))
    }
  }

  test("files of a run that never were the table's go from wherever they are") {
    table(all) { path =>
      val restored = s"part-2-$id.c000-restored-${UUID.randomUUID}.parquet"
      val Seq(lost, table, back) = Seq(s"part-1-$id.c000.parquet", s"part-2-$id.c000.parquet", restored).map { name =>
        made(path, name, mayMoveInto(all) :+ ("p=0" -> some): _*)
      }
      val sums = Seq(lost, table).map(f => Files.createFile(f.resolveSibling(s".${f.getFileName}.crc")))
      val added = LogEntry.Added(s"_zorder/staging/$id/x", s"y=1/p=0/${table.getFileName}", 0L, None)
      val change =
        LogEntry.FolderChange("y=1/p=0", Seq(ListedFile("y=1/p=0/old.parquet", 0L, 0L)), Seq(added), Map.empty)
      cleared(path, s"_zorder/staging/$id", LeftoverFiles(id, Seq(change)))
      assert((lost +: sums.take(1)).forall(!Files.exists(_)) && (table +: back +: sums.drop(1)).forall(Files.exists(_)))
    }
  }

  test("a pipe by the name of an index is none, and no query waits for it") {
    inFolder { path =>
      writeData(path)
      analyze(path)
      val before = spark.read.parquet(path).count()
      val version = new File(path, "_zorder/statistics").listFiles.find(_.getName.endsWith(".index")).get
      val pipe = new File(version.getParentFile, version.getName.replaceFirst("0000", "0009"))
      assert(pipe != version && Seq("mkfifo", pipe.getPath).! == 0)
      def soon[T](body: => T): T = Await.result(Future(Try(body))(ExecutionContext.global), 1.minute).get
      assert(soon(spark.read.parquet(path).where("a >= 0 OR a IS NULL").count()) == before)
      soon(analyze(path))
      assert(!pipe.exists && spark.read.parquet(path).where("a >= 0 OR a IS NULL").count() == before)
    }
  }
}
