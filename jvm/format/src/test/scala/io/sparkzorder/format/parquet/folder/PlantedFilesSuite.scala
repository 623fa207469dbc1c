// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.File
import java.nio.file.{Files, Path}

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
      refused(s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS", "ZORDER_NOT_TRUSTED", "42501")
      refused(s"OPTIMIZE parquet.`$path` ZORDER BY (a)", "ZORDER_NOT_TRUSTED", "42501")
      assert(isOfOwnerOnly(own))
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
