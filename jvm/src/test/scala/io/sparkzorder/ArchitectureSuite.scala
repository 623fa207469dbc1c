// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

/**
 * Holds the arrows of `docs/architecture.md` between rooms, which are packages, as the imports of the sources show
 * them.
 */
class ArchitectureSuite extends AnyFunSuite {

  private case class Source(path: Path, room: String, imports: Seq[String])

  private val root = Paths.get("jvm/src/main/scala")
  private val Package = """(?m)^package ([\w.]+)""".r
  private val Import = """(?m)^ *import ([\w.]+)""".r

  private val sources: Seq[Source] =
    Files.walk(root).iterator.asScala.filter(_.toString.endsWith(".scala")).map { file =>
      val text = Files.readString(file)
      val imports = Import.findAllMatchIn(text).map(_.group(1)).toSeq
      Source(file, Package.findFirstMatchIn(text).get.group(1), imports)
    }.toSeq

  private def room(of: String): String =
    of.split('.').drop(2).takeWhile(_.headOption.exists(_.isLower)).mkString(".")

  private val edges: Set[(String, String)] = (for {
    source <- sources if source.room.startsWith("io.sparkzorder.")
    target <- source.imports if target.startsWith("io.sparkzorder.")
  } yield (room(source.room), room(target))).filter(e => e._1 != e._2 && e._2.nonEmpty).toSet

  /**
   * What a room may import besides `errors`, `config` and `column`, which know little; `a.*` stands for all rooms below
   * `a`.
   */
  private val allowed: Map[String, Seq[String]] = Map(
    "curve" -> Nil,
    "key" -> Nil,
    "column" -> Seq("key"),
    "config" -> Seq("curve"),
    "errors" -> Nil,
    "metrics" -> Nil,
    "compat" -> Seq("parser"),
    "layout" -> Nil,
    "layout.measure" -> Seq("key"),
    "layout.incremental" -> Seq("curve", "key", "layout"),
    "expressions" -> Seq("curve", "key", "layout", "layout.*"),
    "functions" -> Seq("expressions", "plan"),
    "sampling" -> Seq("curve", "key", "expressions"),
    "plan" -> Seq("expressions"),
    "columnar" -> Nil,
    "move" -> Seq("columnar", "expressions", "plan"),
    "parser" -> Seq("plan"),
    "parquet.footer" -> Nil,
    "parquet.scan" -> Nil,
    "parquet.encoder.bytes" -> Seq("columnar"),
    "parquet.encoder.values" -> Seq("columnar", "parquet.encoder.bytes"),
    "parquet.encoder" -> Seq("columnar", "parquet.encoder.*"),
    "format" -> Seq("layout.measure", "plan"),
    "format.delta" -> Seq("curve", "format", "format.delta.*", "parquet.*", "parser", "plan"),
    "format.delta.statistics" -> Seq("parquet.footer"),
    "format.delta.order" -> Seq("write"),
    "format.parquet.folder" -> Seq("format"),
    "format.parquet.log" -> Seq("format", "format.parquet.folder"),
    "format.parquet.lock" -> Seq("format.parquet.folder"),
    "format.parquet.listing" -> Seq("format", "format.parquet.folder", "format.parquet.log", "parquet.footer"),
    "format.parquet.index" -> Seq(
      "format",
      "format.parquet.folder",
      "format.parquet.listing",
      "format.parquet.log",
      "parquet.footer",
      "skipping.index",
      "skipping.predicate"),
    "format.parquet.rewrite" -> Seq("compat", "format", "format.parquet.*", "parquet.*"),
    "format.parquet.repair" -> Seq("format", "format.parquet.*", "parquet.footer"),
    "format.parquet" -> Seq("format", "format.parquet.*", "parquet.*", "plan"),
    "format.foreign" -> Seq("format", "parquet.footer", "plan"),
    "skipping.index" -> Seq("format"),
    "skipping.predicate" -> Seq("skipping.index"),
    "skipping.scan" -> Seq("format", "skipping.*"),
    "write.rank" -> Seq("curve", "expressions", "key", "sampling"),
    "write.local" -> Seq("expressions", "key", "layout", "sampling", "write.rank"),
    "write.global" -> Seq("expressions", "layout", "sampling", "write.rank"),
    "write" -> Seq("expressions", "format", "key", "parquet.encoder", "plan", "write.*"),
    "command" -> Nil,
    "command.analyze" -> Seq("command", "format", "plan"),
    "command.undo" -> Seq("command", "format", "plan"),
    "command.describe" -> Seq("command", "expressions", "format", "layout.*", "parquet.*", "plan"),
    "command.explain" -> Seq("command", "format", "parquet.*", "plan"),
    "command.optimize.input" -> Seq("expressions", "format", "key", "sampling"),
    "command.optimize.select" -> Seq(
      "command.optimize.input",
      "curve",
      "format",
      "key",
      "layout.*",
      "metrics",
      "sampling"),
    "command.optimize.rewrite" -> Seq(
      "command.optimize.input",
      "command.optimize.select",
      "curve",
      "expressions",
      "format",
      "key",
      "layout",
      "layout.*",
      "metrics",
      "plan",
      "sampling"),
    "command.optimize.report" -> Seq(
      "command",
      "command.optimize.rewrite",
      "command.optimize.select",
      "format",
      "layout",
      "layout.*",
      "metrics",
      "sampling"),
    "command.optimize" -> Seq("command", "command.optimize.*", "curve", "format", "metrics", "plan"),
    "command.advise.workload" -> Seq("command.explain"),
    "command.advise.simulate" -> Seq(
      "command.advise.workload",
      "command.optimize.rewrite",
      "command.optimize.select",
      "curve",
      "format",
      "key",
      "sampling",
      "skipping.index",
      "skipping.predicate"
    ),
    "command.advise" -> Seq(
      "command",
      "command.advise.*",
      "command.optimize",
      "command.optimize.input",
      "command.optimize.select",
      "curve",
      "format",
      "layout",
      "plan"),
    "command.resolve" -> Seq("command", "command.*", "curve", "format", "key", "plan")
  )

  private val everywhere = Set("errors", "config", "column")

  test("a room imports only what lies below it") {
    val wrong = edges.filterNot { case (from, to) =>
      (everywhere(to) && !(everywhere(from) && to == "errors" && from == "config")) || allowed(from).exists { a =>
        if (a.endsWith(".*")) to.startsWith(a.dropRight(1)) && to != from else to == a
      }
    }
    assert(edges.size > 50 && wrong === Set.empty)
  }

  test("no two rooms import each other, on whatever way") {
    @scala.annotation.tailrec
    def prune(left: Set[(String, String)]): Set[(String, String)] = {
      val next = left.filter(e => left.exists(_._1 == e._2))
      if (next.size == left.size) left else prune(next)
    }
    assert(prune(edges) === Set.empty)
  }

  test("only format.delta imports Delta, only curve is without Spark, and one file is in Spark's package") {
    val delta = sources.filter(_.imports.exists(_.startsWith("org.apache.spark.sql.delta"))).map(_.room).toSet
    assert(delta.filterNot(r => s"$r.".startsWith("io.sparkzorder.format.delta.")) === Set.empty)
    val curve = sources.filter(_.room == "io.sparkzorder.curve").flatMap(_.imports)
    assert(curve.filter(_.startsWith("org.apache")) === Nil)
    val inSpark = sources.filter(_.room.startsWith("org.apache.spark"))
    assert(inSpark.map(_.path.getFileName.toString) === Seq("SparkInternals.scala"))
  }

  test("a room has at most about a dozen files") {
    val large = sources.groupBy(_.room).map { case (r, files) => r -> files.size }.filter(_._2 > 16)
    assert(large === Map.empty)
  }
}
