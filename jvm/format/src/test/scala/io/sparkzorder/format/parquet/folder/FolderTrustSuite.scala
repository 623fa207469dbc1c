// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.File
import java.nio.file.{Files, Path => LocalPath}

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters._
import scala.sys.process.stringSeqToProcess
import scala.util.Try

import io.sparkzorder.DailyTest
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.ParquetTables
import io.sparkzorder.format.parquet.log.{KeptName, PlantedLog}

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkThrowable

/** A log that somebody else made in a folder for everybody has no file left out of queries, and none deleted. */
class FolderTrustSuite extends ParquetTables {

  private val nobody = 65534

  private def mode(path: String, octal: String): Unit =
    Files.setAttribute(new File(path).toPath, "unix:mode", Integer.parseInt(octal, 8)): Unit

  private def giveAll(path: LocalPath, id: Int, as: String = "uid"): Unit = {
    val found = Files.walk(path)
    try found.iterator.asScala.foreach(Files.setAttribute(_, s"unix:$as", id))
    finally found.close()
  }

  private val isSuperuser = Files.getAttribute(new File("/proc/self").toPath, "unix:uid") == 0

  /** A table in a folder of this mode, and in it a log that has all of its files deleted. */
  private def planted(octal: String)(body: (String, LocalPath) => Unit): Unit = {
    assume(isSuperuser, "only the superuser can give files to others")
    inFolder { path =>
      events(100).repartition(2).write.parquet(path)
      mode(path, octal)
      val folder = tableFolder(path)
      PlantedLog.deleting(
        folder,
        dataFiles(path).map(f => ListedFile(f.getName, f.length, f.lastModified)))
      body(path, new File(path, "_zorder").toPath)
    }
  }

  private def refusedThere(path: String, named: String, fault: String = "belongs to nobody"): Unit = {
    val statements = Seq(
      s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS",
      s"OPTIMIZE parquet.`$path` ZORDER BY (a)",
      s"FSCK REPAIR TABLE parquet.`$path`")
    for (sql <- statements)
      refused(sql, "ZORDER_NOT_TRUSTED", "42501", "path" -> named, "fault" -> fault, "folder" -> path)
    assert(spark.read.parquet(path).count() == 100 && dataFiles(path).size == 2)
    withSkipping(false)(assert(spark.read.parquet(path).count() == 100))
  }

  test("in a folder with the sticky bit a log of another counts for nobody, until it is deleted", DailyTest) {
    planted("41777") { (path, own) =>
      giveAll(own, nobody)
      refusedThere(path, "/_zorder")
      optimize(path, "ZORDER BY (a) DRY RUN")
      org.apache.spark.network.util.JavaUtils.deleteRecursively(own.toFile)
      keepingRows(path)(optimize(path))
    }
  }

  test("so do its documents, whatever was asked for before they were read; and what is gone by then", DailyTest) {
    planted("41777") { (path, own) =>
      val folder = tableFolder(path)
      val documents = folder.list(folder.rewriteLog).map(_.getPath).filter(_.getName.endsWith("json"))
      assert(documents.nonEmpty && folder.areOfTrusted(documents))
      assert(!folder.areOfTrusted(Seq(new Path(folder.rewriteLog, "gone"))))
      documents.foreach(d => Files.setAttribute(LocalPath.of(d.toUri), "unix:uid", theirs))
      assert(!tableFolder(path).areOfTrusted(documents))
      mode(path, "755")
      assert(tableFolder(path).areOfTrusted(documents))
    }
  }

  test("so does one of the owner in which another has written an entry before the folder was closed to them") {
    planted("41777") { (path, own) =>
      own.resolve("log").toFile.listFiles.filter(_.getName.endsWith(".json"))
        .foreach(f => Files.setAttribute(f.toPath, "unix:uid", nobody))
      refusedThere(path, "/_zorder/log/")
    }
  }

  private def inOwn(own: LocalPath, folder: String, ending: String): String =
    own.resolve(folder).toFile.listFiles.find(_.getName.endsWith(ending)).get.getPath

  test("so does one of the owner that others may write", DailyTest) {
    val faults =
      Seq("777" -> "may be written by everybody", "707" -> "everybody", "775" -> "may be written by its group")
    for ((octal, fault) <- faults) planted("41777") { (path, own) =>
      for (folder <- Seq(own.toString, s"$own/log", s"$own/staging")) {
        mode(folder, octal)
        refusedThere(path, folder.stripPrefix(path), fault)
        mode(folder, "755")
      }
    }
    for (ending <- Seq(".json", ".verdict", "0.id")) planted("41777") { (path, own) =>
      val file = inOwn(own, "log", ending)
      mode(file, "646")
      refusedThere(path, file.stripPrefix(path), "everybody")
    }
  }

  test("so does a statistics index of another, or one that others may write, also where there is no log", DailyTest) {
    assume(isSuperuser, "only the superuser can give files to others")
    inFolder { path =>
      events(100).repartition(2).write.parquet(path)
      mode(path, "41777")
      val own = new File(path, "_zorder").toPath
      analyze(path)
      val index = inOwn(own, "statistics", ".index")
      for ((broken, whole) <- Seq("666" -> "644", "664" -> "644")) {
        mode(index, broken)
        refusedThere(path, "/_zorder/statistics/", "may be written")
        mode(index, whole)
      }
      mode(s"$own/statistics", "1777")
      refusedThere(path, "/_zorder/statistics", "everybody")
      mode(s"$own/statistics", "755")
      Files.setAttribute(LocalPath.of(index), "unix:uid", nobody)
      refusedThere(path, "/_zorder/statistics/")
      Files.setAttribute(LocalPath.of(index), "unix:uid", 0)
      analyze(path)
      keepingRows(path)(optimize(path))
    }
  }

  test(
    "a folder in which others may delete files gets the bit: what is kept there counts when it is closed to them",
    DailyTest) {
    inFolder { path =>
      events(100).repartition(2).write.parquet(path)
      mode(path, "40777")
      optimize(path)
      mode(path, "41777")
      refused(s"OPTIMIZE parquet.`$path` ZORDER BY (a)", "ZORDER_NOT_TRUSTED", "42501", "path" -> "/_zorder")
      val found = Files.walk(new File(path, "_zorder").toPath).iterator.asScala.toSeq
      found.foreach(f => mode(f.toString, if (Files.isDirectory(f)) "755" else "644"))
      for (_ <- 0 until 2) keepingRows(path)(optimize(path, "ZORDER BY (b, a) OPTIONS (force = true)"))
    }
  }

  test("a log of the folder's owner counts, and so does any where others may delete files anyhow") {
    for (octal <- Seq("41777", "40777")) planted(octal) { (path, own) =>
      if (octal == "41777") Files.setAttribute(new File(path).toPath, "unix:uid", nobody)
      giveAll(own, nobody)
      assert(spark.read.parquet(path).count() == 0)
    }
  }

  test("what the superuser makes there belongs to no owner of some files in it", DailyTest) {
    for (octal <- Seq("41777", "40755")) planted(octal) { (path, own) =>
      org.apache.spark.network.util.JavaUtils.deleteRecursively(own.toFile)
      dataFiles(path).foreach(f => Files.setAttribute(f.toPath, "unix:uid", nobody))
      for (_ <- 0 until 2) keepingRows(path)(optimize(path))
    }
  }

  // One without a name, of whose groups nobody knows, and `nobody`, who is in no other group.
  private val (ours, theirs) = (54321, 65534)

  /**
   * A table whose folder has a mode, and whose partitions another has, with a log of one user that has the files of one
   * of these deleted.
   */
  private def plantedBelow(
      octal: String,
      ofPartitions: String,
      ofLog: Int = theirs)(body: (String, File) => Unit): Unit = {
    assume(isSuperuser, "only the superuser can give files to others")
    inFolder { path =>
      events(100).where("p < 2").repartition(1).write.partitionBy("p").parquet(path)
      val partitions = Seq(0, 1).map(p => new File(path, s"p=$p"))
      partitions.foreach(p => giveAll(p.toPath, ours))
      partitions.foreach(p => mode(p.getPath, ofPartitions))
      mode(path, octal)
      val folder = tableFolder(path)
      val files = dataFiles(path).filter(_.getPath.contains("p=1"))
      PlantedLog.deleting(folder, files.map(f => ListedFile(s"p=1/${f.getName}", f.length, f.lastModified)), "p=1")
      giveAll(new File(path, "_zorder").toPath, ofLog)
      body(path, partitions(1))
    }
  }

  test("without the sticky bit a log counts for no files that its owner could not delete", DailyTest) {
    for (octal <- Seq("40777", "40775", "42775")) plantedBelow(octal, "40755") { (path, partition) =>
      for (sql <- Seq(
          s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS",
          s"OPTIMIZE parquet.`$path` WHERE p = 0 ZORDER BY (a)",
          s"FSCK REPAIR TABLE parquet.`$path`"))
        refused(sql, "ZORDER_NOT_TRUSTED", "42501", "path" -> "/_zorder", "fault" -> "nobody", "folder" -> path)
      for (skipping <- Seq(true, false)) withSkipping(skipping)(assert(spark.read.parquet(path).count() == 50))
      assert(dataFiles(path).size == 2)
      // Each of these could.
      for ((octal, user) <- Seq("40755" -> ours, "40755" -> 0)) {
        mode(partition.getPath, octal)
        giveAll(new File(path, "_zorder").toPath, user)
        assert(spark.read.parquet(path).count() == 25)
      }
    }
  }

  test(
    "so does one of the files' owner that others may write, or in a folder below one that is closed to these",
    DailyTest) {
    plantedBelow("40777", "40755", ours) { (path, _) =>
      val entry = inOwn(new File(path, "_zorder").toPath, "log", ".json")
      for (kept <- Seq(s"$path/_zorder", s"$path/_zorder/log", s"$path/_zorder/log/0.id", entry)) {
        val isFolder = new File(kept).isDirectory
        mode(kept, if (isFolder) "40757" else "100646")
        assert(spark.read.parquet(path).count() == 50)
        mode(kept, if (isFolder) "40755" else "100644")
        assert(spark.read.parquet(path).count() == 25)
      }
      mode(s"$path/_zorder", "40757")
      refused(
        s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS",
        "ZORDER_NOT_TRUSTED",
        "42501",
        "fault" -> "everybody")
    }
    plantedBelow("40777", "41777")((path, _) => assert(spark.read.parquet(path).count() == 50))
  }

  test("one who shares all folders with those who may write into the table's is believed", DailyTest) {
    for ((octal, ofPartitions) <- Seq("40775" -> "40775", "42775" -> "42775", "40777" -> "40777"))
      plantedBelow(octal, ofPartitions) { (path, _) =>
        // A group in which they are; where folders give it to all that is made in them, it is no proof.
        giveAll(new File(path).toPath, nobody, "gid")
        mode(path, octal)
        Seq(0, 1).foreach(p => mode(s"$path/p=$p", ofPartitions))
        assert(spark.read.parquet(path).count() == 25)
        analyze(path)
        assert(dataFiles(path).size == 1)
      }
  }

  test("in a table open to all a log counts that only those may write who may delete there, as a group of their own") {
    val team = 54321
    def give(path: String, group: Int, octal: String) = Seq(0, 1).foreach { p =>
      giveAll(new File(path, s"p=$p").toPath, group, "gid")
      mode(s"$path/p=$p", octal)
    }
    for (ofPartitions <- Seq("40775", "42775", "40770")) plantedBelow("40777", ofPartitions, ours) { (path, _) =>
      val own = new File(path, "_zorder").toPath
      giveAll(own, team, "gid")
      mode(own.toString, "40775")
      give(path, team + 1, ofPartitions)
      assert(spark.read.parquet(path).count() == 50)
      give(path, team, ofPartitions)
      assert(spark.read.parquet(path).count() == 25)
      org.apache.spark.network.util.JavaUtils.deleteRecursively(own.toFile)
      analyze(path)
      for (_ <- 0 until 2) optimize(path, "ZORDER BY (a) OPTIONS (force = 'true')")
      assert(spark.read.parquet(path).count() == 50)
    }
  }

  test("that a folder gives its group to all that is made in it does not make anybody one of that group") {
    plantedBelow("42775", "42775") { (path, _) =>
      assert(spark.read.parquet(path).count() == 50)
      refused(
        s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS",
        "ZORDER_NOT_TRUSTED",
        "42501",
        "path" -> "/_zorder")
      assert(dataFiles(path).size == 2)
    }
  }

  test(
    "a damaged log that somebody made up has no file taken out of a folder that is closed to them, and none deleted") {
    plantedBelow("40777", "40755") { (path, partition) =>
      val own = new File(path, "_zorder").toPath
      org.apache.spark.network.util.JavaUtils.deleteRecursively(own.toFile)
      val file = dataFiles(path).find(_.getParentFile == partition).get
      val job = file.getName.stripPrefix("part-00000-").take(36)
      val (log, number) = (java.util.UUID.randomUUID.toString, "00000000000000000001")
      val place = own.resolve(s"set-aside/1.$job/${partition.getName}")
      Seq(own.resolve("log"), place).foreach(Files.createDirectories(_))
      Files.writeString(own.resolve("log/0.id"), log)
      Files.writeString(own.resolve(s"log/$number.$log.json"), "garbage")
      Files.writeString(own.resolve(s"log/$number.$log.$job.verdict"), """{"moved":[]}""")
      Files.write(place.resolve(KeptName.nameFor(file.getName)), new Array[Byte](file.length.toInt))
      giveAll(own, theirs)
      for (sql <- Seq(s"FSCK REPAIR TABLE parquet.`$path` DRY RUN", s"FSCK REPAIR TABLE parquet.`$path`"))
        refused(sql, "ZORDER_NOT_TRUSTED", "42501", "path" -> "/_zorder", "fault" -> "nobody", "folder" -> path)
      org.apache.spark.network.util.JavaUtils.deleteRecursively(own.toFile)
      assert(dataFiles(path).size == 2 && spark.read.parquet(path).count() == 50)
    }
  }

  test("what lies in the place to which a file is to go is none of its copies, and the file stays") {
    inFolder { path =>
      events(100).repartition(1).write.parquet(path)
      val folder = new TableFolder(new Path(path), spark.sessionState.newHadoopConf())
      val file = dataFiles(path).head
      val listed = ListedFile(file.getName, file.length, file.lastModified)
      val to = new Path(folder.setAside, s"1.x/${file.getName}.replaced")
      new File(to.getParent.toUri).mkdirs()
      Files.write(new File(to.toUri).toPath, new Array[Byte](file.length.toInt))
      val identity = folder.identities(Seq(file.getName)).get(file.getName)
      assert(!folder.moveUnchanged(listed, identity, isDue = true, to) && file.exists)
      assert(!folder.renameUnchanged(listed, identity, to) && file.exists)
      assert(spark.read.parquet(path).count() == 100)
    }
  }

  test("a document of kept files that somebody made up has nothing restored") {
    inFolder { path =>
      assume(isSuperuser, "only the superuser can give files to others")
      events(100).where("p < 2").repartition(1).write.partitionBy("p").parquet(path)
      optimize(path, "ZORDER BY (a) OPTIONS (target_file_size = '8k', keep_old = '1h')")
      val number = spark.sql(s"DESCRIBE REWRITES parquet.`$path`").collect().map(_.getAs[Long]("rewrite")).max
      mode(path, "40777")
      val document = inOwn(new File(path, "_zorder").toPath, "replaced", ".json")
      Files.setAttribute(LocalPath.of(document), "unix:uid", theirs)
      val before = dataFiles(path).map(_.getName).toSet
      refused(
        s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE $number",
        "ZORDER_NOT_TRUSTED",
        "42501",
        "path" -> "/_zorder/replaced",
        "fault" -> "nobody")
      assert(dataFiles(path).map(_.getName).toSet == before)
    }
  }

  test(
    "where others were many until the folder was closed, what they wrote there counts no more, nor what they may write") {
    planted("40755") { (path, own) =>
      assert(spark.read.parquet(path).count() == 0)
      val log = s"$own/log"
      for (octal <- Seq("777", "775")) {
        mode(log, octal)
        refusedThere(path, "/_zorder/log", "may be written")
      }
      mode(log, "755")
      giveAll(new File(log).toPath, nobody)
      refusedThere(path, "/_zorder/log")
      org.apache.spark.network.util.JavaUtils.deleteRecursively(own.toFile)
      keepingRows(path)(optimize(path))
    }
    planted("40775") { (path, own) =>
      mode(s"$own/log", "777")
      refusedThere(path, "/_zorder/log", "may be written by everybody")
      mode(s"$own/log", "775")
      assert(spark.read.parquet(path).count() == 0)
      // Of another group, which its owner is in, and not in that of the folder.
      val found = Files.walk(own)
      try found.iterator.asScala.foreach { f =>
          Files.setAttribute(f, "unix:uid", nobody)
          Files.setAttribute(f, "unix:gid", nobody)
          Files.setAttribute(f, "unix:mode", Integer.parseInt(if (Files.isDirectory(f)) "755" else "644", 8))
        }
      finally found.close()
      refusedThere(path, "/_zorder")
    }
  }

  test("a rewrite of a store that was copied to a disk with its log is over, although its uploads cannot be completed") {
    inFolder { path =>
      events(100).repartition(2).write.parquet(path)
      PlantedLog.uploading(tableFolder(path), "of a store")
      keepingRows(path)(optimize(path))
      assert(new File(path, "_zorder/log").listFiles.count(_.getName.endsWith(".closed")) == 2)
    }
  }

  test(
    "a group whose right to write is an access control list's mask alone is believed in nothing, and may write nothing") {
    planted("40775") { (path, own) =>
      def setList(of: String, entries: String*) = {
        assume(Try((Seq("setfacl") ++ entries :+ of).!).toOption.contains(0), "no access control lists here")
        // What was read of the list a moment ago counts.
        Thread.sleep(250)
      }
      Seq(own.toString, s"$own/log").foreach(mode(_, "775"))
      assert(spark.read.parquet(path).count() == 0)
      setList(path, "-m", s"u:$nobody:rwx,g::r-x")
      refusedThere(path, "/_zorder", "may be written by its group")
      org.apache.spark.network.util.JavaUtils.deleteRecursively(own.toFile)
      dataFiles(path).foreach(f => mode(f.getPath, "664"))
      keepingRows(path)(optimize(path))
      val found = Files.walk(own)
      val modes =
        try found.iterator.asScala.map(Files.getAttribute(_, "unix:mode").asInstanceOf[Int]).toList
        finally found.close()
      assert(modes.forall(m => (m & Integer.parseInt("022", 8)) == 0))
      // What is made there has the list of the folder, whose mask lets the named user write.
      org.apache.spark.network.util.JavaUtils.deleteRecursively(own.toFile)
      setList(path, "-m", s"d:u:$nobody:rwx,d:g::r-x")
      analyze(path)
      assert((Files.getAttribute(own, "unix:mode").asInstanceOf[Int] & Integer.parseInt("020", 8)) != 0)
    }
  }

  test("a rewrite of the superuser leaves a table to its owner, in which the superuser has written a file") {
    assume(isSuperuser, "only the superuser can give files to others")
    for ((ofFolder, ofFiles) <- Seq("700" -> "600", "755" -> "644")) inFolder { path =>
      events(100).repartition(2).write.parquet(path)
      val rest = "ZORDER BY (a) OPTIONS (target_file_size = '4k', keep_old = '1h', force = true)"
      giveAll(new File(path).toPath, ours)
      mode(path, ofFolder)
      dataFiles(path).foreach(f => mode(f.getPath, ofFiles))
      events(10, 100).repartition(1).write.mode("append").parquet(path)
      for (_ <- 0 until 2) {
        keepingRows(path)(optimize(path, rest))
        analyze(path)
        val found = Files.walk(new File(path, "_zorder").toPath)
        val owners =
          try found.iterator.asScala.filterNot(_.toString.contains("/replaced/1."))
              .map(f => f -> Files.getAttribute(f, "unix:uid")).filter(_._2 != ours).toList
          finally found.close()
        assert(owners.isEmpty && dataFiles(path).forall(f => Files.getAttribute(f.toPath, "unix:uid") == ours))
      }
    }
  }

  test("a rewrite of the superuser closes no rows to one of several owners") {
    assume(isSuperuser, "only the superuser can give files to others")
    inFolder { path =>
      events(100).repartition(2).write.parquet(path)
      val Seq(one, other) = dataFiles(path)
      Seq(one -> ours, other -> theirs).foreach { case (file, owner) =>
        giveAll(file.toPath, owner)
        mode(file.getPath, "600")
      }
      val rest = "ZORDER BY (a) OPTIONS (force = true)"
      refused(s"OPTIMIZE parquet.`$path` $rest", "ZORDER_ACCESS_DENIED", "42501", "reason" -> "closed to")
      assert(dataFiles(path).toSet === Set(one, other))
      Seq(one, other).foreach(file => mode(file.getPath, "644"))
      keepingRows(path)(optimize(path, rest): Unit)
      assert(!one.exists)
    }
  }

  test("an index that the superuser has made is given to whom the table's folder is given") {
    assume(isSuperuser, "only the superuser can give files to others")
    inFolder { path =>
      events(100).repartition(2).write.parquet(path)
      dataFiles(path).foreach { f =>
        giveAll(f.toPath, ours)
        mode(f.getPath, "600")
      }
      events(10, 100).repartition(1).write.mode("append").parquet(path)
      mode(path, "755")
      def owner(file: File) = Files.getAttribute(file.toPath, "unix:uid")
      val statistics = new File(path, "_zorder/statistics")
      def owners = (statistics +: statistics.listFiles.toSeq).map(owner).toSet
      analyze(path)
      assert(owners === Set(0))
      Files.setAttribute(new File(path).toPath, "unix:uid", ours)
      analyze(path)
      assert(owners === Set(ours))
      val now = statistics.list.toSet
      analyze(path)
      assert(statistics.list.toSet === now)
    }
  }

  test("a process warns again when what was mended is wrong once more, and of each fault") {
    planted("40755") { (path, own) =>
      def warnings(octal: String) = {
        mode(own.toString, octal)
        warningsOf(spark.read.parquet(path).count()).filter(_.contains("ZORDER_NOT_TRUSTED"))
      }
      assert(warnings("775").exists(_.contains("by its group")) && warnings("775").isEmpty)
      assert(warnings("777").exists(_.contains("by everybody")))
      assert(warnings("755").isEmpty && warnings("775").nonEmpty)
    }
  }

  test("a folder that is named as if it were a file stays, with all that is in it") {
    for (keptUntil <- Seq(0L, 1L)) plantedBelow("40777", "40755") { (path, partition) =>
      org.apache.spark.network.util.JavaUtils.deleteRecursively(new File(path, "_zorder"))
      val folder = tableFolder(path)
      val status = folder.status(new Path(partition.getPath)).get
      val named = ListedFile(partition.getName, status.getLen, status.getModificationTime)
      PlantedLog.deleting(folder, Seq(named), keptUntil = keptUntil)
      analyze(path)
      assert(spark.read.parquet(path).count() == 50 && partition.exists)
    }
  }

  test(
    "statements of the superuser are done in a folder that is open to all, and others write nothing that is kept",
    DailyTest) {
    plantedBelow("40777", "40755") { (path, partition) =>
      org.apache.spark.network.util.JavaUtils.deleteRecursively(new File(path, "_zorder"))
      for (_ <- 0 until 2) keepingRows(path)(optimize(path, "ZORDER BY (a) OPTIONS (force = true, keep_old = '1 day')"))
      val found = Files.walk(new File(path, "_zorder").toPath).iterator.asScala.toSeq
      assert(found.filter(f => (Files.getAttribute(f, "unix:mode").asInstanceOf[Int] & 18) != 0).isEmpty)
      // Of an owner who could not write there.
      Files.setAttribute(partition.toPath, "unix:uid", 1002)
      giveAll(new File(path, "_zorder").toPath, ours)
      val before = dataFiles(path).toSet
      val again = s"OPTIMIZE parquet.`$path` WHERE p = 1 ZORDER BY (a, b) OPTIONS (force = true)"
      refused(again, "ZORDER_NOT_TRUSTED", "42501", "folder" -> path)
      assert(dataFiles(path).toSet == before)
    }
  }

  test("a folder that is reached by a link is its owner's, not the link's") {
    planted("41777") { (path, own) =>
      val link = LocalPath.of(s"$path-link")
      Files.createSymbolicLink(link, LocalPath.of(path))
      Files.setAttribute(LocalPath.of(path), "unix:uid", ours)
      def isOf(user: Int) = {
        Files.setAttribute(link, "unix:uid", user, java.nio.file.LinkOption.NOFOLLOW_LINKS)
        spark.read.parquet(link.toString).count()
      }
      giveAll(own, theirs)
      assert(isOf(theirs) == 100 && isOf(ours) == 100)
      val analyze = s"ANALYZE TABLE parquet.`$link` COMPUTE FILE STATISTICS"
      refused(analyze, "ZORDER_NOT_TRUSTED", "42501", "path" -> "/_zorder")
      assert(dataFiles(path).size == 2)
      giveAll(own, ours)
      assert(isOf(theirs) == 0 && isOf(ours) == 0)
    }
  }

  /** Ends within a minute; the error, if any. */
  private def ended(words: String): Option[Throwable] =
    Await.result(Future(Try(spark.sql(words).collect()))(ExecutionContext.global), 1.minute).failed.toOption

  test("a pipe by the name of one of the own folders, or of the sums of a kept file, is not waited for") {
    inFolder { path =>
      events(1000).repartition(8).write.parquet(path)
      optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '8k', keep_old = '1h')")
      val (own, table) = (new File(path, "_zorder"), s"parquet.`$path`")
      def below(f: File): Seq[File] = Option(f.listFiles).fold(Seq(f))(_.toSeq.flatMap(below))
      val sums = below(new File(own, "replaced")).find(_.getName.endsWith(".crc")).get
      sums.delete()
      assert(Seq("mkfifo", sums.getPath).! == 0)
      val number = spark.sql(s"DESCRIBE REWRITES $table").head().getAs[Long]("rewrite")
      assert(ended(s"RESTORE TABLE $table TO BEFORE REWRITE $number").isDefined)
      sums.delete()
      assert(spark.read.parquet(path).count() == 1000)
      for (name <- Seq("log", "statistics", "staging", "replaced")) {
        val (folder, aside) = (new File(own, name), new File(path, s"_aside-$name"))
        if (folder.exists) Files.move(folder.toPath, aside.toPath)
        assert(Seq("mkfifo", folder.getPath).! == 0)
        for (words <- Seq("SELECT count(*) FROM", "ANALYZE TABLE", "FSCK REPAIR TABLE"))
          ended(s"$words $table" + (if (words.startsWith("ANALYZE")) " COMPUTE FILE STATISTICS" else ""))
        folder.delete()
        if (aside.exists) Files.move(aside.toPath, folder.toPath)
      }
      assert(spark.read.parquet(path).count() == 1000)
    }
  }

  test("a pipe by the name of a document of the log is an error, not a wait without end") {
    inFolder { path =>
      events(1000).repartition(8).write.parquet(path)
      optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '8k')")
      val documents = new File(path, "_zorder/log").listFiles.filterNot(_.getName.startsWith(".")).toSeq
      assert(documents.size > 2, documents)
      val table = s"parquet.`$path`"
      for (document <- documents) {
        val content = Files.readAllBytes(document.toPath)
        document.delete()
        assert(Seq("mkfifo", document.getPath).! == 0)
        val statements = Seq(s"SELECT count(*) FROM $table", s"ANALYZE TABLE $table COMPUTE FILE STATISTICS")
        for (words <- statements)
          assert(ended(words).forall(_.asInstanceOf[SparkThrowable].getCondition == "ZORDER_NO_READ_PERMISSION"))
        document.delete()
        Files.write(document.toPath, content)
      }
      assert(spark.read.parquet(path).count() == 1000)
    }
  }
}
