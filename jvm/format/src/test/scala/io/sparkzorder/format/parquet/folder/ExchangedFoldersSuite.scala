// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.IOException
import java.nio.file.{Files, Path}
import java.nio.file.attribute.PosixFilePermission

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.ParquetSnapshot
import io.sparkzorder.format.parquet.folder.access.NewAccess
import io.sparkzorder.format.parquet.listing.{ParquetFile, ParquetRows}
import io.sparkzorder.format.parquet.rewrite.ParquetRewrite
import io.sparkzorder.parquet.footer.FileStatisticsReader

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{ChecksumException, FileSystem, LocalFileSystem, Path => HadoopPath, RawLocalFileSystem}

/**
 * Who may write into a table's folder may exchange its partitions, for one another and for links to elsewhere, and back,
 * whenever a statement has looked at one and before it reads or changes something there.
 */
class ExchangedFoldersSuite extends FileModes {

  private def exchange(path: String): Unit =
    for ((from, to) <- Seq("p=0" -> "_aside", "p=1" -> "p=0", "_aside" -> "p=1"))
      Files.move(Path.of(path, from), Path.of(path, to))

  private def putLink(path: String, to: String): Unit = {
    Files.move(Path.of(s"$path/p=1"), Path.of(s"$path/_aside"))
    Files.createSymbolicLink(Path.of(s"$path/p=1"), Path.of(to)): Unit
  }

  /** Two partitions whose files have the same name, with the text `0` or `1`. */
  private def writeTexts(path: String): Unit = for (p <- 0 to 1) {
    val file = Path.of(s"$path/p=$p/f")
    Files.createDirectories(file.getParent)
    Files.writeString(file, p.toString)
    file.toFile.setLastModified(1000000000000L)
  }

  private def textsOf(path: String) =
    (0 to 1).map(p => Path.of(s"$path/p=$p/f")).filter(Files.exists(_)).map(Files.readString(_))

  private val file = ListedFile("p=1/f", 1, 1000000000000L)

  test("a file goes from the folder in which it was looked at, and none of the one that has its name by then") {
    for (isMoved <- Seq(false, true); known <- Seq(false, true)) inFolder { path =>
      writeTexts(path)
      val folder = tableFolder(path)
      val identity = folder.identities(Seq(file.path)).get(file.path)
      def isDue = {
        exchange(path)
        true
      }
      def go(isDue: => Boolean) =
        if (isMoved) folder.moveUnchanged(file, identity, isDue, new HadoopPath(folder.replaced, "0.a/f"))
        else folder.removeUnchanged(file, identity, isDue)
      go(isDue)
      assert(textsOf(path).toSet === Set("0", "1"))
      exchange(path)
      if (known) {
        go(isDue = true)
        assert(textsOf(path) === Seq("0"))
      }
    }
  }

  test("new files are as closed as the old ones, and not as others that have their names for a while") {
    inFolder { path =>
      writeTexts(path)
      val folder = tableFolder(path)
      val identity = folder.identities(Seq(file.path)).get(file.path)
      set(Path.of(s"$path/p=1/f"), "rw-------")
      assert(folder.accessFrom("", file.path, identity).map(_.permission.toString) === Some("rw-------"))
      exchange(path)
      assert(folder.accessFrom("", file.path, identity) === None)
      assert(folder.accessFrom("", file.path, None).map(_.permission.toString) === Some("rw-r--r--"))
    }
  }

  test(
    "a staged file is opened as far as folders close the old ones where somebody has put theirs in its folder's place") {
    for (closed <- Seq("rwx------", "rwxr--r--")) inFolder { path =>
      writeTexts(path)
      set(Path.of(s"$path/p=1"), closed)
      val folder = tableFolder(path)
      val access = folder.accessesFrom("p=1", file.path, None).get
      assert((access.opened.permission.toString, access.closed.permission.toString) === ("rw-r--r--", "rw-------"))
      val run = new HadoopPath(folder.staging, "id")
      folder.makePrivate(run)
      def opened(name: String) = {
        val staged = new HadoopPath(run, s"0-1/$name")
        folder.makeBelow(run, staged.getParent)
        val known = folder.copy(new HadoopPath(s"$path/p=0/f"), staged).known
        folder.protectStaged(staged, access, folder.identitiesOfStaged(run, Map(staged -> known)))
        permissions(Path.of(staged.toUri.getPath)).contains(PosixFilePermission.OTHERS_READ)
      }
      val made = Path.of(run.toUri.getPath)
      assert(opened("a"))
      set(made, "rwx--x---")
      assert(!opened("b"))
      set(made, "rwx------")
      if (Try(Files.setAttribute(made, "unix:uid", 54321)).isSuccess) assert(!opened("c"))
    }
  }

  test("nor does a file leave the folder that closes it for one of somebody's, but closed itself") {
    for (isTheirs <- Seq(false, true); isLinked <- Seq(false, true); isShut <- Seq(false, true)) inFolder { path =>
      writeTexts(path)
      val (partition, old) = (Path.of(s"$path/p=1"), Path.of(s"$path/p=1/f"))
      set(partition, "rwx------")
      assume(Try(Files.setAttribute(old, "unix:uid", 54321)).isSuccess, "gives files to others")
      // The folder keeps the owner of the file out, to whom it must not go.
      if (!isShut) Files.setAttribute(partition, "unix:uid", 54321)
      if (isLinked) Files.createLink(Path.of(s"$path/another"), old)
      val folder = tableFolder(path)
      val identity = folder.identities(Seq(file.path)).get(file.path)
      val to = Path.of(s"$path/_zorder/replaced/1.id/p=1/f")
      Files.createDirectories(to.getParent)
      if (isTheirs) Files.setAttribute(to.getParent, "unix:uid", 54322)
      val isGone = folder.moveUnchanged(file, identity, isDue = true, new HadoopPath(to.toUri))
      assert(isGone === !(isTheirs && (isLinked || isShut)) && isGone === Files.notExists(
        old) && isGone === Files.exists(to))
      // In a folder that closes it stays as open as it was, but one whose owner owns that one.
      if (isGone) assert(permissions(to)(PosixFilePermission.OTHERS_READ) === (!isTheirs && (isShut || isLinked)))
      assert(isTheirs || permissions(to.getParent).forall(_.name.startsWith("OWNER")))
    }
  }

  test("nor does what folders of staged files close, when it is set aside") {
    inFolder { path =>
      writeTexts(path)
      val folder = tableFolder(path)
      for (isOpen <- Seq(false, true)) {
        val (from, to) = (new HadoopPath(folder.staging, s"$isOpen/f"), new HadoopPath(folder.setAside, s"$isOpen/f"))
        Seq(from, to).foreach(p => Files.createDirectories(Path.of(p.getParent.toUri.getPath)))
        Files.writeString(Path.of(from.toUri.getPath), "rows")
        set(Path.of(from.toUri.getPath), "rw-r--r--")
        set(Path.of(from.getParent.toUri.getPath), "rwx------")
        set(Path.of(to.getParent.toUri.getPath), if (isOpen) "rwxr-xr-x" else "rwx------")
        assert(folder.renameAsClosed(from, to))
        assert(permissions(Path.of(to.toUri.getPath))(PosixFilePermission.OTHERS_READ) === !isOpen)
      }
    }
  }

  test("neither rows nor statistics of files elsewhere come in by a link that is there for a while") {
    withTempDir { dir =>
      val (path, elsewhere) = (s"$dir/t", s"$dir/elsewhere")
      writeData(path)
      Files.createDirectory(Path.of(elsewhere))
      val names = Path.of(s"$path/p=1").toFile.list()
      for (name <- names) Files.copy(Path.of(s"$path/p=1/$name"), Path.of(s"$elsewhere/$name"))
      val table = tableOf(path)
      val listed = table.listing(spark).files(Nil)
      val settings = table.folder.readSettings
      def rows(settings: Map[String, String]) =
        ParquetRows.read(spark, table, listed, table.dataSchema, settings).count()
      def footers(settings: Map[String, String]) =
        new FileStatisticsReader(spark, settings).readListed(listed.map(_.status), IndexedSeq.empty).map(_.rows).sum
      val all = rows(Map.empty)
      assert(settings.nonEmpty && rows(settings) === all && footers(settings) === all)
      putLink(path, elsewhere)
      assert(rows(Map.empty) === all && footers(Map.empty) === all)
      intercept[Exception](rows(settings))
      intercept[Exception](footers(settings))
    }
  }

  test("a rewrite reads such that no link is passed") {
    inFolder { path =>
      writeData(path)
      val table = tableOf(path)
      val since = table.rewriteLog.read()
      val files = new ParquetSnapshot(table, spark, None).files(None)
      val rewrite = new ParquetRewrite(
        spark,
        table,
        None,
        files.map(_.asInstanceOf[ParquetFile]),
        since)
      val input = rewrite.input
      assert(input.count() === 450)
      putLink(path, s"$path/_aside")
      assert(input.sparkSession.read.parquet(path).count() === 450)
      intercept[Exception](input.collect())
    }
  }

  private def textBy(settings: Map[String, String], file: String) = {
    val conf = new Configuration
    settings.foreach { case (key, value) => conf.set(key, value) }
    val at = new HadoopPath(file)
    Using.resource(at.getFileSystem(conf).open(at))(in => new String(in.readAllBytes()))
  }

  test("nor do rows of a partition come into another one that has its name for a while") {
    inFolder { path =>
      writeTexts(path)
      val folder = tableFolder(path)
      val identities = folder.identities(Seq("p=0/f", "p=1/f"))
      val settings = folder.readSettings(identities)
      def text = textBy(settings, s"$path/p=1/f")
      assert(text === "1")
      exchange(path)
      assert(textBy(folder.readSettings, s"$path/p=1/f") === "0")
      intercept[IOException](text)
      exchange(path)
      assert(text === "1")
      Files.writeString(Path.of(s"$path/p=1/g"), "new")
      intercept[IOException](textBy(settings, s"$path/p=1/g"))
      assert(identities.size === 2)
    }
  }

  test("what is read of a file is of the state of its identity") {
    inFolder { path =>
      writeTexts(path)
      val folder = tableFolder(path)
      val status = folder.status(new HadoopPath(s"$path/p=1/f")).get
      assert(folder.state(status).isDefined)
      assert(folder.stateOf(status, folder.identities(Seq("p=1/f")).get("p=1/f")) === folder.state(status))
    }
  }

  test("a rewrite reads the files that it has listed") {
    inFolder { path =>
      writeData(path)
      // What a task of Spark's writes for several partitions has one name in all of them.
      assert((0 to 1).map(p => Path.of(s"$path/p=$p").toFile.list().toSet).distinct.size === 1)
      val table = tableOf(path)
      val files = new ParquetSnapshot(table, spark, None).files(None).map(_.asInstanceOf[ParquetFile])
      val rewrite = new ParquetRewrite(spark, table, None, files, table.rewriteLog.read())
      val input = rewrite.input
      val all = input.collect().toSet
      exchange(path)
      intercept[Exception](input.collect())
      exchange(path)
      assert(input.collect().toSet === all)
    }
  }

  test("a new file comes into no other folder than that of the files whose rows it has") {
    inFolder { path =>
      writeTexts(path)
      val folder = tableFolder(path)
      val others = folder.identities(Seq(file.path)).toSeq.map { case (f, known) => folder.resolve(f) -> known }
      Files.writeString(Path.of(s"$path/new"), "rows")
      def come() = folder.renameBeside(new HadoopPath(s"$path/new"), new HadoopPath(s"$path/p=1/new"), others)
      exchange(path)
      assert(!come() && Files.exists(Path.of(s"$path/new")))
      exchange(path)
      assert(come() && Files.readString(Path.of(s"$path/p=1/new")) === "rows")
    }
  }

  test("nor rows of another table to whose folder the name leads by then; names are no variables") {
    withTempDir { dir =>
      val path = s"$dir/${"$"}{user.name}"
      Seq("a", "b").foreach(n => Files.createDirectories(Path.of(s"$dir/$n/p=1")))
      Seq("a", "b").foreach(n => Files.writeString(Path.of(s"$dir/$n/p=1/f"), n))
      Files.createSymbolicLink(Path.of(path), Path.of(s"$dir/a"))
      val conf = new Configuration
      tableFolder(path).readSettings.foreach { case (key, value) => conf.set(key, value) }
      def read = {
        val file = new HadoopPath(s"$path/p=1/f")
        Using.resource(file.getFileSystem(conf).open(file))(in => new String(in.readAllBytes()))
      }
      assert(read === "a")
      Files.delete(Path.of(path))
      Files.createSymbolicLink(Path.of(path), Path.of(s"$dir/b"))
      intercept[IOException](read)
      Files.createDirectory(Path.of(s"$dir/b/p=1/.f.crc"))
      tableFolder(path).readSettings.foreach { case (key, value) => conf.set(key, value) }
      assert(read === "b")
    }
  }

  test("a copy has the sums of a file, and what is none by their name is left out") {
    inFolder { path =>
      val folder = tableFolder(path)
      val (file, sums) = (Path.of(s"$path/p=1/a"), Path.of(s"$path/p=1/.a.crc"))
      Files.createDirectories(file.getParent)
      Files.writeString(file, "rows")
      folder.makePrivate(new HadoopPath(folder.staging, "id"))
      for ((content, name) <- Seq("crc\u0000....", "", "theirs").zipWithIndex) {
        Files.writeString(sums, content)
        val to = new HadoopPath(folder.staging, s"id/$name")
        val known = folder.copy(new HadoopPath(file.toUri), to).known
        folder.protectStaged(
          to,
          NewAccess(folder.accessNow()),
          folder.identitiesOfStaged(to.getParent, Map(to -> known)))
        val copied = Path.of(to.toUri.getPath)
        assert(Files.readString(copied) === "rows")
        val ofSums = copied.resolveSibling(s".$name.crc")
        assert(if (content.startsWith("crc")) Files.readString(ofSums) == content else Files.notExists(ofSums))
      }
    }
  }

  test("files are compared with sums where Hadoop compares them, and those have sums whose names have room for it") {
    inFolder { path =>
      val name = "a" * 250
      for (name <- Seq("a", name); of <- Seq(classOf[RawLocalFileSystem], classOf[LocalFileSystem])) {
        val conf = new Configuration
        conf.setClass("fs.file.impl", of, classOf[FileSystem])
        conf.setBoolean("fs.file.impl.disable.cache", true)
        val settings = new TableFolder(new HadoopPath(path), conf).readSettings
        settings.foreach { case (key, value) => conf.set(key, value) }
        val file = Path.of(s"$path/p=1/$name")
        Files.createDirectories(file.getParent)
        Files.writeString(file, "rows")
        if (name == "a")
          Files.write(file.resolveSibling(s".$name.crc"), "crc\u0000\u0000\u0000\u0002\u0000aaaa".getBytes)
        def read = {
          val path = new HadoopPath(file.toUri)
          Using.resource(path.getFileSystem(conf).open(path))(in => new String(in.readAllBytes()))
        }
        if (of == classOf[LocalFileSystem] && name == "a") intercept[ChecksumException](read)
        else assert(read === "rows")
      }
    }
  }

  test("files that are read through their folders are checked by their sums, and the bytes are counted") {
    inFolder { path =>
      val conf = new Configuration
      val file = new HadoopPath(s"$path/p=1/a")
      val rows = Array.tabulate[Byte](100000)(_.toByte)
      Using.resource(FileSystem.getLocal(conf).create(file))(_.write(rows))
      tableFolder(path).readSettings.foreach { case (key, value) => conf.set(key, value) }
      def files = file.getFileSystem(conf)
      def read = Using.resource(files.open(file))(_.readAllBytes())
      // As Spark counts them.
      def bytesRead = FileSystem.getAllStatistics.asScala.map(_.getBytesRead).sum
      val before = bytesRead
      assert(read.sameElements(rows))
      assert(bytesRead - before >= rows.length)
      Using.resource(files.open(file)) { in =>
        val some = new Array[Byte](1000)
        in.readFully(99000, some)
        assert(some.sameElements(rows.takeRight(1000)))
        in.seek(5)
        assert(in.read() === rows(5) && in.getPos === 6)
      }
      intercept[java.io.FileNotFoundException](files.open(new HadoopPath(s"$path/p=1/b")))
      intercept[IOException](files.open(new HadoopPath("/etc/passwd")))
      Files.write(Path.of(s"$path/p=1/a"), rows.reverse)
      intercept[ChecksumException](read)
    }
  }
}
