// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import java.io.{IOException, InterruptedIOException}
import java.net.SocketTimeoutException
import java.nio.channels.ClosedByInterruptException

import io.delta.exceptions.ConcurrentAppendException

import org.apache.spark.{SparkException, SparkFunSuite, TaskKilledException}

class UnexpectedErrorSuite extends SparkFunSuite {

  private def thrown(error: Throwable): Throwable =
    try UnexpectedError.named("OPTIMIZE")(throw error)
    catch { case e: Throwable => e }

  private val divided = new SparkException("DIVIDE_BY_ZERO", Map("config" -> "x"), null)
  private val aborted =
    new SparkException("Job aborted due to stage failure:\nthis and that", new IOException("no space"))

  for ((error, reason) <- Seq(
      new NoSuchMethodError("write") -> "java.lang.NoSuchMethodError: write",
      new NoClassDefFoundError("a/B") -> "java.lang.NoClassDefFoundError: a/B",
      new ExceptionInInitializerError(new IllegalStateException("never")) -> "java.lang.IllegalStateException: never",
      new NullPointerException() -> "java.lang.NullPointerException: java.lang.NullPointerException",
      new IOException("no space.\n more") -> "java.io.IOException: no space",
      new SocketTimeoutException("slow") -> "java.net.SocketTimeoutException: slow",
      aborted -> "java.io.IOException: no space",
      new RuntimeException("around", divided) -> divided.getMessage.linesIterator.next().stripSuffix(".")
    ))
    test(s"has no condition and gets ours: $error") {
      val found = thrown(error)
      val expected = Map("statement" -> "OPTIMIZE", "reason" -> reason)
      assert(found.isInstanceOf[ZOrderRuntimeException] && (found.getCause eq error))
      checkError(found.asInstanceOf[ZOrderRuntimeException], "ZORDER_INTERNAL_ERROR", Some("XX000"), expected)
    }

  private val full = "No space left on device"

  for (error <- Seq(
      new IOException(full),
      new java.nio.file.FileSystemException("a", null, full),
      new SparkException(s"Job aborted due to stage failure:\njava.io.IOException: $full\nat", null),
      new SparkException("TASK_WRITE_FAILED", Map("path" -> "/t"), new Error(full)),
      new IOException("Disk quota exceeded")
    ))
    test(s"a full disk: $error") {
      val found = thrown(error).asInstanceOf[ZOrderRuntimeException]
      assert(found.getCondition == "ZORDER_NO_SPACE" && (found.getCause eq error))
      assert(Seq(full, "quota").exists(found.getMessageParameters.get("reason").contains))
    }

  test("a folder that Hadoop could not make for a file") {
    val cause = new IOException("Mkdirs failed to create file:/t/a (exists=false, cwd=/)")
    val ofTask = new SparkException("TASK_WRITE_FAILED", Map("path" -> "/t"), cause)
    for (error <- Seq(new SparkException("Job aborted.", cause), ofTask)) {
      val found = thrown(error).asInstanceOf[ZOrderRuntimeException]
      checkError(found, "ZORDER_CANNOT_CREATE", Some("58030"), Map("file" -> "file:/t/a"))
    }
  }

  test("the folder of staged files is gone, as where another statement has taken the lock") {
    for (said <- Seq(
        "File file:/w/t/_zorder/staging/x/p=1/a.parquet does not exist",
        "/w/my t/_zorder/staging/x/a.parquet (No such file or directory)",
        "ExitCodeException exitCode=1: chmod: cannot access '/w/t/_zorder/staging/x/a': No such file or directory"
      )) {
      val cause = new IOException(said)
      val ofTask = new SparkException("TASK_WRITE_FAILED", Map("path" -> "/t"), cause)
      for (error <- Seq(new SparkException("Job aborted.", cause), ofTask)) {
        val found = thrown(error).asInstanceOf[ZOrderRuntimeException]
        assert(found.getCause eq error)
        val folder = if (said.contains("my t")) "/w/my t" else "/w/t"
        checkError(found, "ZORDER_REWRITE_OVERTAKEN", Some("40001"), Map("folder" -> folder))
      }
    }
  }

  test("another file that is gone is not taken for a staged one, nor a service's refusal for a file system's") {
    val two = "Task failed while writing rows to file:/t/_zorder/staging/x\n/tmp/shuffle (No such file or directory)"
    class AccessDeniedException extends Exception("not yours")
    for (error <- Seq(new IOException(two), new AccessDeniedException))
      assert(thrown(error).asInstanceOf[ZOrderRuntimeException].getCondition == "ZORDER_INTERNAL_ERROR")
  }

  test("a folder into which the user may not look") {
    for (denied <- Seq(
        new java.nio.file.AccessDeniedException("/t/p=1"),
        new java.io.FileNotFoundException("/t/p=1 (Permission denied)"),
        new org.apache.hadoop.security.AccessControlException("Permission denied: user=ann, inode=\"/t/p=1\"")
      )) {
      val found = thrown(new RuntimeException("around", denied)).asInstanceOf[ZOrderRuntimeException]
      val expected = Map("statement" -> "OPTIMIZE", "reason" -> denied.getMessage)
      checkError(found, "ZORDER_ACCESS_DENIED", Some("42501"), expected)
    }
  }

  for (error <- Seq(
      divided,
      new SparkException("DIVIDE_BY_ZERO", Map("config" -> full), null),
      ZOrderErrors.duplicateColumn("a"),
      ZOrderErrors.lockLost("/t"),
      new ConcurrentAppendException("another"),
      new InterruptedException(),
      new InterruptedIOException(),
      new ClosedByInterruptException(),
      new TaskKilledException("enough"),
      new RuntimeException("around", new InterruptedException()),
      new OutOfMemoryError(),
      new scala.util.control.ControlThrowable {}
    ))
    test(s"is thrown as it is: $error") {
      assert(thrown(error) eq error)
    }

  test("a file that one may not read is not said to be damaged") {
    def of(cause: Throwable) = ZOrderErrors.unreadableFile("/t/a", "it says so", cause)
    def read(cause: Throwable) = new SparkException("FAILED_READ_FILE.NO_HINT", Map("path" -> "/t/a"), cause)
    for (denied <- Seq(
        new java.io.FileNotFoundException("/t/a (Permission denied)"),
        new java.nio.file.AccessDeniedException("s3a://t/a"),
        new org.apache.hadoop.security.AccessControlException("Permission denied: user=ann")
      ))
      for (error <- Seq(of(denied), intercept[ZOrderRuntimeException](UnreadableFile.named(throw read(denied)))))
        assert(error.getCondition == "ZORDER_CLOSED_FILE" && error.getSqlState == "42501")
    for (other <-
        Seq(new java.io.FileNotFoundException("/t/a (No such file)"), new IOException("is not a Parquet file")))
      assert(of(other).getCondition == "ZORDER_UNREADABLE_FILE")
  }

  test("causes in a circle") {
    val (one, two) = (new IOException("one"), new IOException("two"))
    one.initCause(two)
    two.initCause(one)
    assert(thrown(one).getCause eq one)
  }

  test("what succeeds gives its result") {
    assert(UnexpectedError.named("OPTIMIZE")(1) === 1)
  }
}
