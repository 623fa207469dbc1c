// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.io.{File, IOException}
import java.lang.ProcessBuilder.Redirect
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS

import scala.util.Using

/** A program of the system that says what Java cannot ask for. It is not looked for again where it is not installed. */
private[access] final class SystemCommand(name: String, options: String*) {
  import SystemCommand._

  @volatile private var isInstalled = true

  /** What it prints; None where it fails, or is not there. */
  def output(argument: String): Option[String] = if (!isInstalled) None
  else
    try {
      val command = new ProcessBuilder((name +: options :+ "--" :+ argument): _*)
      val process = command.redirectError(Redirect.DISCARD).redirectInput(Nothing).start()
      val printed = CompletableFuture.supplyAsync(() => Using.resource(process.getInputStream)(_.readAllBytes()))
      if (process.waitFor(Patience, SECONDS)) Option.when(process.exitValue == 0)(new String(printed.get, UTF_8))
      else {
        process.destroyForcibly()
        None
      }
    } catch {
      case e: IOException =>
        // Others, as of too many processes, may be over soon.
        if (NoSuchFile.exists(e.getMessage.contains)) isInstalled = false
        None
    }
}

private object SystemCommand {

  private val Nothing = Redirect.from(new File("/dev/null"))
  // Of Java 17 and of Java 25.
  private val NoSuchFile = Seq("error=2,", "error: 2 ")
  private val Patience = 10L
}
