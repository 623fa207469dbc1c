// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.io.IOException
import java.nio.file.{FileAlreadyExistsException, NoSuchFileException}
import java.util.{Arrays, UUID}

import scala.util.Try

import io.sparkzorder.errors.{ZOrderErrors, ZOrderRuntimeException}
import io.sparkzorder.format.parquet.folder.TableFolder

import org.apache.hadoop.fs.Path

/**
 * Creates a small file if there is none of its name, as a whole and in one step. The safety of rewrites rests on this
 * alone: of several processes that create a file with different contents, one succeeds.
 *
 * How a file system does it is what Delta Lake's `LogStore` relies on too: a hard link on a local disk, a rename that
 * overwrites nothing on HDFS and ABFS, a conditional write on S3A, a generation match on GCS.
 */
private[parquet] sealed abstract class ExclusiveCreation(folder: TableFolder) {

  /**
   * @return
   *   whether the file has this content; false where another file was there first
   * @throws ZOrderRuntimeException
   *   where no process created the file
   */
  def create(path: Path, content: Array[Byte]): Boolean = {
    // Never retried: the file may have been there since, and have been forgotten.
    val failure =
      try if (tryOnce(path, content)) return true else null
      catch { case e: IOException => e }
    // A client of a store repeats a call whose answer was lost, and then hears that the file is there already.
    folder.read(path).map(Arrays.equals(_, content)).getOrElse(throw ZOrderErrors.cannotCreate(path.toString, failure))
  }

  /**
   * Creates a file of a name that nobody else uses, and tries whether the file system refuses to create it once more.
   *
   * @return
   *   why rewrites would not be safe here
   */
  def createTrying(path: Path, content: Array[Byte]): Option[String] = {
    folder.write(path, content)
    None
  }

  /** @return false where the file is there already */
  protected def tryOnce(path: Path, content: Array[Byte]): Boolean

  /** A name for a draft, where whatever is left by processes that were killed is taken away. */
  protected def draft(): Path = {
    folder.make(folder.staging)
    new Path(folder.staging, s".draft-${UUID.randomUUID}")
  }
}

private[parquet] object ExclusiveCreation {

  /** With a scheme after it, the way in which the file systems of that scheme are to be used. */
  val Setting = "spark.sql.zorder.parquet.exclusiveCreation."

  private val ways: Map[String, TableFolder => ExclusiveCreation] = Map(
    "link" -> (new ByLink(_)),
    "rename" -> (new ByRename(_)),
    "conditional" -> (new Conditionally(_)),
    "create" -> (new WithoutOverwrite(_)))

  private val known = Map(
    "file" -> "link",
    "hdfs" -> "rename",
    "webhdfs" -> "rename",
    "swebhdfs" -> "rename",
    "abfs" -> "rename",
    "abfss" -> "rename",
    "gs" -> "create")

  // What stores, and those who set it, may promise and not keep.
  private val triedFirst = Set("conditional", "create")

  /** @throws ZOrderAnalysisException where the file system gives no way, or the setting names none */
  def of(folder: TableFolder): ExclusiveCreation = {
    val scheme = folder.scheme
    wayOf(folder).flatMap(ways.get).getOrElse {
      throw ZOrderErrors.noExclusiveCreation(folder.root.toString, scheme, Setting + scheme, ways.keys.toSeq.sorted)
    }(folder)
  }

  /** As [[of]], where a statement has to try it before it relies on it. */
  def toBeTried(folder: TableFolder): Option[ExclusiveCreation] =
    if (wayOf(folder).exists(triedFirst)) Some(of(folder)) else None

  private def wayOf(folder: TableFolder): Option[String] = folder.setting(Setting + folder.scheme).orElse {
    folder.mountedScheme match {
      // What a mount hands on are renames.
      case Some(scheme) => known.get(scheme).filter(_ == "rename")
      case None => if (folder.hasConditionalWrites) Some("conditional") else known.get(folder.scheme)
    }
  }

  /** A local disk: a hard link gives a complete file a name that must be new. */
  private final class ByLink(folder: TableFolder) extends ExclusiveCreation(folder) {
    override protected def tryOnce(path: Path, content: Array[Byte]): Boolean = {
      val from = draft()
      try {
        folder.write(from, content)
        try folder.link(from, path)
        catch {
          // Whoever takes this statement for one that was interrupted deletes what it has left.
          case _: NoSuchFileException if folder.status(from).isEmpty && folder.status(path).isEmpty =>
            throw ZOrderErrors.rewriteOvertaken(folder.root.toString)
          // No links here. A process that dies in this call leaves a part of a file, which readers then report.
          case _: UnsupportedOperationException => folder.createLocally(path, content)
          case e: java.nio.file.FileSystemException if isWithoutLinks(e) => folder.createLocally(path, content)
        }
        true
      } catch { case _: FileAlreadyExistsException => false }
      finally folder.delete(from)
    }

    private def isWithoutLinks(e: java.nio.file.FileSystemException): Boolean =
      !e.isInstanceOf[FileAlreadyExistsException] && !e.isInstanceOf[NoSuchFileException] &&
        Option(e.getReason).exists(r => Seq("not permitted", "not supported", "not implemented").exists(r.contains))
  }

  /** HDFS and ABFS: a rename whose target is there answers false. */
  private final class ByRename(folder: TableFolder) extends ExclusiveCreation(folder) {
    override protected def tryOnce(path: Path, content: Array[Byte]): Boolean = {
      val from = draft()
      try {
        folder.write(from, content)
        folder.rename(from, path)
      } finally folder.delete(from)
    }
  }

  /** S3A of Hadoop 3.4.2 and later: `If-None-Match: *` with the write that completes the object. */
  private final class Conditionally(folder: TableFolder) extends ExclusiveCreation(folder) {
    override protected def tryOnce(path: Path, content: Array[Byte]): Boolean = {
      folder.createConditionally(path, content)
      true
    }

    override def createTrying(path: Path, content: Array[Byte]): Option[String] =
      try {
        create(path, content)
        // Stores that do not know a condition may ignore it.
        if (Try(tryOnce(path, content)).getOrElse(false)) Some("it was created a second time") else None
      } catch {
        case e: ZOrderRuntimeException =>
          // Where this fails, too, it is for another reason.
          folder.write(path, content)
          Some(Option(e.getCause).fold(e.getMessage)(_.getMessage))
      }
  }

  /** GCS: a create that does not overwrite asks for generation 0 when the object is completed. */
  private final class WithoutOverwrite(folder: TableFolder) extends ExclusiveCreation(folder) {
    override protected def tryOnce(path: Path, content: Array[Byte]): Boolean = {
      folder.createNew(path, content)
      true
    }

    override def createTrying(path: Path, content: Array[Byte]): Option[String] =
      if (folder.isCreatedOnce(path, content)) None else Some("it was created a second time")
  }
}
