// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable

/** Errors that nobody expected: users meet them with a condition, too, and find what was thrown as the cause. */
object UnexpectedError {

  /**
   * Runs `body`; what it throws without a condition is thrown as ZORDER_INTERNAL_ERROR, and what a full disk made it throw
   * as ZORDER_NO_SPACE.
   *
   * Spark's errors with conditions and Delta's are thrown as they are, and so is what says that somebody has ended the
   * statement.
   *
   * @param statement
   *   name of the statement, for messages
   */
  def named[T](statement: => String)(body: => T): T =
    try body
    catch {
      case e: Throwable if isOfDisk(e) => throw noSpace(statement, e)
      case e: Throwable if isOfTask(e) && ofFolder(e).isDefined => throw ofFolder(e).get
      case e: Throwable if isRaw(e) =>
        val known = ofFolder(e).orElse(denied(statement, e)).orElse(ofMetadata(statement, e))
        throw known.getOrElse(ZOrderErrors.internalError(statement, reason(e), e))
    }

  /** As [[named]], of a query that the statement plans: what fails there is the query's, and thrown as ZORDER_QUERY_NOT_PLANNED. */
  def ofQuery[T](statement: => String)(plan: => T): T =
    try plan
    catch {
      case e: Throwable if isRaw(e) && !isOfDisk(e) =>
        throw ZOrderErrors.queryNotPlanned(statement, s"${reason(e)}.", e)
    }

  /** Whether a disk is full, also where Spark says so of a task. What is ours says what to do. */
  private def isOfDisk(error: Throwable): Boolean =
    NonFatal(error) && !error.isInstanceOf[ZOrderRuntimeException] && !isOfDelta(error) && chain(
      error).exists(ofDisk(_).nonEmpty)

  /** Whether the operating system says by this that a disk is full. */
  def saysFull(text: String): Boolean = Full.exists(text.contains)

  /**
   * The line that says so. Java's and Hadoop's errors have no class for it; those with a condition may quote a statement.
   */
  private def ofDisk(error: Throwable): Option[String] = error match {
    case e: SparkThrowable if e.getCondition != null => None
    case e => Option(e.getMessage).flatMap(_.linesIterator.find(saysFull))
  }

  private def noSpace(statement: String, error: Throwable): ZOrderRuntimeException =
    ZOrderErrors.noSpace(statement, chain(error).flatMap(ofDisk).last.stripSuffix("."), error)

  /** Whether Spark says by a condition that a task which writes has failed, whatever made it fail. */
  private def isOfTask(error: Throwable): Boolean = error match {
    case e: SparkThrowable => e.getCondition == "TASK_WRITE_FAILED"
    case _ => false
  }

  /**
   * Hadoop does not say why it could not make a folder for a file. Where the folder of staged files is gone, another
   * statement has taken this one's for one that was interrupted, or somebody has dropped the table.
   */
  private def ofFolder(error: Throwable): Option[ZOrderRuntimeException] = {
    val messages = chain(error).flatMap(e => Option(e.getMessage))
    messages.collectFirst { case MkdirsFailed(folder) => ZOrderErrors.cannotCreate(folder, error) }
      .orElse(messages.flatMap(_.linesIterator).collectFirst { case StagedIsGone(table) =>
        ZOrderErrors.rewriteOvertaken(table, error)
      })
  }

  /** Iceberg reads manifests as it reads data, and reports alike that one is gone and that nobody answers. */
  private def ofMetadata(statement: String, error: Throwable): Option[ZOrderRuntimeException] =
    if (!chain(error).exists(e =>
        e.isInstanceOf[FileNotFoundException] || e.getClass.getSimpleName == "NotFoundException")) None
    else
      chain(error).collectFirst { case UnreadableFile.OfIceberg(file) if UnreadableFile.isMetadata(file) => file }.map {
        file =>
          ZOrderErrors.icebergMetadataGone(statement, file, UnreadableFile.reason(chain(error).last), error)
      }

  private def denied(statement: String, error: Throwable): Option[ZOrderRuntimeException] =
    chain(error).find(UnreadableFile.isOfFileSystem).map { e =>
      val said = Option(e.getMessage).flatMap(_.linesIterator.nextOption()).getOrElse(e.getClass.getSimpleName)
      ZOrderErrors.accessDenied(statement, said.stripSuffix("."), error)
    }

  // As operating systems say it, and HDFS.
  private val Full = Seq(
    "No space left on device",
    "Disk quota exceeded",
    "The DiskSpace quota of",
    "The NameSpace quota",
    "Quota by storage type :")

  private val MkdirsFailed = raw"(?s)Mkdirs failed to create (\S+).*".r

  // As Java, Hadoop and `chmod` say it.
  private val StagedIsGone =
    raw"[^/]*(/.*)/_zorder/staging/.*(?:No such file or directory|does not exist|has been deleted).*".r

  // NonFatal leaves out LinkageError, which is what a Spark or Delta of another version ends in.
  private def isRaw(error: Throwable): Boolean =
    (NonFatal(error) || error.isInstanceOf[LinkageError]) && !isKnown(error) && !Interruption.isIn(error)

  private def isKnown(error: Throwable): Boolean = error match {
    case e: SparkThrowable if e.getCondition != null => true
    case e => isOfDelta(e)
  }

  /** PySpark and users recognize them by their class. */
  private def isOfDelta(error: Throwable): Boolean = error.getClass.getName.startsWith("io.delta.")

  /** An error and what caused it, outermost first. */
  // Bounded, as nothing forbids causes in a circle.
  private[sparkzorder] def chain(error: Throwable): IndexedSeq[Throwable] =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(100).toIndexedSeq

  /** The first error with a condition, or else the one at which it all began. */
  private def reason(error: Throwable): String = {
    val causes = chain(error)
    val named = causes.find { case e: SparkThrowable => e.getCondition != null; case _ => false }
    val shown = named.getOrElse(causes.last)
    val name = if (named.isDefined) "" else s"${shown.getClass.getName}: "
    name + UnreadableFile.reason(shown)
  }
}

/** A data file that Spark failed to read, found among the causes of an error. */
object UnreadableFile {

  private val Conditions = Set("ZORDER_UNREADABLE_FILE", "ZORDER_CLOSED_FILE")

  /** Whether somebody may not read a file, as file systems and stores say it, also where Spark says so of a task. */
  def isDenied(error: Throwable): Boolean = UnexpectedError.chain(error).exists {
    case e: SparkThrowable if e.getCondition != null => false
    case e => isOfAccess(e)
  }

  /** As [[isDenied]], of one error. */
  private[errors] def isOfAccess(error: Throwable): Boolean =
    Denied.exists(error.getClass.getSimpleName.endsWith) ||
      Option(error.getMessage).exists(_.linesIterator.nextOption().exists(_.endsWith("(Permission denied)")))

  /** As [[isOfAccess]], by a file system: services have errors of such names, too. */
  private[errors] def isOfFileSystem(error: Throwable): Boolean = isOfAccess(error) &&
    Seq("java.", "org.apache.hadoop.").exists(error.getClass.getName.startsWith)

  private val Denied = Seq("AccessControlException", "AccessDeniedException")

  /**
   * Runs `body`; where it fails on a data file, the error names the file and says what can be done. Spark's own says so
   * only of files that are missing, and what it proposes (REFRESH TABLE) is no help with a table that has a log.
   */
  def named[T](body: => T): T =
    try body
    catch { case e: Exception => throw of(e).getOrElse(e) }

  private def of(error: Throwable): Option[ZOrderRuntimeException] = {
    val causes = UnexpectedError.chain(error)
    causes.collectFirst {
      case ours: ZOrderRuntimeException if Conditions(ours.getCondition) => ours
      case t: SparkThrowable if String.valueOf(t.getCondition).startsWith("FAILED_READ_FILE") =>
        val file = Option(t.getMessageParameters.get("path")).getOrElse("unknown")
        ZOrderErrors.unreadableFile(file, reason(causes.last), error)
      case OfIceberg(file) if !isMetadata(file) => ZOrderErrors.unreadableFile(file, reason(causes.last), error)
      case WithoutVectors(why) => ZOrderErrors.unreadableFile("of the table", why, error)
    }
  }

  /** Iceberg's reader of column batches does not read all that its writer writes, as booleans in pages of version 2. */
  private object WithoutVectors {
    def unapply(error: Throwable): Option[String] =
      Option(error.getMessage).filter(_.startsWith("Cannot support vectorized reads")).map { message =>
        s"$message: ALTER TABLE ... SET TBLPROPERTIES ('read.parquet.vectorization.enabled' = 'false')"
      }
  }

  /** Whether a file is no data, so that no copy of data mends it: by its name, as Iceberg gives it wherever it lies. */
  private[errors] def isMetadata(file: String): Boolean = Manifests.exists(_.matches(file))

  private val Manifests = Seq(raw".*/snap-[^/]*\.avro".r, raw".*-m\d+\.avro".r, raw".*\.metadata\.json".r)

  /** Iceberg names the file in its message alone. */
  private[errors] object OfIceberg {
    private val Opened =
      raw"Failed to (?:open(?: input stream for| Parquet)?|fetch) file: (\S.*)|(?:Location|File) does not exist: (\S.*)".r

    def unapply(error: Throwable): Option[String] =
      Option(error.getMessage).filter(_ =>
        error.getClass.getName.startsWith("org.apache.iceberg.exceptions.")).collect {
        case Opened(opened, missing) => Option(opened).getOrElse(missing)
      }
  }

  /** What an error says, in a line. */
  def reason(error: Throwable): String = firstLine(Option(error.getMessage).getOrElse(error.getClass.getName))

  private def firstLine(text: String): String = text.linesIterator.nextOption().getOrElse("").stripSuffix(".")
}
