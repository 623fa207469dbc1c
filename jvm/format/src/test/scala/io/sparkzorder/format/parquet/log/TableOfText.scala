// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.nio.file.{Files, Path => LocalPath}

import scala.jdk.CollectionConverters._

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.network.util.JavaUtils

/** A table whose files are of text, which stands for data: each line is a row. */
private[log] abstract class TableOfText(val root: LocalPath, settings: Configuration) {

  val folder = new TableFolder(new Path(root.toUri), settings)
  val log = new RewriteLog(folder)

  def put(path: String, rows: Seq[Int]): Unit = {
    Files.createDirectories(root.resolve(path).getParent)
    Files.write(root.resolve(path), rows.map(_.toString).asJava): Unit
  }

  def idOf(path: String): ListedFile = {
    val status = folder.status(folder.resolve(path)).get
    ListedFile(path, status.getLen, status.getModificationTime)
  }

  def isThere(path: String): Boolean = Files.exists(root.resolve(path))

  def bytes(path: String): Option[Long] = Option.when(isThere(path))(Files.size(root.resolve(path)))

  protected def rowsOf(files: Set[String]): Seq[Int] =
    files.toSeq.flatMap(f => Files.readAllLines(root.resolve(f)).asScala.map(_.toInt)).sorted

  /** As ANALYZE begins, and as the next OPTIMIZE does. */
  def recover(): Unit = new Recovery(folder, log).run()

  def drop(): Unit = JavaUtils.deleteRecursively(root.toFile)
}

private[log] object TableOfText {

  /** Settings with which all changes of local files go through `files`. */
  def settings(files: Class[_ <: CrashingFileSystem]): Configuration = {
    val conf = new Configuration(false)
    conf.set("fs.file.impl", files.getName)
    conf.set("fs.file.impl.disable.cache", "true")
    // In calls of the file system that can be counted.
    conf.set(s"${ExclusiveCreation.Setting}file", "rename")
    conf
  }
}
