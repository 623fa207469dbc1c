// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

/**
 * Holds what the modules of `docs/architecture.md` cannot: between them the compiler allows no arrow that the build does
 * not have; within them rooms, which are packages, may use each other as long as there is no circle.
 */
class ArchitectureSuite extends AnyFunSuite {

  private case class Source(path: Path, module: String, room: String, imports: Seq[String])

  private val root = Paths.get("jvm")
  private val Package = """(?m)^package ([\w.]+)""".r
  private val Import = """(?m)^ *import ([\w.]+)""".r

  private def sourcesOf(module: String): Seq[Source] =
    Seq("src/main/scala", "src/main/scala-shims").map(root.resolve(module).resolve(_))
      .filter(Files.isDirectory(_))
      .flatMap(Files.walk(_).iterator.asScala)
      .filter(_.toString.endsWith(".scala"))
      .map { file =>
        val text = Files.readString(file)
        val imports = Import.findAllMatchIn(text).map(_.group(1)).toSeq
        Source(file, module, Package.findFirstMatchIn(text).get.group(1), imports)
      }

  private val modules = Seq("kernel", "base", "parquet", "engine", "format", "sql", "advise", "")

  private val sources: Seq[Source] = modules.flatMap(sourcesOf)

  private def room(of: String): String =
    of.split('.').drop(2).takeWhile(_.headOption.exists(_.isLower)).mkString(".")

  private val edges: Set[(String, String)] = (for {
    source <- sources if source.room.startsWith("io.sparkzorder.")
    target <- source.imports if target.startsWith("io.sparkzorder.")
  } yield (room(source.room), room(target))).filter(e => e._1 != e._2 && e._2.nonEmpty).toSet

  test("no two rooms import each other, on whatever way") {
    @scala.annotation.tailrec
    def prune(left: Set[(String, String)]): Set[(String, String)] = {
      val next = left.filter(e => left.exists(_._1 == e._2))
      if (next.size == left.size) left else prune(next)
    }
    assert(edges.size > 50 && prune(edges) === Set.empty)
  }

  test("a room is in one module") {
    val several = sources.groupBy(_.room).map { case (r, files) => r -> files.map(_.module).distinct }
    assert(several.filter(_._2.size > 1) === Map.empty)
  }

  test("a format is named by itself alone, and by the list in the extension") {
    val formats = Seq("format.delta", "format.iceberg", "format.parquet")
    def isOf(format: String)(room: String) = room == format || room.startsWith(s"$format.")
    val wrong = edges.filter { case (from, to) => formats.exists(f => isOf(f)(to) && !isOf(f)(from)) }
    assert(wrong === Set.empty)
  }

  private def names(files: Seq[Source]): Set[String] = files.map(_.path.getFileName.toString).toSet

  test(
    "only format.delta imports Delta, only format.iceberg Iceberg, and one file and a shim of it are in Spark's package") {
    val delta = sources.filter(_.imports.exists(_.startsWith("org.apache.spark.sql.delta"))).map(_.room).toSet
    assert(delta.nonEmpty && delta.filterNot(r => s"$r.".startsWith("io.sparkzorder.format.delta.")) === Set.empty)
    val iceberg = sources.filter(_.imports.exists(_.startsWith("org.apache.iceberg"))).map(_.room).toSet
    assert(
      iceberg.nonEmpty && iceberg.filterNot(r => s"$r.".startsWith("io.sparkzorder.format.iceberg.")) === Set.empty)
    val inSpark = sources.filter(_.room.startsWith("org.apache.spark"))
    assert(names(inSpark) === Set("SparkInternals.scala", "ErrorWithoutPlan.scala"))
  }

  test("a room has at most sixteen files") {
    // A shim is there once for each range of Sparks.
    val large = sources.groupBy(_.room).map { case (r, files) => r -> names(files).size }.filter(_._2 > 16)
    assert(large === Map.empty)
  }
}
