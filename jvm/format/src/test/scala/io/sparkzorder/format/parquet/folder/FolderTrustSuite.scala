// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.File
import java.nio.file.{Files, Path => LocalPath}

import scala.jdk.CollectionConverters._

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.ParquetTables
import io.sparkzorder.format.parquet.log.PlantedLog

import org.apache.hadoop.fs.Path

/** A log that somebody else made in a folder for everybody has no file left out of queries, and none deleted. */
class FolderTrustSuite extends ParquetTables {

  private val nobody = 65534

  private def mode(path: String, octal: String): Unit =
    Files.setAttribute(new File(path).toPath, "unix:mode", Integer.parseInt(octal, 8)): Unit

  private def giveAll(path: LocalPath, user: Int): Unit = {
    val found = Files.walk(path)
    try found.iterator.asScala.foreach(Files.setAttribute(_, "unix:uid", user))
    finally found.close()
  }

  private val isSuperuser = Files.getAttribute(new File("/proc/self").toPath, "unix:uid") == 0

  /** A table in a folder of this mode, and in it a log that has all of its files deleted. */
  private def planted(octal: String)(body: (String, LocalPath) => Unit): Unit = {
    assume(isSuperuser, "only the superuser can give files to others")
    inFolder { path =>
      events(100).repartition(2).write.parquet(path)
      mode(path, octal)
      val folder = new TableFolder(new Path(path), spark.sessionState.newHadoopConf())
      PlantedLog.deleting(
        folder,
        dataFiles(path).map(f => ListedFile(f.getName, f.length, f.lastModified)))
      body(path, new File(path, "_zorder").toPath)
    }
  }

  private def refusedThere(path: String, named: String): Unit = {
    val statements = Seq(
      s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS",
      s"OPTIMIZE parquet.`$path` ZORDER BY (a)",
      s"FSCK REPAIR TABLE parquet.`$path`")
    for (sql <- statements)
      refused(sql, "ZORDER_NOT_TRUSTED", "42501", "path" -> named, "folder" -> path)
    assert(spark.read.parquet(path).count() == 100 && dataFiles(path).size == 2)
    withSkipping(false)(assert(spark.read.parquet(path).count() == 100))
  }

  test("in a folder with the sticky bit a log of another counts for nobody, until it is deleted") {
    planted("41777") { (path, own) =>
      giveAll(own, nobody)
      refusedThere(path, "/_zorder")
      optimize(path, "ZORDER BY (a) DRY RUN")
      org.apache.spark.network.util.JavaUtils.deleteRecursively(own.toFile)
      keepingRows(path)(optimize(path))
    }
  }

  test("so does one of the owner in which another has written an entry before the folder was closed to them") {
    planted("41777") { (path, own) =>
      own.resolve("log").toFile.listFiles.filter(_.getName.endsWith(".json"))
        .foreach(f => Files.setAttribute(f.toPath, "unix:uid", nobody))
      refusedThere(path, "/_zorder/log/")
    }
  }

  test("a log of the folder's owner counts, and so does any where others may delete files anyhow") {
    for (octal <- Seq("41777", "40777")) planted(octal) { (path, own) =>
      if (octal == "41777") Files.setAttribute(new File(path).toPath, "unix:uid", nobody)
      giveAll(own, nobody)
      assert(spark.read.parquet(path).count() == 0)
    }
  }

  test("what the superuser makes there belongs to no owner of some files in it") {
    planted("41777") { (path, own) =>
      org.apache.spark.network.util.JavaUtils.deleteRecursively(own.toFile)
      dataFiles(path).foreach(f => Files.setAttribute(f.toPath, "unix:uid", nobody))
      for (_ <- 0 until 2) keepingRows(path)(optimize(path))
    }
  }
}
