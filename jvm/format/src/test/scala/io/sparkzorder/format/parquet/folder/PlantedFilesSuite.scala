// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.File
import java.nio.file.{Files, Path}
import java.nio.file.attribute.PosixFilePermission

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.format.parquet.folder.opened.CreatedFile
import io.sparkzorder.format.parquet.index.{FileColumns, StatisticsIndexes}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path => HadoopPath}
import org.apache.spark.network.util.JavaUtils

/** Who may write into a table's folder may move there what they may not read: none of it is opened, or deleted. */
class PlantedFilesSuite extends FileModes {

  test("nothing is opened that somebody else has put among what is kept, whatever its name") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      optimize(path, rewrite)
      set(Path.of(path), "rwxrwxrwx")
      val closed = below(s"$path/_zorder/log").find(_.toString.endsWith(".closed")).get.getFileName.toString
      val names = Seq("salaries.csv", closed.replace("0001.", "0002."), ".salaries.csv.crc")
      val planted = names.map(n => Path.of(s"$path/_zorder/log/$n"))
      planted.foreach(Files.writeString(_, """{"version":1,"name":"alice"}"""))
      planted.foreach(set(_, "rw-------"))
      analyze(path)
      assert(planted.filterNot(isOfOwnerOnly) === Nil)
    }
  }

  test(
    "nor is a file by the name of the sums of a document, nor one that a group alone may read given to another group") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      optimize(path, rewrite)
      set(Path.of(path), "rwxrwxrwx")
      val log = Path.of(s"$path/_zorder/log")
      val closed = below(log.toString).find(_.toString.endsWith(".closed")).get.getFileName.toString
      val (sums, ofGroup) = (log.resolve(".0.id.crc"), log.resolve(closed.replace("0001.", "0002.")))
      val link = log.resolve(s".$closed.crc")
      Files.createSymbolicLink(link, Path.of("/etc/hostname"))
      Seq(sums -> "rw-------", ofGroup -> "rw-r-----").foreach { case (file, mode) =>
        Files.writeString(file, "theirs")
        set(file, mode)
      }
      // Only the superuser can give a file to a group that they are not in.
      val others = Try(Files.setAttribute(ofGroup, "unix:gid", 54321)).isSuccess
      analyze(path)
      assert(isOfOwnerOnly(sums) && (!others || Files.getAttribute(ofGroup, "unix:gid") == 54321))
    }
  }

  test("sums are known by what they are of, as Hadoop writes them") {
    inFolder { path =>
      def written(name: String, bytes: Array[Byte]) = {
        Using.resource(FileSystem.getLocal(new Configuration).create(new HadoopPath(path, name)))(_.write(bytes))
        Files.readAllBytes(Path.of(s"$path/.$name.crc"))
      }
      val contents = Seq(0, 1, 512, 1025).map(Array.fill[Byte](_)(7))
      val sums = contents.zipWithIndex.map { case (bytes, i) => written(s"f$i", bytes) }
      for (i <- contents.indices; j <- sums.indices)
        assert(CreatedFile.areSumsOf(contents(i))(sums(j)) === (i == j))
      for (other <- Seq("", "crc", "crc\u0000", "theirs", "crc\u0000\u0000\u0000\u0000\u0000"))
        assert(!CreatedFile.areSumsOf(contents.head)(other.getBytes))
    }
  }

  test("nor is what has the name of sums of the folder of the index, which has none, or that folder with something else in it") {
    for (isFolder <- Seq(false, true)) inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      analyze(path)
      set(Path.of(path), "rwxrwxrwx")
      val (own, statistics) = (Path.of(s"$path/_zorder"), Path.of(s"$path/_zorder/statistics"))
      val planted = own.resolve(".statistics.crc")
      if (isFolder) Files.createDirectory(planted) else Files.writeString(planted, "theirs")
      set(planted, if (isFolder) "rwx------" else "rw-------")
      optimize(path, rewrite)
      assert(isOfOwnerOnly(planted))
      val folder = tableFolder(path)
      val index = Files.list(statistics).iterator.asScala.find(_.toString.endsWith(".index")).get
      def protect(file: Path): Unit =
        folder.protectFolderOf(new HadoopPath(file.toUri), None, folder.accessNow().ofFolder)
      set(statistics, "rwx------")
      Files.writeString(statistics.resolve("theirs"), "theirs")
      Seq(index, statistics.resolve("gone")).foreach(protect)
      assert(isOfOwnerOnly(statistics))
      Files.delete(statistics.resolve("theirs"))
      protect(index)
      assert(!isOfOwnerOnly(statistics))
    }
  }

  test(
    "what RESTORE brings back is no more open than what was kept, which somebody may have exchanged for another file") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      optimize(path, "ZORDER BY (a) OPTIONS (target_file_size = '4k', keep_old = '1 day')")
      val kept = below(s"$path/_zorder/replaced").filter(_.toString.endsWith(".replaced"))
      val (ofOne, others) = kept.partition(_.toString.contains("p=1"))
      ofOne.foreach(set(_, "rw-------"))
      spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1").collect()
      def modes(partition: String) =
        below(s"$path/$partition").filter(_.toString.endsWith(".parquet")).map(isOfOwnerOnly)
      assert(ofOne.nonEmpty && others.nonEmpty && modes("p=1").forall(identity) && !modes("p=0").exists(identity))
    }
  }

  test("what is kept in a folder that closes it alone comes back as closed") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      optimize(path, "ZORDER BY (a) OPTIONS (target_file_size = '4k', keep_old = '1 day')")
      val run = Files.list(Path.of(s"$path/_zorder/replaced")).iterator.asScala.find(Files.isDirectory(_)).get
      set(run, "rwx------")
      spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1").collect()
      val files = Seq("p=0", "p=1").flatMap(p => below(s"$path/$p")).filter(_.toString.endsWith(".parquet"))
      assert(files.nonEmpty && files.forall(isOfOwnerOnly))
    }
  }

  test("of a folder that somebody has moved among ours nothing inside is closed, as nobody else gets there") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      optimize(path, rewrite)
      val theirs = Path.of(s"$path/_zorder/log/theirs")
      Files.createDirectories(theirs.resolve("inner"))
      Files.writeString(theirs.resolve("inner/file"), "theirs")
      setData(path, "rw-------")
      analyze(path)
      assert(isOfOwnerOnly(theirs) && !isOfOwnerOnly(theirs.resolve("inner")))
      assert(permissions(theirs.resolve("inner/file"))(PosixFilePermission.OTHERS_READ))
    }
  }

  test("what is kept of files is as private as they are, whatever names they had while all files were looked at") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      val file = below(s"$path/p=1").find(_.toString.endsWith(".parquet")).get
      set(file, "rw-------")
      val folder = tableFolder(path)
      val (name, hidden) = (s"p=1/${file.getFileName}", file.resolveSibling(s".${file.getFileName}"))
      def listed = Seq(name -> folder.state(folder.status(new HadoopPath(file.toUri)).get))
      def isPrivate(of: Seq[(String, Option[Long])]) =
        folder.accessOfListed(of).exists(_.ofFile.permission.toString == "rw-------")
      val before = listed
      assert(isPrivate(before) && folder.accessNow().ofFile.permission.toString == "rw-------")
      Files.move(file, hidden)
      assert(isPrivate(before) && folder.accessNow().ofFile.permission.toString != "rw-------")
      // One of the same name, as open as the others.
      Files.copy(hidden, file)
      set(file, "rw-r--r--")
      assert(isPrivate(before) && !isPrivate(listed))
      // A partition that is closed closes what is in it.
      set(file.getParent, "rwx------")
      assert(isPrivate(listed))
    }
  }

  test("an index that nobody else may read keeps nobody from writing the next one") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-rw-r--")
      Seq(path, s"$path/p=0", s"$path/p=1").foreach(f => set(Path.of(f), "rwxrwxr-x"))
      val folder = tableFolder(path)
      // As where one of its files is gone.
      def ofFiles() = folder.accessOfListed(Seq("p=1/gone.parquet" -> Some(1L)))
      StatisticsIndexes.write(
        spark,
        folder,
        folder.accessNow(),
        ofFiles _,
        IndexedSeq.empty,
        None,
        FileColumns.of("", Iterator.empty),
        Iterator.empty)
      val statistics = Path.of(s"$path/_zorder/statistics")
      val index = below(statistics.toString).filter(_.toString.endsWith(".index"))
      assert(index.size == 1 && index.forall(isOfOwnerOnly))
      assert(permissions(statistics)(PosixFilePermission.GROUP_WRITE))
    }
  }

  test("of a file that was copied the folders are those of that very file, not of one that lies there since") {
    inFolder { path =>
      writeData(path)
      val (partition, elsewhere) = (Path.of(s"$path/p=1"), Path.of(s"$path/elsewhere"))
      val file = below(partition.toString).find(_.toString.endsWith(".parquet")).get
      set(partition, "rwx------")
      val folder = tableFolder(path)
      val copied = folder.copy(new HadoopPath(file.toUri), new HadoopPath(path, "copy"))
      val source = copied.source.get
      def reached = folder.accessFrom("", s"p=1/${file.getFileName}", source.identity)
      assert(source.identity.isDefined && reached.map(_.permission.toString) === Some("rw-------"))
      Files.move(partition, elsewhere)
      Files.createDirectory(partition)
      Files.copy(elsewhere.resolve(file.getFileName), file)
      assert(reached === None)
    }
  }

  test("what lay in a folder that closes it comes back as open as it was there") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      val folder = Path.of(s"$path/p=1")
      // To those of the folder's group the files are open as to others.
      Try(Files.setAttribute(folder, "unix:gid", 54321))
      set(folder, "rwxr-x---")
      optimize(path, "ZORDER BY (a) OPTIONS (target_file_size = '4k', keep_old = '1 day')")
      spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1").collect()
      val files = below(s"$path/p=1").filter(_.toString.endsWith(".parquet"))
      assert(files.nonEmpty && files.forall(permissions(_)(PosixFilePermission.OTHERS_READ)))
    }
  }

  test("a folder that somebody has given the name of what is kept is refused where many may write, and stays closed") {
    inFolder { path =>
      writeData(path)
      setData(path, "rw-r--r--")
      val (partition, own) = (Path.of(s"$path/p=1"), Path.of(s"$path/_zorder"))
      set(partition, "rwx------")
      Files.move(partition, own)
      analyze(path)
      assert(isOfOwnerOnly(own))
      JavaUtils.deleteRecursively(new File(s"$path/_zorder/log"))
      set(Path.of(path), "rwxrwxrwx")
      for (statement <- Seq("ANALYZE TABLE parquet.`t` COMPUTE FILE STATISTICS", "OPTIMIZE parquet.`t` ZORDER BY (a)"))
        refused(statement.replace("`t`", s"`$path`"), "ZORDER_DATA_IN_OWN_FOLDER", "55000", "own" -> own.toString)
      assert(isOfOwnerOnly(own))
    }
  }

  test("a closed folder that somebody has moved among what is left is not deleted; what statements have left is") {
    inFolder { path =>
      writeData(path)
      optimize(path, rewrite)
      def left(name: String, permissions: String): Path = {
        val file = Path.of(s"$path/_zorder/$name/inner/a.parquet")
        Files.createDirectories(file.getParent)
        Files.writeString(file, "theirs")
        set(file.getParent, permissions)
        Seq(file.getParent.getParent, file.getParent.getParent.getParent).foreach(set(_, "rwxrwxrwx"))
        file
      }
      set(Path.of(path), "rwxrwxrwx")
      set(Path.of(s"$path/_zorder"), "rwxrwxrwx")
      def id = java.util.UUID.randomUUID
      val closed = Seq(left(s"staging/$id", "rwxr-xr-x"), left(s"replaced/9.$id", "rwx------"))
      val open = Seq(left(s"staging/$id", "rwxrwxrwx"), left(s"replaced/8.$id", "rwxrwxrwx"))
      set(Path.of(s"$path/p=0"), "rwxrwxrwx")
      set(Path.of(s"$path/p=1"), "rwxrwxrwx")
      analyze(path)
      assert(closed.filterNot(Files.exists(_)) === Nil && open.filter(Files.exists(_)) === Nil)
    }
  }

  test("what others have in folders of these names is not taken for what statements have left") {
    inFolder { path =>
      writeData(path)
      val theirs =
        Seq("staging/old/a.csv", "locks/keys.txt", "replaced/1.x/old.csv").map(n => Path.of(s"$path/_zorder/$n"))
      theirs.foreach { file =>
        Files.createDirectories(file.getParent)
        Files.writeString(file, "theirs")
        file.toFile.setLastModified(1000000000000L)
      }
      optimize(path, rewrite)
      assert(theirs.filterNot(Files.exists(_)) === Nil)
    }
  }
}
