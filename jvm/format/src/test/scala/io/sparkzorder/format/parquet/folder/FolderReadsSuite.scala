// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.IOException
import java.nio.file.{Files, Paths}

import io.sparkzorder.format.ListedFile
import org.scalatest.funsuite.AnyFunSuite

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, LocalFileSystem, Path}

class FolderReadsSuite extends AnyFunSuite {

  private def folder(of: Class[_ <: LocalFileSystem]): TableFolder = {
    val conf = new Configuration(false)
    conf.set("fs.file.impl", of.getName)
    conf.set("fs.file.impl.disable.cache", "true")
    new TableFolder(new Path(Files.createTempDirectory("looks").toUri), conf)
  }

  test("a folder that goes while it is listed has no files") {
    val table = folder(classOf[FolderGoes])
    table.make(table.rewriteLog)
    assert(table.list(table.rewriteLog) === Nil)
    assert(!table.isThere(table.rewriteLog))
  }

  test("a file stays that is to get a name which somebody else has taken") {
    val table = folder(classOf[LocalFileSystem])
    val root = Paths.get(table.root.toUri.getPath)
    for ((name, content) <- Seq("old" -> "ours", "new" -> "theirs".take(4)))
      Files.writeString(root.resolve(name), content)
    val status = table.status(table.resolve("old")).get
    val file = ListedFile("old", status.getLen, status.getModificationTime)
    assert(!table.renameUnchanged(file, None, table.resolve("new")))
    assert(Files.readString(root.resolve("old")) === "ours" && Files.readString(root.resolve("new")) === "thei")
  }

  test("a folder that cannot be listed is an error") {
    val table = folder(classOf[DiskFails])
    table.make(table.rewriteLog)
    intercept[IOException](table.list(table.rewriteLog))
  }
}

/** As Hadoop fails where the folder is gone when it asks for the names. */
class FolderGoes extends LocalFileSystem {
  override def listStatus(folder: Path): Array[FileStatus] = {
    Files.delete(Paths.get(folder.toUri.getPath))
    throw new IOException(s"Invalid directory or I/O error occurred for dir: $folder")
  }
}

class DiskFails extends LocalFileSystem {
  override def listStatus(folder: Path): Array[FileStatus] =
    throw new IOException(s"Invalid directory or I/O error occurred for dir: $folder")
}
