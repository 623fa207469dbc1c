// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.File
import java.nio.file.{Files, Path, StandardCopyOption}
import java.nio.file.attribute.{PosixFileAttributes, PosixFilePermission, PosixFilePermissions}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicBoolean

import scala.jdk.CollectionConverters._
import scala.sys.process.stringSeqToProcess
import scala.util.Try

import io.sparkzorder.{DailyTest, QuickLocalFileSystem}
import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.access.{Access, LocalAccess, NewAccess}
import io.sparkzorder.format.parquet.folder.opened.KnownFiles
import io.sparkzorder.format.parquet.index.StatisticsFileIO
import io.sparkzorder.format.parquet.listing.FolderGroups

import org.apache.hadoop.fs.{FSDataOutputStream, FileStatus, LocalFileSystem, Path => HadoopPath}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** What is kept of a table, and its new files, are no more open than its most private data file. */
class PrivacySuite extends FileModes {

  /** Whether others may read a file, and enter all folders from the table's own to it. */
  private def isReadByOthers(path: String, file: Path): Boolean = {
    val folders = Iterator.iterate(file.getParent)(_.getParent).takeWhile(_.startsWith(path))
    permissions(file)(PosixFilePermission.OTHERS_READ) &&
    folders.forall(permissions(_)(PosixFilePermission.OTHERS_EXECUTE))
  }

  private def readByOthers(path: String, folder: String): Seq[Path] =
    below(s"$path/_zorder/$folder").filter(f => Files.isRegularFile(f) && isReadByOthers(path, f))

  /** Another name outside the table, as a backup by `cp -al` has it. */
  private def link(path: String, file: Path): Unit =
    Files.createLink(Path.of(s"$path.${file.getFileName}"), file): Unit

  test("in an open folder of private files everything stays private, the sums beside files, too", DailyTest) {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-------")
      analyze(path)
      assert(own(path).exists(_.toString.contains("/statistics/v2-")) && own(path).forall(isOfOwnerOnly))
      optimize(path, rewrite)
      val files = below(path).filter(Files.isRegularFile(_)).filterNot(_.getFileName.toString.contains("_SUCCESS"))
      assert(files.exists(_.toString.endsWith(".parquet.crc")))
      assert(files.filterNot(isOfOwnerOnly).isEmpty)
      assert(own(path).filterNot(isOfOwnerOnly).isEmpty)
    }
  }

  test("one private file among open ones makes what is kept of the table private, and new files where it lay") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      set(dataFiles(path).filter(_.getPath.contains("/p=1/")).head.toPath, "rw-r-----")
      optimize(path, rewrite)
      val (there, elsewhere) = dataFiles(path).partition(_.getPath.contains("/p=1/"))
      assert(there.map(f => PosixFilePermissions.toString(permissions(f.toPath).asJava)).toSet == Set("rw-r-----"))
      assert(elsewhere.map(f => PosixFilePermissions.toString(permissions(f.toPath).asJava)).toSet == Set("rw-r--r--"))
      assert(own(path).filter(f => permissions(f).exists(_.name.startsWith("OTHERS_"))).isEmpty)
    }
  }

  test("files that a waiting statement creates and deletes concurrently fail no statement") {
    inFolder { path =>
      writeData(path)
      val folder = tableFolder(path)
      folder.make(folder.locks)
      val waiting = new AtomicBoolean(true)
      val other = new Thread(() =>
        while (waiting.get) (0 until 20).map(n => new HadoopPath(folder.locks, s".clock-$n")).foreach { probe =>
          folder.write(probe, Array.emptyByteArray)
          folder.delete(probe)
        })
      other.start()
      try (0 until 300).foreach(_ => folder.protectOwn())
      finally {
        waiting.set(false)
        other.join()
      }
    }
  }

  test("files are as private as the folder that they lie in") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      set(new File(path, "p=1").toPath, "rwx------")
      optimize(path, rewrite)
      assert(own(path).filterNot(isOfOwnerOnly).isEmpty)
    }
  }

  test("rows of a closed folder below a partition's stay in it", DailyTest) {
    inFolder { path =>
      writeData(path)
      events(900, 900).where("p = 1").drop("p").repartition(2).write.parquet(s"$path/p=1/closed")
      setData(path, "rw-r--r--")
      set(new File(path, "p=1/closed").toPath, "rwx------")
      optimize(path, rewrite)
      val (there, elsewhere) = dataFiles(path).map(_.toPath).partition(_.toString.contains("/p=1/closed/"))
      assert(there.nonEmpty && isOfOwnerOnly(new File(path, "p=1/closed").toPath))
      assert(elsewhere.nonEmpty && elsewhere.forall(f => permissions(f)(PosixFilePermission.OTHERS_READ)))
      assert(spark.read.parquet(elsewhere.map(_.toString): _*).where("id >= 900").isEmpty)
    }
  }

  test("a new folder is never more open than the data, whatever the umask of the process", DailyTest) {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-------")
      val looks = Seq("fs.file.impl" -> classOf[LookingFiles].getName, "fs.file.impl.disable.cache" -> "true")
      LookingFiles.open.clear()
      withSQLConf(looks: _*)(optimize(path, rewrite.dropRight(1) + ", keep_old = '7 days')"))
      withSQLConf(looks: _*)(spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1").collect())
      assert(LookingFiles.folders.exists(_.contains("/staging/")) && LookingFiles.open.isEmpty, LookingFiles.open)
    }
  }

  test("where others may add files but touch none of another's, they write nothing that is kept of the table") {
    inFolder { path =>
      writeData(path)
      Files.setAttribute(Path.of(path), "unix:mode", Integer.parseInt("1777", 8))
      optimize(path, rewrite)
      val written = Set(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE)
      assert(own(path).exists(_.toString.endsWith(".json")))
      assert(own(path).filter(permissions(_).exists(written)).isEmpty)
    }
  }

  test("what an earlier statement left open is closed, and opened again with the data", DailyTest) {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      optimize(path, rewrite)
      assert(own(path).forall(f => permissions(f)(PosixFilePermission.OTHERS_READ)))
      setData(path, "rw-------")
      analyze(path)
      assert(own(path).filterNot(isOfOwnerOnly).isEmpty)
      setData(path, "rw-r--r--")
      analyze(path)
      // Of these the names alone count.
      val (named, read) = own(path).partition(_.toString.endsWith(".closed"))
      assert(named.nonEmpty && read.forall(f => permissions(f)(PosixFilePermission.OTHERS_READ)))
    }
  }

  test("a private folder that somebody has given the name of an own one is opened to nobody, whatever is in it") {
    def make(folder: Path, files: Seq[String]): Unit = {
      files.foreach { file =>
        Files.createDirectories(folder.resolve(file).getParent)
        Files.writeString(folder.resolve(file), "theirs")
      }
      Files.createDirectories(folder)
      set(folder, "rwx------")
    }
    val log = "9b0b2d3c-5b5e-4c0f-9d5e-0f4f4e3b7a11"
    val inOwn =
      Seq(Seq("log/rows.parquet"), Seq("runs/1"), Seq("statistics/rows", "replaced/1.a/rows"), Seq("staging/f"))
    for ((name, files) <- inOwn.map("" -> _) :+ ("log" -> Seq("0.id", s"${"0" * 19}1.$log.json"));
      isOwn <- Seq(false, true))
      inFolder { path =>
        writeData(path)
        setData(path, "rw-r--r--")
        val folder = Path.of(s"$path/_zorder/$name")
        if (isOwn) {
          optimize(path, rewrite)
          JavaUtils.deleteRecursively(folder.toFile)
        }
        val theirs = Path.of(s"$path/_theirs")
        make(theirs, files)
        Files.createDirectories(folder.getParent)
        Files.move(theirs, folder)
        Try(analyze(path))
        assert(isOfOwnerOnly(folder), s"$name $files")
      }
  }

  test("the _zorder of another private table, and a copy of it, is opened to nobody") {
    for (isMoved <- Seq(false, true)) withTempDir { dir =>
      val Seq(one, other) = Seq("one", "other").map(name => s"$dir/$name")
      Seq(one, other).foreach(writeData)
      setData(one, "rw-------")
      optimize(one, rewrite.dropRight(1) + ", keep_old = '7 days')")
      setData(other, "rw-r--r--")
      if (isMoved) Files.move(Path.of(s"$one/_zorder"), Path.of(s"$other/_zorder"))
      else assert(Seq("cp", "-a", s"$one/_zorder", s"$other/_zorder").! === 0)
      tableFolder(other).protectOwn()
      assert(isOfOwnerOnly(Path.of(s"$other/_zorder")) && isOfOwnerOnly(Path.of(s"$other/_zorder/log")))
    }
  }

  test("own folders that were closed open again, whatever has been made in them since") {
    for (closed <- Seq(Seq(""), Seq("log", "replaced"), Seq("", "log"))) inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      optimize(path, rewrite.dropRight(1) + ", keep_old = '7 days')")
      Files.writeString(Path.of(s"$path/_zorder/.DS_Store"), "names")
      closed.foreach(name => set(Path.of(s"$path/_zorder/$name"), "rwx------"))
      analyze(path)
      val folders = Seq("", "log", "replaced", "statistics").map(name => Path.of(s"$path/_zorder/$name"))
      val documents = below(s"$path/_zorder/log").filter(_.toString.matches(".*(id|json|verdict|closed)"))
      assert(documents.size > 3)
      assert((folders ++ documents).filterNot(permissions(_)(PosixFilePermission.OTHERS_READ)).isEmpty)
      assert(below(s"$path/_zorder/statistics").exists(permissions(_)(PosixFilePermission.OTHERS_READ)))
      spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1").collect()
    }
  }

  test("an empty folder by such a name is deleted, and a new one is made") {
    for (name <- Seq("", "log", "staging", "locks")) inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      val theirs = Path.of(s"$path/_zorder/$name")
      Files.createDirectories(theirs)
      set(theirs, "rwx------")
      theirs.toFile.setLastModified(0)
      tableFolder(path).make(new HadoopPath(theirs.toUri))
      assert(!isOfOwnerOnly(theirs) && theirs.toFile.lastModified > 0)
      optimize(path, rewrite)
      assert(own(path).filter(Files.isDirectory(_)).forall(f => permissions(f)(PosixFilePermission.OTHERS_READ)))
    }
  }

  test("a private file that somebody has given the name of a document is opened to nobody, whatever its form") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-------")
      optimize(path, rewrite.dropRight(1) + ", keep_old = '7 days')")
      setData(path, "rw-r--r--")
      val log = Files.readString(Path.of(s"$path/_zorder/log/0.id"))
      val other = "9b0b2d3c-5b5e-4c0f-9d5e-0f4f4e3b7a11"
      val number = "0" * 18 + "99"
      val contents = Seq(other, "1234", "", "{\"version\":1,\"entry\":\"theirs\"}", "{\"moved\":\"theirs\"}") ++
        Seq("{\"moved\":[\"theirs\"]}", "{\"version\":1,\"rewrite\":{\"id\":\"theirs\"}}")
      val names = Seq("x", s"$log.json", s"$log.$other.verdict", s"$log.$other.closed").map(n => s"log/$number.$n") ++
        Seq("replaced/99.abc.json", "runs/77", s".draft-$other", s"locks/.$other.renewed")
      for (content <- contents; name <- names) {
        val file = Path.of(s"$path/_zorder/$name")
        Files.createDirectories(file.getParent)
        Files.writeString(file, content)
        set(file, "rw-------")
        tableFolder(path).protectOwn()
        assert(Files.notExists(file) || isOfOwnerOnly(file), s"$name $content")
        Files.deleteIfExists(file)
      }
      val document = Path.of(s"$path/_zorder/log/0.id")
      assert(!isOfOwnerOnly(document))
      Files.writeString(document, other)
      set(document, "rw-------")
      tableFolder(path).protectOwn()
      assert(isOfOwnerOnly(document))
    }
  }

  test(
    "folders of files that are kept are closed with the data and not opened, the files stay as they were",
    DailyTest) {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-------")
      optimize(path, rewrite.dropRight(1) + ", keep_old = '7 days')")
      def kept = below(s"$path/_zorder/replaced").partition(f => f.getFileName.toString.endsWith(".replaced"))
      assert(kept._1.nonEmpty && own(path).forall(isOfOwnerOnly))
      setData(path, "rw-r--r--")
      analyze(path)
      assert(kept._1.forall(isOfOwnerOnly))
      val (folders, others) = kept._2.filter(Files.isDirectory(_)).partition(!_.endsWith("replaced"))
      assert(folders.size > 2 && folders.forall(isOfOwnerOnly))
      assert(others.nonEmpty && others.forall(f => permissions(f)(PosixFilePermission.OTHERS_READ)))
      spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1").collect()
    }
  }

  test("kept files of a folder that was closed stay closed when that folder is gone", DailyTest) {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      set(new File(path, "p=1").toPath, "rwx------")
      optimize(path, rewrite.dropRight(1) + ", keep_old = '7 days')")
      JavaUtils.deleteRecursively(new File(path, "p=1"))
      analyze(path)
      val kept = below(s"$path/_zorder/replaced").filter(f => f.getParent.getFileName.toString.startsWith("p="))
      val (closed, open) = kept.partition(_.getParent.endsWith("p=1"))
      assert(closed.size >= 2 && closed.forall(isOfOwnerOnly))
      assert(open.nonEmpty && open.forall(f => permissions(f)(PosixFilePermission.OTHERS_READ)))
    }
  }

  test(
    "so do those that have other names elsewhere, also where the folder is closed after the statement began",
    DailyTest) {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      val closed = new File(path, "p=1").toPath
      dataFiles(path).filter(_.getPath.contains("/p=1/")).foreach(f => link(path, f.toPath))
      set(closed, "rwx------")
      optimize(path, rewrite.dropRight(1) + ", keep_old = '7 days')")
      JavaUtils.deleteRecursively(closed.toFile)
      analyze(path)
      val kept = below(s"$path/_zorder/replaced").filter(_.getParent.endsWith("p=1"))
      assert(kept.exists(permissions(_)(PosixFilePermission.OTHERS_READ)))
      assert(!readByOthers(path, "replaced").exists(_.toString.endsWith(".replaced")))
    }
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      val folder = tableFolder(path)
      folder.make(folder.replaced)
      val file = dataFiles(path).filter(_.getPath.contains("/p=1/")).head
      link(path, file.toPath)
      set(file.toPath.getParent, "rwx------")
      val to = new HadoopPath(folder.replaced, s"1.a/p=1/${file.getName}")
      val listed = ListedFile(s"p=1/${file.getName}", file.length, file.lastModified)
      assert(folder.moveUnchanged(listed, None, isDue = true, to))
      assert(permissions(Path.of(to.toUri.getPath))(PosixFilePermission.OTHERS_READ))
      assert(readByOthers(path, "replaced").isEmpty)
    }
  }

  private val withoutNewIndex = Seq(
    "VACUUM parquet.`%s` REPLACED FILES",
    "FSCK REPAIR TABLE parquet.`%s`",
    "OPTIMIZE parquet.`%s` WHERE p = 7 ZORDER BY (a, b)")

  test("the statistics index of private files that are gone is opened by no statement, but written anew", DailyTest) {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      dataFiles(path).filter(_.getPath.contains("/p=1/")).foreach(f => set(f.toPath, "rw-------"))
      optimize(path, rewrite)
      JavaUtils.deleteRecursively(new File(path, "p=1"))
      for (statement <- withoutNewIndex) {
        spark.sql(statement.format(path)).collect()
        assert(readByOthers(path, "log").nonEmpty && readByOthers(path, "statistics").isEmpty, statement)
      }
      analyze(path)
      assert(readByOthers(path, "statistics").nonEmpty)
      val files = spark.read.parquet(s"$path/_zorder/statistics").select("file").collect().map(_.getString(0))
      assert(files.nonEmpty && files.forall(_.startsWith("p=0/")))
    }
  }

  test("so is one that has other names elsewhere", DailyTest) {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      optimize(path, rewrite)
      val index = readByOthers(path, "statistics").find(_.toString.endsWith(".index")).get
      link(path, index)
      set(new File(path, "p=1").toPath, "rwx------")
      for (statement <- withoutNewIndex) spark.sql(statement.format(path)).collect()
      assert(readByOthers(path, "statistics").isEmpty)
      JavaUtils.deleteRecursively(new File(path, "p=1"))
      for (statement <- withoutNewIndex) spark.sql(statement.format(path)).collect()
      assert(permissions(index)(PosixFilePermission.OTHERS_READ) && readByOthers(path, "statistics").isEmpty)
      analyze(path)
      assert(readByOthers(path, "statistics").nonEmpty && !Files.exists(index))
    }
  }

  private def atDrafts(body: Path => Unit)(statement: => Unit): Unit = {
    DraftFiles.atDraft = body
    try withSQLConf("fs.file.impl" -> classOf[DraftFiles].getName, "fs.file.impl.disable.cache" -> "true")(statement)
    finally DraftFiles.atDraft = _ => ()
  }

  test("nobody else may read a statistics index while it is written, however long that takes") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      var drafts = 0
      atDrafts { draft =>
        drafts += 1
        assert(permissions(draft)(PosixFilePermission.OTHERS_READ) && isOfOwnerOnly(draft.getParent))
      }(analyze(path))
      assert(drafts > 0 && readByOthers(path, "statistics").nonEmpty)
    }
  }

  test("bounds of a private file that goes while they are written are for nobody else") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      dataFiles(path).filter(_.getPath.contains("/p=1/")).foreach(f => set(f.toPath, "rw-------"))
      atDrafts(_ => JavaUtils.deleteRecursively(new File(path, "p=1")))(analyze(path))
      val files = spark.read.parquet(s"$path/_zorder/statistics").select("file").collect().map(_.getString(0))
      assert(files.exists(_.startsWith("p=1/")) && readByOthers(path, "statistics").isEmpty)
      analyze(path)
      assert(readByOthers(path, "statistics").nonEmpty)
    }
  }

  test("drafts that others have left go; a process that slept over its own ends, and leaves the index as it is") {
    inFolder { path =>
      writeData(path)
      analyze(path)
      def names = below(s"$path/_zorder/statistics").map(_.getFileName.toString).toSet
      val before = names
      // As older builds left it.
      val left = Path.of(s"$path/_zorder/statistics/.v2-00000002-a.parquet.draft")
      Files.write(left, Array[Byte](1))
      events(100).where("p = 0").drop("p").coalesce(1).write.mode("append").parquet(s"$path/p=0")
      var mine = Option.empty[Path]
      atDrafts { draft =>
        mine = Some(draft.getParent)
        JavaUtils.deleteRecursively(draft.getParent.toFile)
      }(refused(
        s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS",
        "ZORDER_REWRITE_OVERTAKEN",
        "40001",
        "folder" -> path))
      assert(mine.isDefined && names == before + left.getFileName.toString)
      Files.createDirectories(mine.get)
      analyze(path)
      assert(names.size == before.size && names != before && Files.notExists(left) && Files.notExists(mine.get))
    }
  }

  test("a file is opened that was judged, and none that has its name by then, nor one with other names") {
    inFolder { path =>
      writeData(path)
      val files = tableFolder(path).files
      val document = Path.of(s"$path/_zorder/log/0.id")
      val theirs = Path.of(s"$path/_theirs")
      def place = new HadoopPath(document.toUri)
      def write(file: Path): Unit = {
        Files.createDirectories(file.getParent)
        Files.writeString(file, "a")
        set(file, "rw-------")
      }
      val open = LocalAccess.of(dataFiles(path).head.toPath).copy(permission =
        new FsPermission(Integer.parseInt("644", 8).toShort))
      def opens(exchange: => Unit) = files.isOpened(place, open) { content =>
        exchange
        content.sameElements("a".getBytes)
      }
      write(document)
      assert(opens(()) && !isOfOwnerOnly(document))
      Seq(document, theirs).foreach(write)
      opens(Files.move(theirs, document, StandardCopyOption.REPLACE_EXISTING): Unit)
      assert(isOfOwnerOnly(document))
      Files.createLink(theirs, document)
      assert(opens(()) && isOfOwnerOnly(document))
    }
  }

  test("what goes beyond an access is taken from a file, and its group and owner stay") {
    inFolder { path =>
      writeData(path)
      val file = dataFiles(path).head.toPath
      set(file, "rw-rw-r--")
      val isOther = Try(Files.setAttribute(file, "unix:gid", 54321)).isSuccess
      tableFolder(path).narrow(new HadoopPath(file.toUri), Access.ofMe)
      assert(isOfOwnerOnly(file) && (!isOther || Files.getAttribute(file, "unix:gid") == 54321))
    }
  }

  test("a folder is given an access where it is new, and not where somebody has given the name to another") {
    inFolder { path =>
      writeData(path)
      val (partition, data) = (Path.of(s"$path/p=1"), tableFolder(path))
      set(partition, "rwx------")
      val open = LocalAccess.of(Path.of(path)).copy(permission = new FsPermission(Integer.parseInt("755", 8).toShort))
      data.files.makeFolder(new HadoopPath(s"$path/p=1"), open)
      assert(isOfOwnerOnly(partition))
      data.files.makeFolder(new HadoopPath(s"$path/p=9"), open)
      assert(!isOfOwnerOnly(Path.of(s"$path/p=9")))
    }
  }

  test("no other file is opened that somebody has put in the place of a staged one, or of its sums") {
    inFolder { path =>
      events(10).write.parquet(path)
      val (folder, aside) = (tableFolder(path), new File(path, "_aside").toPath)
      val in = new HadoopPath(folder.staging, "run")
      folder.makePrivate(in)
      val (staged, sums) =
        (new File(new File(in.toUri), "a.staged").toPath, new File(new File(in.toUri), ".a.staged.crc").toPath)
      def protect(known: Map[HadoopPath, String]) =
        folder.protectStaged(new HadoopPath(staged.toUri), NewAccess(folder.accessNow()), known)
      def identities() = folder.identitiesOfStaged(in, Seq(new HadoopPath(staged.toUri)))
      for (place <- Seq(staged, sums)) {
        Files.write(staged, Array[Byte](1))
        Files.write(sums, "crc\u0000".getBytes)
        val known = identities()
        protect(known)
        Files.write(aside, Array[Byte](2))
        set(aside, "rw-------")
        Files.move(aside, place, StandardCopyOption.REPLACE_EXISTING)
        val refused = intercept[ZOrderRuntimeException](protect(known))
        assert(refused.getCondition == "ZORDER_PATH_OUTSIDE_TABLE" && isOfOwnerOnly(place))
      }
      // Also where it was there before it was first looked at.
      Files.write(aside, Array[Byte](3))
      Thread.sleep(1100)
      val later = new HadoopPath(folder.staging, "later")
      folder.makePrivate(later)
      val moved = Files.move(aside, new File(new File(later.toUri), "b.staged").toPath)
      val of = new HadoopPath(moved.toUri)
      assert(Try(folder.identitiesOfStaged(later, Seq(of))).failed.toOption.exists {
        case e: ZOrderRuntimeException => e.getCondition == "ZORDER_PATH_OUTSIDE_TABLE"
        case _ => false
      })
    }
  }

  test("nor one that was made since, where the process knows its own, nor as sums what holds none") {
    inFolder { path =>
      events(10).write.parquet(path)
      val folder = tableFolder(path)
      val (in, aside) = (new HadoopPath(folder.staging, "run"), Path.of(s"$path/_aside"))
      folder.makePrivate(in)
      val staged = new HadoopPath(in, "a.staged")
      val sums = Path.of(new HadoopPath(in, ".a.staged.crc").toUri.getPath)
      for (content <- Seq("crc\u0000theirs", "theirs"); isKnown <- Seq(true, false) if isKnown || content == "theirs") {
        val written = folder.created(staged, Access.ofMe)
        written.write(1)
        written.close()
        folder.protectStaged(
          staged,
          NewAccess(folder.accessNow()),
          folder.identitiesOfStaged(in, Map(staged -> written.known)))
        Files.writeString(aside, content)
        set(aside, "rw-------")
        Files.move(aside, sums, StandardCopyOption.REPLACE_EXISTING)
        val known = folder.identitiesOfStaged(in, Map(staged -> (if (isKnown) written.known else KnownFiles.none)))
        val refused =
          intercept[ZOrderRuntimeException](folder.protectStaged(staged, NewAccess(folder.accessNow()), known))
        assert(refused.getCondition == "ZORDER_PATH_OUTSIDE_TABLE" && isOfOwnerOnly(sums))
        folder.delete(staged)
      }
    }
  }

  test("a statistics index is written into no folder elsewhere, and over no file there") {
    inFolder { path =>
      writeData(path)
      val (folder, outside) = (tableFolder(path), Path.of(s"$path-outside"))
      val in = new HadoopPath(folder.staging, "draft")
      val draft = new HadoopPath(in, "v1.index")
      val schema = new StructType().add("a", "int")
      def write() = StatisticsFileIO.write(spark, folder, draft, schema, Iterator(InternalRow(1)))
      def file(of: HadoopPath) = Path.of(of.toUri.getPath)
      Files.createDirectory(outside)
      Seq("v1.index", ".v1.index.crc").foreach(n => Files.writeString(outside.resolve(n), "theirs"))
      folder.makeClosed(in)
      assert(write().keySet === Set(draft, new HadoopPath(in, ".v1.index.crc")))
      JavaUtils.deleteRecursively(file(in).toFile)
      Files.createSymbolicLink(file(in), outside)
      intercept[Exception](write())
      Files.delete(file(in))
      folder.makeClosed(in)
      for (name <- Seq("v1.index", ".v1.index.crc")) {
        Files.createSymbolicLink(file(new HadoopPath(in, name)), outside.resolve(name))
        intercept[Exception](write())
        JavaUtils.deleteRecursively(file(in).toFile)
        folder.makeClosed(in)
      }
      assert(outside.toFile.list.toSeq.map(n => Files.readString(outside.resolve(n))) === Seq("theirs", "theirs"))
    }
  }

  test("a folder in which nothing can be created is refused, and nothing is changed") {
    inFolder { path =>
      writeData(path)
      val before = below(path)
      withSQLConf("fs.file.impl" -> classOf[ImmutableFiles].getName, "fs.file.impl.disable.cache" -> "true") {
        for (statement <-
            Seq(s"OPTIMIZE parquet.`$path` $rewrite", s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS"))
          refused(statement, "ZORDER_NO_WRITE_PERMISSION", "42501", "folder" -> path)
      }
      assert(below(path) == before)
    }
  }

  /** A table in the catalog with one partition in a folder of a hidden name, which is closed to others. */
  private def withHiddenPartition(name: String)(body: String => Unit): Unit = inFolder { path =>
    withTable("hidden") {
      spark.sql(
        s"CREATE TABLE hidden (id LONG, a INT, b DOUBLE, p INT) USING parquet PARTITIONED BY (p) LOCATION '$path'")
      for ((p, at) <- Seq(0 -> s"$path/p=0", 1 -> s"$path/$name/p1")) {
        events(900).where(s"p = $p").select("id", "a", "b").repartition(2).write.parquet(at)
        spark.sql(s"ALTER TABLE hidden ADD PARTITION (p = $p) LOCATION '$at'")
      }
      set(Path.of(path), "rwxr-xr-x")
      setData(path, "rw-r--r--")
      set(Path.of(path, name), "rwx------")
      body(path)
    }
  }

  test("data in a folder of a hidden name counts, and is kept and restored as elsewhere", DailyTest) {
    for (name <- Seq("_archive", ".archive", "_metadata_x")) withHiddenPartition(name) { path =>
      spark.sql("ANALYZE TABLE hidden COMPUTE FILE STATISTICS").collect()
      assert(own(path).exists(_.toString.contains("/statistics/v2-")) && own(path).forall(isOfOwnerOnly))
      val rows = spark.table("hidden").collect().toSet
      spark.sql("OPTIMIZE hidden ZORDER BY (a) OPTIONS (force = true, keep_old = '1 day')").collect()
      assert(spark.table("hidden").collect().toSet == rows && readByOthers(path, "").isEmpty)
      assert(spark.sql("DESCRIBE REWRITES hidden").collect().map(_.getAs[Boolean]("restorable")).toSeq == Seq(true))
      spark.sql("RESTORE TABLE hidden TO BEFORE REWRITE 1").collect()
      assert(spark.table("hidden").collect().toSet == rows)
      spark.sql("VACUUM hidden REPLACED FILES RETAIN 0 HOURS").collect()
      assert(spark.sql("DESCRIBE REWRITES hidden").collect().isEmpty)
    }
  }

  test("so does data in a folder of such a name that Spark finds without a catalog") {
    inFolder { path =>
      writeData(path)
      events(900).where("p = 1").drop("p").coalesce(1).write.parquet(s"$path/p=1/_metadata_old")
      setData(path, "rw-r--r--")
      set(new File(path, "p=1/_metadata_old").toPath, "rwx------")
      analyze(path)
      val files = spark.read.parquet(s"$path/_zorder/statistics").select("file").collect().map(_.getString(0))
      assert(files.exists(_.contains("_metadata_old")) && own(path).forall(isOfOwnerOnly))
    }
  }

  test("a private file of a hidden name is no data, and closes nothing") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      for (name <- Seq("_SUCCESS", ".hidden", "p=1/_note"))
        set(Files.write(Path.of(path, name), Array[Byte](1)), "rw-------")
      analyze(path)
      assert(readByOthers(path, "statistics").nonEmpty)
    }
  }

  test("names of files in a folder that others may enter and not list are not told them", DailyTest) {
    for (closed <- Seq("", "p=1"); bits <- Seq("rwx--x--x", "rwxr-x--x")) inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      set(Path.of(path, closed), bits)
      optimize(path, rewrite.dropRight(1) + ", keep_old = '7 days')")
      assert(own(path).exists(_.toString.endsWith(".json")))
      assert(own(path).exists(_.toString.endsWith("/statistics")) && readByOthers(path, "").isEmpty)
      // They may read the files by their names, as before.
      val there = dataFiles(path).filter(_.getPath.contains("/p=1/"))
      assert(there.nonEmpty && there.forall(f => permissions(f.toPath)(PosixFilePermission.OTHERS_READ)))
    }
  }

  test("nobody else enters the folder of staged files: they may become private while a process sleeps", DailyTest) {
    for ((ofFolders, isGroupIn) <- Seq("rwxr-xr-x" -> false, "rwxrwxr-x" -> true)) inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      Seq("", "p=0", "p=1").foreach(f => set(Path.of(path, f), ofFolders))
      val looks = Seq("fs.file.impl" -> classOf[LookingFiles].getName, "fs.file.impl.disable.cache" -> "true")
      LookingFiles.open.clear()
      LookingFiles.ofGroup.clear()
      withSQLConf(looks: _*)(optimize(path, rewrite.dropRight(1) + ", keep_old = '7 days')"))
      withSQLConf(looks: _*)(spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1").collect())
      val staging = "/staging/"
      assert(LookingFiles.folders.exists(_.contains(staging)) && !LookingFiles.open.exists(_.contains(staging)))
      // Who may have to finish the rewrite.
      assert(LookingFiles.ofGroup.exists(_.contains(staging)) == isGroupIn)
    }
  }

  private def mode(file: Path): Int =
    Files.getAttribute(file, "unix:mode").asInstanceOf[Int] & Integer.parseInt("7777", 8)

  test(
    "where files are of several groups, their members may do what others may in all, and new files are of the folder's") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      val (team, mine) = (30000, 20001)
      for (folder <- Seq("", "p=0", "p=1").map(Path.of(path, _))) {
        Files.setAttribute(folder, "unix:gid", team)
        Files.setAttribute(folder, "unix:mode", Integer.parseInt("2755", 8))
      }
      dataFiles(path).foreach(f => Files.setAttribute(f.toPath, "unix:gid", team))
      for (part <- Seq("/p=0/", "/p=1/"))
        Files.setAttribute(dataFiles(path).filter(_.getPath.contains(part)).head.toPath, "unix:gid", mine)
      optimize(path, rewrite)
      for (f <- own(path) if !f.endsWith("staging"))
        assert(mode(f) % 512 == Integer.parseInt(if (Files.isDirectory(f)) "755" else "644", 8), f)
      dataFiles(path).foreach(f => assert(mode(f.toPath) == Integer.parseInt("644", 8), f))
      dataFiles(path).foreach(f => assert(Files.getAttribute(f.toPath, "unix:gid") == team))
      // A statement by another who runs it finds no group that may less.
      Files.setAttribute(dataFiles(path).head.toPath, "unix:gid", mine)
      analyze(path)
      assert(own(path).forall(f => permissions(f)(PosixFilePermission.OTHERS_READ)))
      assert(own(path).forall(f => permissions(f)(PosixFilePermission.GROUP_READ)))
    }
  }

  test("folders that tasks have made are as open to who has to finish a rewrite as the one that they lie in") {
    inFolder { path =>
      writeData(path)
      Seq("", "p=0", "p=1").foreach(f => set(Path.of(path, f), "rwxrwxr-x"))
      setData(path, "rw-rw-r--")
      below(path).foreach(f => Files.setAttribute(f, "unix:gid", 30000))
      StagedFolders.seen.clear()
      withSQLConf(
        "fs.file.impl" -> classOf[StagedFolders].getName,
        "fs.file.impl.disable.cache" -> "true")(optimize(path, rewrite))
      assert(StagedFolders.seen.keys.exists(_.contains(s"/${FolderGroups.Column}=")))
      // With an entry in the log anybody may have to finish it.
      val ofRewrite = StagedFolders.seen.filterNot(_._1.contains("/.statistics-"))
      ofRewrite.foreach { case (f, is) => assert(is == ("rwxrwx---", 30000), f) }
    }
  }
}

/** A local disk that notes folders below `_zorder` which others may enter, at each look at them and each file made in them. */
class LookingFiles extends LocalFileSystem {

  override def getFileStatus(path: HadoopPath): FileStatus = {
    look(path)
    super.getFileStatus(path)
  }

  override def create(
      path: HadoopPath,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream = {
    look(path.getParent)
    super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress)
  }

  private def look(path: HadoopPath): Unit = {
    val file = Path.of(path.toUri.getPath)
    if (file.toString.contains("/_zorder") && Files.isDirectory(file)) {
      LookingFiles.folders.add(file.toString)
      if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_EXECUTE))
        LookingFiles.open.add(file.toString)
      if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.GROUP_EXECUTE))
        LookingFiles.ofGroup.add(file.toString)
    }
  }
}

private object LookingFiles {
  private def paths = ConcurrentHashMap.newKeySet[String]().asScala
  val (folders, open, ofGroup) = (paths, paths, paths)
}

/** A local disk that notes the folders of staged files, with permissions and group, when the log has an entry. */
class StagedFolders extends LocalFileSystem {
  override def getFileStatus(path: HadoopPath): FileStatus = {
    val file = Path.of(path.toUri.getPath)
    val above = Iterator.iterate(file.getParent)(_.getParent).takeWhile(_ != null).toList
    above.find(_.endsWith("_zorder/staging")).foreach { staging =>
      val log = staging.resolveSibling("log").toFile.list
      if (Files.isRegularFile(file) && log != null && log.exists(_.endsWith(".json")))
        above.takeWhile(_ != staging).foreach { folder =>
          val permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(folder))
          StagedFolders.seen(folder.toString) = (permissions, Files.getAttribute(folder, "unix:gid").asInstanceOf[Int])
        }
    }
    super.getFileStatus(path)
  }
}

private object StagedFolders {
  val seen = new ConcurrentHashMap[String, (String, Int)]().asScala
}

/** A local disk on which no folder can be created, though this user may write: `chattr +i`, a read-only mount. */
class ImmutableFiles extends QuickLocalFileSystem {
  override def mkdirs(path: HadoopPath): Boolean = false
}

/** A local disk that shows each draft of a statistics index when it has just been created. */
class DraftFiles extends LocalFileSystem {
  override def create(
      path: HadoopPath,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream = {
    val created = super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress)
    if (path.toUri.getPath.contains("/_zorder/")) DraftFiles.atDraft(Path.of(path.toUri.getPath))
    created
  }
}

private object DraftFiles {
  @volatile var atDraft: Path => Unit = _ => ()
}
